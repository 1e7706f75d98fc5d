// Counts the statements that each operation sends. A server far from its database depends on few
// round trips.
import { CODE, openShop, type StoreShop } from '@plazo/core/internal/testing'
import { afterEach, beforeEach, expect, it } from 'vitest'
import {
  openPostgresTestStorage,
  type PostgresTestStorage,
} from '../../../harness/postgres-storage.ts'
import { type PausableProxy, pausableProxy } from './pausable-proxy.ts'

const MANY = 50
// A snapshot has more bytes.
const SNAPSHOT = 500

let other: PostgresTestStorage
let proxy: PausableProxy
let home: PostgresTestStorage
let shop: StoreShop
let queries: string[]

beforeEach(async () => {
  queries = []
  other = await openPostgresTestStorage()
  proxy = await pausableProxy(other.url)
  home = await openPostgresTestStorage({
    url: proxy.url,
    onStatement: (name) => queries.push(name),
  })
  shop = openShop(home.store)
})
afterEach(async () => {
  await home.close()
  await proxy.close()
  await other.close()
})

/** The statements that `run` sends. Reading the clock and notifying other nodes do not count. */
const statementsDuring = async (run: () => Promise<unknown>): Promise<readonly string[]> => {
  queries = []
  await run()
  return queries.filter((name) => name !== 'now' && name !== 'notify')
}

const READ = 'orders-read'
const WRITE = 'orders-write'

it('a step of cached orders is one statement, a write, which concurrent steps share', async () => {
  const refs = await Promise.all(Array.from({ length: MANY }, () => shop.place()))
  const steps = () => Promise.all(refs.map((orderRef) => shop.submit(orderRef)))
  expect(await statementsDuring(steps)).toEqual([WRITE])
})

it('a poll of an unchanged cached order transfers no snapshot', async () => {
  const bytesOf = async (run: () => Promise<unknown>): Promise<number> => {
    const before = proxy.received()
    await run()
    return proxy.received() - before
  }
  const orderRef = await shop.place()
  await shop.submit(orderRef)
  // The first read prepares the statement.
  await shop.read(orderRef)
  const unchanged = await bytesOf(() => shop.read(orderRef))
  await openShop(other.store).submit(orderRef, { validation_code: CODE })
  expect(await bytesOf(() => shop.read(orderRef))).toBeGreaterThan(unchanged + SNAPSHOT)
  expect(await statementsDuring(() => shop.read(orderRef))).toEqual([READ])
})

it('a claim of jobs that this node has committed sends nothing', async () => {
  await shop.claim()
  await shop.submit(await shop.place())
  expect(await statementsDuring(() => shop.claim())).toEqual([])
})
