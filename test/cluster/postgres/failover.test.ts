// A standby can take over without the last commits. A server must then forget what it remembers of them.
import { openShop, type StoreShop } from '@plazo/core/testing/contracts'
import * as E from 'fp-ts/lib/Either.js'
import pg from 'pg'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openPostgresTestStorage, type PostgresTestStorage } from '../../harness/postgres-storage.ts'
import { type PausableProxy, pausableProxy } from './pausable-proxy.ts'

const TABLES = ['orders', 'snapshots', 'journal', 'outbox']

let other: PostgresTestStorage
let proxy: PausableProxy
let home: PostgresTestStorage
let shop: StoreShop
let client: pg.Client

beforeEach(async () => {
  other = await openPostgresTestStorage()
  proxy = await pausableProxy(other.url)
  home = await openPostgresTestStorage({ url: proxy.url })
  shop = openShop(home.store)
  client = new pg.Client({ connectionString: other.url })
  await client.connect()
})
afterEach(async () => {
  await client.end()
  await home.close()
  await proxy.close()
  await other.close()
})

const onEach = (statement: (table: string) => string): Promise<unknown> => client.query(TABLES.map(statement).join(';'))

/** Afterwards the database is as it was before `run`. */
const loseWrites = async (run: () => Promise<unknown>): Promise<void> => {
  await onEach((table) => `create temporary table ${table} as table plazo.${table}`)
  await run()
  await onEach((table) => `delete from plazo.${table}`)
  await onEach((table) => `insert into plazo.${table} overriding system value table pg_temp.${table}`)
}

it('after its connection has broken, a node makes a step from the order in the database and not from memory', async () => {
  const orderRef = await shop.place()
  await loseWrites(() => shop.submit(orderRef))
  const elsewhere = openShop(other.store)
  const another = await elsewhere.applyEvent(orderRef, { type: 'references.given', first: 'A-1', second: null })
  proxy.disconnect()
  while (E.isLeft(await home.store.nextDueAt()())) await new Promise((resolve) => setImmediate(resolve))
  await shop.applyEvent(orderRef, { type: 'references.given', first: null, second: 'B-1' })
  const after = await elsewhere.read(orderRef)
  expect(after.state).toEqual(another.state)
  expect(after.context.references).toEqual({ first: 'A-1', second: 'B-1' })
  expect((await elsewhere.journal(orderRef)).map(({ seq, event }) => [seq, event])).toEqual([
    [1, 'order.placed'],
    [2, 'references.given'],
    [3, 'references.given'],
  ])
})
