// An encrypted value must decrypt only at its own place in the database, and a plain value must not
// be accepted in its place.
import { newKeyring } from '@plazo/adapters/internal/encryption'
import { openSqlite } from '@plazo/adapters/sqlite'
import { CODE, openShop, type StoreShop, unwrap } from '@plazo/core/internal/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  type Database,
  openDatabase,
} from '../../../packages/adapters/src/sqlite/schema/database.ts'

const keyring = newKeyring()

/** A store without a cache of what another store wrote. */
const aStoreOn = (database: Database) => openSqlite(':memory:', { database, keyring }).store

const CHANGED = expect.stringContaining(
  'the value was changed, moved, or encrypted under another key',
)
const NO_KEY = expect.stringContaining('the data key was destroyed')

describe('a row', () => {
  let db: Database
  let shop: StoreShop
  let refs: readonly string[]
  beforeEach(async () => {
    db = openDatabase(':memory:')
    shop = openShop(aStoreOn(db))
    refs = [await shop.place(), await shop.place()]
    for (const orderRef of refs) {
      await shop.submit(orderRef)
      await shop.submit(orderRef, { validation_code: CODE })
    }
  })
  afterEach(() => db.close())

  const readOrder = (orderRef: string) => aStoreOn(db).read(orderRef)()
  const readingJournal = (orderRef: string) => aStoreOn(db).journal(orderRef)()

  it.each([
    ['orders', 'id', 'snapshot', NO_KEY],
    ['placements', 'order_id', 'placed', NO_KEY],
    ['data_keys', 'order_id', 'ciphertext', CHANGED],
    ['data_keys', 'order_id', 'tag', NO_KEY],
  ] as const)(
    'exchanged with another order’s cannot be decrypted: %s, %s, %s',
    async (table, id, column, message) => {
      const [first, second] = db
        .prepare(`select ${column} from ${table} order by ${id}`)
        .pluck()
        .all()
      const write = db.prepare(`update ${table} set ${column} = ? where ${id} = ?`)
      write.run(second, 1)
      write.run(first, 2)
      for (const orderRef of refs)
        expect(await readOrder(orderRef)).toMatchObject({ left: { _tag: 'Unavailable', message } })
    },
  )

  it('of the journal cannot be decrypted as another line, nor an old snapshot at a later revision', async () => {
    const [orderRef = ''] = refs
    const [first, second] = db
      .prepare('select seq from journal where order_id = 1 and input is not null')
      .pluck()
      .all()
    db.prepare(
      'update journal set input = (select input from journal where order_id = 1 and seq = ?) where order_id = 1 and seq = ?',
    ).run(first, second)
    expect(await readingJournal(orderRef)).toMatchObject({ left: { message: CHANGED } })
    const old = db.prepare('select snapshot from orders where id = 1').pluck().get()
    await shop.applyEvent(orderRef, { type: 'references.given', first: 'A-1', second: null })
    db.prepare('update orders set snapshot = ? where id = 1').run(old)
    expect(await readOrder(orderRef)).toMatchObject({ left: { message: CHANGED } })
  })

  it('of the outbox that cannot be decrypted becomes stuck, and delays no other', async () => {
    const works = 'select id, work from outbox where lane = ? order by id'
    const [mine, other] = db.prepare<[string], { id: number; work: Buffer }>(works).all('screening')
    db.prepare('update outbox set work = ? where id = ?').run(other?.work, mine?.id)
    db.prepare('update outbox set work = ? where id = ?').run(
      '{"kind":"sms","to":"1","text":"","code":"1"}',
      other?.id,
    )
    const store = aStoreOn(db)
    const claimed = await openShop(store).claim()
    expect(claimed.map(({ lane }) => lane).sort()).toEqual(['action', 'action', 'cards', 'cards'])
    expect(await unwrap(store.stuckJobs())).toMatchObject([
      { key: expect.stringContaining(':screening'), message: NO_KEY },
      {
        key: expect.stringContaining(':screening'),
        message: 'Cannot decrypt: the value is not encrypted.',
      },
    ])
    expect(await openShop(store).claim()).toEqual([])
  })
})
