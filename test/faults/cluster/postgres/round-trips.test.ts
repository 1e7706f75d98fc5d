// Counts the statements that each operation sends. A server far from its database depends on few
// round trips.
import {
  eraseShopper,
  type InternalError,
  type Order,
  type OrderEvent,
  step,
} from '@plazo/core/internal'
import {
  aMerchant,
  CODE,
  HOUR,
  NOON,
  openShop,
  type StoreShop,
  terms,
  unwrap,
} from '@plazo/core/testing/contracts'
import * as E from 'fp-ts/lib/Either.js'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { queryPostgres } from '../../../harness/postgres.ts'
import {
  openPostgresTestStorage,
  type PostgresTestStorage,
} from '../../../harness/postgres-storage.ts'
import { type PausableProxy, pausableProxy } from './pausable-proxy.ts'

const MANY = 50
const REFERENCES: OrderEvent = { type: 'references.given', first: 'A-1', second: null }

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
  proxy.resume()
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

  it('of an order that another node has placed is one read and one write', async () => {
    const orderRef = await openShop(other.store).place()
    expect(await statementsDuring(() => shop.submit(orderRef))).toEqual([READ, WRITE])
  })

  it('of an order that another node has changed writes nothing at first, then reads and decides again', async () => {
    const orderRef = await shop.place()
    await openShop(other.store).submit(orderRef)
    expect(await statementsDuring(() => shop.submit(orderRef, { validation_code: CODE }))).toEqual([
      WRITE,
      READ,
      WRITE,
    ])
    expect((await shop.read(orderRef)).state.checkout).toBe('screening')
  })

  it('with the result of a job that another node caused uses the stored order and not the cached one', async () => {
    const orderRef = await shop.place()
    const elsewhere = openShop(other.store)
    await elsewhere.submit(orderRef)
    await elsewhere.submit(orderRef, { validation_code: CODE })
    const screening = await elsewhere.claimOne(orderRef, 'screening')
    const approved: OrderEvent = {
      type: 'screening.resolved',
      inReplyTo: screening.key,
      outcome: 'approved',
      alternative: null,
    }
    // The order cached here has no such job.
    expect(await statementsDuring(() => shop.completeClaim(screening, approved))).toEqual([
      READ,
      WRITE,
    ])
    expect((await shop.read(orderRef)).state.checkout).toBe('screened')
  })

  it('that is refused decides on the current state, which another node has written', async () => {
    const orderRef = await shop.place()
    const elsewhere = openShop(other.store)
    await elsewhere.submit(orderRef)
    const { revision } = await elsewhere.read(orderRef)
    const refused = await home.store.step<number, null>(orderRef, (order) =>
      E.left(order.revision),
    )()
    expect(refused).toEqual(E.left(revision))
  })

  it('reads first if other nodes have recently changed many orders', async () => {
    const placed = await placeMany()
    const elsewhere = openShop(other.store)
    await Promise.all(placed.map((orderRef) => elsewhere.submit(orderRef)))
    const [first = '', ...others] = placed
    await Promise.all(others.map((orderRef) => shop.submit(orderRef, { validation_code: CODE })))
    expect(await statementsDuring(() => shop.submit(first, { validation_code: CODE }))).toEqual([
      READ,
      WRITE,
    ])
  })

  it('that changes nothing decides on what it has just read', async () => {
    const orderRef = await shop.place()
    expect(
      await statementsDuring(() => shop.applyEvent(orderRef, { type: 'review.approved' })),
    ).toEqual([READ])
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

  it('whose order another node has changed is decided again, and the others remain committed', async () => {
    const placed = await placeMany()
    const moved = placed[MANY / 2] ?? ''
    const decided: string[] = []
    const giveReferences = (orderRef: string): Promise<Order> =>
      unwrap(
        home.store.step<InternalError, Order>(orderRef, (order, referenceIsTaken) => {
          // The write waits at the paused proxy.
          if (decided.length === 0) proxy.pause()
          decided.push(orderRef)
          const result = step(terms)(order, REFERENCES, {
            at: shop.now(),
            random: shop.host.ids.random(),
            referenceIsTaken,
          })
          return E.isLeft(result)
            ? result
            : E.right({ step: result.right, answer: result.right.order })
        }),
      )
    const statements = await statementsDuring(async () => {
      const steps = Promise.all(placed.map(giveReferences))
      while (decided.length < MANY) await new Promise((resolve) => setImmediate(resolve))
      await openShop(other.store).submit(moved)
      proxy.resume()
      await steps
    })
    expect(statements).toEqual([WRITE, READ, WRITE])
    expect(decided).toHaveLength(MANY + 1)
    expect(decided.at(-1)).toBe(moved)
    const events = (await shop.journal(moved)).map(({ event }) => event)
    expect(events.at(-1)).toBe('references.given')
    expect(events.length).toBeGreaterThan(2)
    expect((await shop.journal(placed[0] ?? '')).map(({ event }) => event)).toEqual([
      'order.placed',
      'references.given',
    ])
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

  it('of many orders at once is one statement', async () => {
    const placed = await placeMany()
    expect(await statementsDuring(() => Promise.all(placed.map(shop.read)))).toEqual([READ])
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

  it('reads the payload of a job that was completed before, because this node no longer has it', async () => {
    await shop.submit(await shop.place())
    const action = (await shop.claim()).find(({ lane }) => lane === 'action')
    if (action === undefined) throw new Error('No event is due.')
    await shop.completeClaim(action, null)
    await unwrap(home.store.deliveries.resend('demo', action.key, shop.now()))
    expect(await statementsDuring(() => shop.claim())).toEqual(['jobs-work'])
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
