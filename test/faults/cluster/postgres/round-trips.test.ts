// Counts the statements that each operation sends. A server far from its database depends on few
// round trips.
import { eraseShopper } from '@plazo/core/internal'
import { aMerchant, CODE, HOUR, NOON, openShop, type StoreShop } from '@plazo/core/internal/testing'
import * as E from 'fp-ts/lib/Either.js'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { queryPostgres } from '../../../harness/postgres.ts'
import {
  openPostgresTestStorage,
  type PostgresTestStorage,
} from '../../../harness/postgres-storage.ts'
import { type PausableProxy, pausableProxy } from './pausable-proxy.ts'

const MANY = 50

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

const placeMany = (): Promise<readonly string[]> =>
  Promise.all(Array.from({ length: MANY }, (_, n) => shop.place(aMerchant(`shop-${n}`))))

const READ = 'orders-read'
const WRITE = 'orders-write'

describe('a step', () => {
  it('of a cached order is one statement, a write', async () => {
    const orderRef = await shop.place()
    expect(await statementsDuring(() => shop.submit(orderRef))).toEqual([WRITE])
    expect(await statementsDuring(() => shop.submit(orderRef, { validation_code: CODE }))).toEqual([
      WRITE,
    ])
  })

  it('starts no job of a cached order before it is read again if another node has erased a shopper meanwhile', async () => {
    const [orderRef, ended] = [await shop.place(), await shop.place()]
    const lifetime = (await shop.claim({ at: NOON + 25 * HOUR })).find(
      (entry) => entry.orderRef === ended,
    )
    if (lifetime?.payload.kind !== 'timer') throw new Error('The order has no lifetime.')
    const { key, payload } = lifetime
    await shop.completeClaim(lifetime, {
      type: 'timer.fired',
      inReplyTo: key,
      timer: payload.timer,
    })
    for (const event of await shop.claim({ at: NOON + 25 * HOUR }))
      await shop.completeClaim(event, null)
    const news = new Promise((resolve) => home.store.onCommitted(resolve))
    const erase = other.erasure.erase(ended, (order) => E.right(eraseShopper(order, NOON)))
    expect(await erase()).toEqual(E.right('erased'))
    await news
    expect(await statementsDuring(() => shop.submit(orderRef))).toEqual([WRITE])
    expect(await statementsDuring(() => shop.claim())).toContain(READ)
  })

  it('shares its statements with all concurrent steps', async () => {
    let placed: readonly string[] = []
    const placing = await statementsDuring(async () => {
      placed = await placeMany()
    })
    expect(placing).toEqual([WRITE])
    expect(
      await statementsDuring(() => Promise.all(placed.map((orderRef) => shop.submit(orderRef)))),
    ).toEqual([WRITE])
  })
})

describe('a poll', () => {
  const bytesOf = async (run: () => Promise<unknown>): Promise<number> => {
    const before = proxy.received()
    await run()
    return proxy.received() - before
  }

  it('of an unchanged cached order transfers no snapshot', async () => {
    const orderRef = await shop.place()
    await shop.submit(orderRef)
    const [stored] = await queryPostgres(
      other.url,
      'select min(octet_length(snapshot)) bytes from plazo.snapshots',
    )
    const snapshot = Number(stored?.bytes)
    expect(snapshot).toBeGreaterThan(500)
    // The first read prepares the statement.
    await shop.read(orderRef)
    expect(await statementsDuring(() => shop.read(orderRef))).toEqual([READ])
    expect(await bytesOf(() => shop.read(orderRef))).toBeLessThan(snapshot / 2)
    await openShop(other.store).submit(orderRef, { validation_code: CODE })
    expect(await bytesOf(() => shop.read(orderRef))).toBeGreaterThan(snapshot)
    expect(await bytesOf(() => shop.read(orderRef))).toBeLessThan(snapshot / 2)
  })
})

describe('a claim', () => {
  it('of jobs that this node has committed sends nothing; completing jobs without a step is one statement for all', async () => {
    await shop.claim()
    const placed = await placeMany()
    await Promise.all(placed.map((orderRef) => shop.submit(orderRef)))
    let jobs: Awaited<ReturnType<StoreShop['claim']>> = []
    const claiming = await statementsDuring(async () => {
      jobs = await shop.claim()
    })
    expect(claiming).toEqual([])
    expect(jobs.length).toBeGreaterThanOrEqual(2 * MANY)
    const firsts = [...new Map(jobs.map((entry) => [entry.orderRef, entry])).values()]
    expect(
      await statementsDuring(() =>
        Promise.all(firsts.map((entry) => shop.completeClaim(entry, null))),
      ),
    ).toEqual([WRITE])
  })

  it('of many jobs that another node has created reads them in one statement of each kind', async () => {
    const elsewhere = openShop(other.store)
    for (const ref of ['a', 'b']) await elsewhere.submit(await elsewhere.place(aMerchant(ref)))
    expect(await statementsDuring(() => shop.claim())).toEqual([
      'endpoints-good',
      'jobs-due',
      READ,
      'jobs-work',
    ])
  })
})
