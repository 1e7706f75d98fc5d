// What is seldom done takes several statements: a node that stops between two of them, or loses its database there; and what
// another does between a statement's instant and its locks.
import type { Store } from '@plazo/core'
import { aMerchant, HOUR, openShop, type Shop } from '@plazo/core/testing/contracts'
import * as E from 'fp-ts/lib/Either.js'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openConnection } from '../../packages/adapters/src/postgres/connection.ts'
import { postgresRetention } from '../../packages/adapters/src/postgres/retention.ts'
import { type APostgresHome, aPostgresHome } from '../support/postgres-home.ts'
import { type PausedWay, pausedWay } from './paused-way.ts'

// The domain's time stands still, and so does this: what is due now is due to the millisecond.
const realNow = () => 0

let other: APostgresHome
let way: PausedWay
let home: APostgresHome
let shop: Shop
let onStatement: (name: string) => void

beforeEach(async () => {
  onStatement = () => {}
  other = await aPostgresHome({ realNow })
  way = await pausedWay(other.url)
  home = await aPostgresHome({ url: way.url, realNow, onStatement: (name) => onStatement(name) })
  shop = openShop(home.store)
})
afterEach(async () => {
  way.letGo()
  await home.close()
  await way.close()
  await other.close()
})

/** An order with a delivery that has ended. */
const delivered = async (): Promise<{ readonly orderRef: string; readonly id: string }> => {
  const orderRef = await shop.place()
  await shop.submit(orderRef)
  const entry = await shop.claimOne(orderRef, 'action')
  await shop.settle(entry, null)
  return { orderRef, id: entry.key }
}

/** An order of which nothing is to come. */
const confirmed = async (): Promise<string> => {
  const orderRef = await shop.place(aMerchant('demo', { sendActionEvents: false }))
  await shop.lead(orderRef)
  const ipn = await shop.claimOne(orderRef, 'ipn')
  await shop.settle(ipn, { type: 'ipn.accepted', answers: ipn.key })
  for (const entry of await shop.claim()) await shop.settle(entry, null)
  return orderRef
}

const once = (statement: string, act: () => void): void => {
  onStatement = (name) => {
    if (name !== statement) return
    onStatement = () => {}
    act()
  }
}

/** Nothing more is sent from that statement on. */
const heldAt = (statement: string): Promise<void> =>
  new Promise((resolve) =>
    once(statement, () => {
      way.hold()
      resolve()
    }),
  )

describe('a node that stops between two statements', () => {
  it('does not keep its orders from the others', async () => {
    const { orderRef, id } = await delivered()
    const stopped = heldAt('deliveries-ask')
    const sending = home.store.deliveries.resend('demo', id, shop.now())()
    await stopped
    // It waits for a lock that nobody is there to give back.
    await openShop(other.store).tell(orderRef, { type: 'references.given', first: 'A-1', second: null })
    way.letGo()
    expect(E.isLeft(await sending)).toBe(true)
    expect(E.isRight(await home.store.deliveries.resend('demo', id, shop.now())())).toBe(true)
    expect((await shop.claimOne(orderRef, 'action')).isResend).toBe(true)
  })
})

describe('a node whose connection breaks between two statements', () => {
  it('says so to whoever asked, and goes on', async () => {
    const { orderRef, id } = await delivered()
    once('deliveries-ask', way.cut)
    expect(await home.store.deliveries.resend('demo', id, shop.now())()).toMatchObject({
      left: { _tag: 'Unavailable' },
    })
    expect(E.isRight(await home.store.deliveries.resend('demo', id, shop.now())())).toBe(true)
    expect((await shop.claimOne(orderRef, 'action')).isResend).toBe(true)
  })
})

describe('what is to be recovered', () => {
  /** A question to the merchant is pending. */
  const asked = async (): Promise<string> => {
    const orderRef = await confirmed()
    await shop.tell(orderRef, { type: 'cancellation.requested' })
    return orderRef
  }

  it.each([
    ['withdrawn', (elsewhere: Shop, orderRef: string) => elsewhere.cancel(orderRef)],
    [
      'answered',
      async (elsewhere: Shop, orderRef: string) => {
        const question = await elsewhere.claimOne(orderRef, 'cancel')
        await elsewhere.settle(question, { type: 'cancel.refused', answers: question.key, lateByMinutes: 3 })
      },
    ],
  ])('and is %s by another node, once this one has looked, is not sent again', async (_, happens) => {
    const orderRef = await asked()
    const elsewhere = openShop(other.store)
    const held = heldAt('deliveries-lock')
    const request = { merchantRef: 'demo', since: 0, at: shop.now(), after: 0, limit: 100 }
    const recovering = home.store.deliveries.recover(request)()
    await held
    await happens(elsewhere, orderRef)
    way.letGo()
    expect(await recovering).toEqual(E.right({ count: 0, next: null }))
    expect(await elsewhere.claim({ work: 0 })).toEqual([])
  })
})

describe('a delivery that is asked for again while old ones are dropped', () => {
  const LOCK = 4_711

  /** Its statement that drops waits, once its instant is taken, until nobody holds the lock. */
  const slowRetention = (url: string) => {
    const connection = openConnection(url, { connections: 1 })
    const query: typeof connection.query = ({ name, text }, ...values) =>
      connection.query(
        { name, text: text.replace('n.version from unnest', `n.version, pg_advisory_xact_lock(${LOCK}) from unnest`) },
        ...values,
      )
    return { retention: postgresRetention({ ...connection, query }), close: connection.close }
  }

  it('stays, and is sent', async () => {
    const { orderRef, id } = await delivered()
    const holder = new pg.Client({ connectionString: other.url })
    await holder.connect()
    await holder.query(`select pg_advisory_lock(${LOCK})`)
    const { retention, close } = slowRetention(other.url)
    const dropping = retention.dropDeliveries({ before: shop.now() + HOUR, after: 0, rows: 100 })()
    const isWaitedFor = async (): Promise<boolean> =>
      (await holder.query(`select from pg_locks where locktype = 'advisory' and not granted`)).rowCount === 1
    while (!(await isWaitedFor())) await new Promise((resolve) => setImmediate(resolve))
    expect(E.isRight(await home.store.deliveries.resend('demo', id, shop.now())())).toBe(true)
    await holder.query(`select pg_advisory_unlock(${LOCK})`)
    expect(await dropping).toMatchObject({ right: { count: 0 } })
    expect((await shop.claimOne(orderRef, 'action')).isResend).toBe(true)
    await holder.end()
    await close()
  })
})

describe('a journal that is old', () => {
  const drop = (store: Store, before: number) => store.retention.dropJournals({ before, after: 0, rows: 100 })()

  /** What the dropping answers whose look comes first. */
  const droppedBehind = async (happens: (before: number) => Promise<unknown>) => {
    const before = shop.now() + 1
    const held = heldAt('retention-drop-journals')
    const dropping = drop(home.store, before)
    await held
    await happens(before)
    way.letGo()
    return dropping
  }

  it('stays where another node tells of the order once this one has looked', async () => {
    const orderRef = await confirmed()
    const elsewhere = openShop(other.store)
    const dropped = await droppedBehind(() => elsewhere.tell(orderRef, { type: 'cancellation.requested' }))
    expect(dropped).toEqual(E.right({ count: 0, next: null }))
    const events = (await elsewhere.journal(orderRef)).map(({ event }) => event)
    expect([events[0], events.at(-1)]).toEqual(['order.placed', 'cancellation.requested'])
  })

  it('is counted by the node alone that drops it', async () => {
    await confirmed()
    const dropped = await droppedBehind(async (before) => {
      expect(await drop(other.store, before)).toEqual(E.right({ count: 1, next: null }))
    })
    expect(dropped).toEqual(E.right({ count: 0, next: null }))
  })
})

describe('a database that is there and does not answer', () => {
  it('is told of to whoever asks, and asked anew on another connection', async () => {
    const impatient = await aPostgresHome({ url: way.url, answerWithin: 300 })
    const hers = openShop(impatient.store)
    const orderRef = await hers.place()
    way.hold()
    expect(await impatient.store.read(orderRef)()).toEqual(
      E.left({ _tag: 'Unavailable', message: expect.stringContaining('has not answered for 0.3 s') }),
    )
    way.letGo()
    expect((await hers.read(orderRef)).placed.orderRef).toBe(orderRef)
    await impatient.close()
  })
})
