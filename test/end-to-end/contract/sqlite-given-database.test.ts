// SQLite on a database that the embedding program has opened. plazo makes its tables there or
// refuses, and never closes the database, and never ends a transaction of the program.
import { readdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { openSqlite } from '@plazo/adapters/sqlite'
import { eraseShopperData } from '@plazo/core'
import { aMerchant, aRecord, openShop, unwrap } from '@plazo/core/internal/testing'
import Sqlite from 'better-sqlite3'
import { beforeEach, describe, expect, it } from 'vitest'
import { pathOfTest } from '../../harness/path-of-test.ts'

let path: string
let database: Sqlite.Database
beforeEach(() => {
  path = pathOfTest('app.db')
  database = new Sqlite(path)
})

const open = () => openSqlite(path, { database })

const tablesIn = (db: Sqlite.Database) =>
  db
    .prepare<[], string>(`select name from sqlite_schema where type = 'table' order by name`)
    .pluck()
    .all()

/** All that a refusal could change, of the file and of its connection. */
const contentsOf = (db: Sqlite.Database) => ({
  settings: ['user_version', 'journal_mode', 'synchronous', 'secure_delete'].map((name) =>
    db.pragma(name, { simple: true }),
  ),
  schema: db.prepare('select name, sql from sqlite_schema order by name').all(),
  files: readdirSync(dirname(path)).filter((file) => !/-(wal|shm|journal)$/.test(file)),
})

const WITHIN_TRANSACTION =
  'Your program has a transaction open on the database that it gave to plazo. End it, and try again.'

it('an empty database gets the tables, and stays open when plazo closes', async () => {
  const storage = open()
  await openShop(storage.store).placeAndSubmit()
  await storage.close()
  expect(database.open).toBe(true)
  expect(tablesIn(database)).toContain('placements')
  expect(database.prepare('select count(*) from orders').pluck().get()).toBe(1)
})

describe('a refused database', () => {
  it.each([
    ['a table with a name of plazo’s', 'create table orders (id integer)', 'the tables orders'],
    ['a version of its own', 'pragma user_version = 3', 'no tables'],
  ])('with %s stays as it was', (_, sql, contents) => {
    database.exec(sql)
    const before = contentsOf(database)
    expect(() => open()).toThrow(
      `The database belongs to another program: it contains ${contents}.`,
    )
    expect(database.open).toBe(true)
    expect(contentsOf(database)).toEqual(before)
  })

  it('within a transaction keeps its rows', () => {
    database.exec('create table parcels (id integer); begin; insert into parcels values (7)')
    expect(() => open()).toThrow(WITHIN_TRANSACTION)
    database.exec('commit')
    expect(database.prepare('select id from parcels').pluck().all()).toEqual([7])
  })
})

describe('while the program has a transaction open', () => {
  const refused = {
    _tag: 'Left',
    left: { _tag: 'Unavailable', code: 'file_locked', message: WITHIN_TRANSACTION },
  }

  it.each(['commit', 'rollback'] as const)(
    'plazo writes nothing, and the program’s %s is its own',
    async (end) => {
      const storage = open()
      const { store, merchants, keyRotation, erasure, records, clock } = storage
      const shop = openShop(store)
      const orderRef = await shop.place()
      database.exec('create table parcels (id integer)')
      database.exec('begin; insert into parcels values (7)')
      const writes = {
        record: records.add(aRecord()),
        add: merchants.add(aMerchant()),
        change: merchants.change('demo', { name: 'Other' }),
        rotate: merchants.rotateSecret('demo', '0'.repeat(32), 0),
        markInUse: keyRotation.markInUse(),
        reencryptOrders: keyRotation.reencryptOrders(0, 10),
        erase: eraseShopperData({ erasure, clock })(orderRef),
      }
      for (const [name, write] of Object.entries(writes))
        expect(await write(), name).toEqual(refused)
      await expect(shop.submit(orderRef)).rejects.toThrow(WITHIN_TRANSACTION)
      expect(database.inTransaction).toBe(true)
      expect(await store.takesWrites()).toBe(false)
      expect((await shop.read(orderRef)).revision).toBe(1)
      database.exec(end)
      expect(database.prepare('select id from parcels').pluck().all()).toEqual(
        end === 'commit' ? [7] : [],
      )

      expect(await store.takesWrites()).toBe(true)
      await unwrap(merchants.add(aMerchant()))
      await shop.submit(orderRef)
      expect((await shop.read(orderRef)).state.checkout).toBe('verifyingPhone')
      await storage.close()
      expect(database.open).toBe(true)
    },
  )

  it('a write that was started inside a synchronous transaction is made after it', async () => {
    const storage = open()
    const shop = openShop(storage.store)
    database.exec('create table parcels (id integer)')
    const { placing } = database.transaction(() => {
      database.exec('insert into parcels values (7)')
      return { placing: shop.place() }
    })()
    const orderRef = await placing
    expect((await shop.read(orderRef)).placed.orderRef).toBe(orderRef)
    expect(database.prepare('select id from parcels').pluck().all()).toEqual([7])
    await storage.close()
  })
})
