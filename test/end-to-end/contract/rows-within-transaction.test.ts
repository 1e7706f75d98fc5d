// A program has its own tables in one SQLite database with the rows: an order and the program's rows
// are committed together, or not at all, and plazo never touches a transaction that it did not begin.
import { DatabaseSync } from 'node:sqlite'
import { rowsCipher, sqliteRows, storeOver } from '@plazo/adapters/rows'
import { lanesOf, openShop, unwrap } from '@plazo/core/internal/testing'
import { baseContract } from '@plazo/core/testing/contracts'
import { runner } from '@plazo/core/testing/vitest'
import Sqlite from 'better-sqlite3'
import { describe, expect, it, vi } from 'vitest'
import { MASTER_KEY } from './fragile-rows.ts'

const OPEN = {
  'better-sqlite3': () => new Sqlite(':memory:'),
  'node:sqlite': () => new DatabaseSync(':memory:'),
}

for (const [name, openDatabase] of Object.entries(OPEN))
  describe(`rows within a transaction of ${name}`, () => {
    const openProgram = () => {
      const database = openDatabase()
      database.exec('create table baskets (id text)')
      const rows = sqliteRows(database)
      const { store } = storeOver(rows)
      return {
        database,
        notifyCommitted: store.notifyCommitted,
        shop: openShop(store),
        within: openShop(storeOver(rows.within).store),
        baskets: () => database.prepare('select id from baskets').all(),
      }
    }

    it('leave no order and no SMS after a rollback, and are claimed only after a commit', async () => {
      const { database, shop, within, baskets, notifyCommitted } = openProgram()
      database.exec("begin; insert into baskets values ('B-1')")
      const undone = await within.placeAndSubmit()
      database.exec('rollback')
      expect(baskets()).toEqual([])
      expect(await shop.store.read(undone)()).toMatchObject({ left: { _tag: 'OrderNotFound' } })
      expect(await shop.claim()).toEqual([])

      database.exec("begin; insert into baskets values ('B-1')")
      const orderRef = await within.placeAndSubmit()
      const refused = { left: { _tag: 'Unavailable', code: 'file_locked' } }
      expect(await shop.store.read(orderRef)()).toMatchObject(refused)
      expect(await shop.store.nextDueAt()()).toMatchObject(refused)
      database.exec('commit')
      const reported = vi.fn()
      shop.store.onCommitted(reported)
      notifyCommitted()
      expect(reported).toHaveBeenCalledTimes(1)
      expect(baskets()).toHaveLength(1)
      expect(lanesOf(await shop.claim())).toEqual(['action', 'sms'])
    })

    it('let it run alone: what encrypted rows do meanwhile waits, and no job becomes stuck', async () => {
      const database = openDatabase()
      const rows = sqliteRows(database)
      const cipher = await rowsCipher(MASTER_KEY)
      const { store, runAlone } = storeOver(rows, cipher)
      const within = storeOver(rows.within, cipher)
      const shop = openShop(store)
      const orderRef = await shop.placeAndSubmit()
      const claiming = shop.claim()
      const reads: Promise<unknown>[] = []
      await runAlone(async () => {
        database.exec('begin')
        reads.push(store.read(orderRef)(), within.store.read(orderRef)())
        await reads.at(-1)
        database.exec('commit')
      })
      expect(lanesOf(await claiming)).toEqual(['action', 'sms'])
      const found = expect.objectContaining({ _tag: 'Right' })
      expect(await Promise.all(reads)).toEqual([found, found])
      expect(await unwrap(store.stuckJobs())).toEqual([])
    })

    it('undo a refused or failed operation alone, and leave the transaction open', async () => {
      const { database, shop, within, baskets } = openProgram()
      database.exec("begin; insert into baskets values ('B-1')")
      const placement = within.preparePlacing()
      await unwrap(within.store.place(placement, '{}'))
      expect(await within.store.place(placement, '{}')()).toMatchObject({
        left: { _tag: 'Unavailable' },
      })
      database.exec('commit')
      expect(baskets()).toHaveLength(1)
      expect(await shop.read(placement.order.placed.orderRef)).toEqual(placement.order)
    })

    it('are not opened while the program has a transaction open', () => {
      const database = openDatabase()
      database.exec('create table baskets (id text); begin; insert into baskets values (1)')
      expect(() => sqliteRows(database)).toThrow('Your program has a transaction open')
      database.exec('commit')
      expect(database.prepare('select * from baskets').all()).toHaveLength(1)
    })

    baseContract(runner, `a store within one transaction of ${name}`, async () => {
      const database = openDatabase()
      const rows = sqliteRows(database)
      database.exec('begin')
      const { store } = storeOver(rows.within)
      await openShop(store).claim() // it is the one that starts jobs
      return {
        store,
        isSlow: true,
        close: async () => void database.exec('rollback'),
      }
    })
  })
