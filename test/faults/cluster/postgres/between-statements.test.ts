// Rare operations take several statements. A node can stop or lose its database between two of
// them, another node can act between a statement's time and its locks, and a standby can take over.
import type { Job } from '@plazo/core/ports'
import { aMerchant, HOUR, openShop, type StoreShop } from '@plazo/core/testing/contracts'
import * as E from 'fp-ts/lib/Either.js'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createCipher } from '../../../../packages/adapters/src/encryption/cipher.ts'
import { openConnection } from '../../../../packages/adapters/src/postgres/connection/connection.ts'
import { postgresDataKeys } from '../../../../packages/adapters/src/postgres/encryption/data-keys.ts'
import { postgresDialect } from '../../../../packages/adapters/src/postgres/queries/dialect.ts'
import { createRetention } from '../../../../packages/adapters/src/sql/retention.ts'
import {
  KEYRING,
  openPostgresTestStorage,
  type PostgresTestStorage,
} from '../../../harness/postgres-storage.ts'
import { type PausableProxy, pausableProxy } from './pausable-proxy.ts'

// Domain time stands still in these tests, so real time does too: jobs are due to the millisecond.
const realNow = () => 0

let other: PostgresTestStorage
let proxy: PausableProxy
let home: PostgresTestStorage
let shop: StoreShop
let onStatement: (name: string) => void

beforeEach(async () => {
  onStatement = () => {}
  other = await openPostgresTestStorage({ realNow })
  proxy = await pausableProxy(other.url)
  home = await openPostgresTestStorage({
    url: proxy.url,
    realNow,
    onStatement: (name) => onStatement(name),
  })
  shop = openShop(home.store)
})
afterEach(async () => {
  proxy.resume()
  await home.close()
  await proxy.close()
  await other.close()
})

/** An order with a finished delivery. */
const addDelivered = async (): Promise<{ readonly orderRef: string; readonly id: string }> => {
  const orderRef = await shop.place()
  await shop.submit(orderRef)
  const entry = await shop.claimOne(orderRef, 'action')
  await shop.completeClaim(entry, null)
  return { orderRef, id: entry.key }
}

/** An order with no pending jobs. */
const placeConfirmed = async (): Promise<string> => {
  const orderRef = await shop.place(aMerchant('demo', { sendActionEvents: false }))
  await shop.leadToConfirmation(orderRef)
  const ipn = await shop.claimOne(orderRef, 'ipn')
  await shop.completeClaim(ipn, { type: 'ipn.accepted', inReplyTo: ipn.key })
  for (const entry of await shop.claim()) await shop.completeClaim(entry, null)
  return orderRef
}

const runOnceAt = (statement: string, act: () => void): void => {
  onStatement = (name) => {
    if (name !== statement) return
    onStatement = () => {}
    act()
  }
}

/** Sends nothing more from this statement on. */
const heldAt = (statement: string): Promise<void> =>
  new Promise((resolve) =>
    runOnceAt(statement, () => {
      proxy.pause()
      resolve()
    }),
  )

describe('a claim whose payloads the database does not return', () => {
  it('runs the other jobs and gives those back; the next claim reports the error, and the one after it takes them', async () => {
    const [overrides, foreign] = [await shop.place(), await shop.place()]
    await shop.submit(overrides)
    // Another node creates these jobs, so this node must read their payloads.
    await openShop(other.store).submit(foreign)
    runOnceAt('outbox-payloads', () => {
      throw new Error('terminating connection due to administrator command')
    })
    const lanesOf = (jobs: readonly Job[]): readonly string[] =>
      jobs.map(({ orderRef, lane, attempt }) => `${orderRef} ${lane} ${attempt}`).sort()
    expect(lanesOf(await shop.claim())).toEqual([`${overrides} action 1`, `${overrides} sms 1`])
    await expect(shop.claim()).rejects.toThrow('terminating connection')
    expect(lanesOf(await shop.claim())).toEqual([`${foreign} action 1`, `${foreign} sms 1`])
  })
})

describe('a node that stops between two statements', () => {
  it('does not block its orders for the others', async () => {
    const { orderRef, id } = await addDelivered()
    const stopped = heldAt('deliveries-expedite')
    const sending = home.store.deliveries.resend('demo', id, shop.now())()
    await stopped
    // The other node's step waits for a lock that the stopped node cannot release.
    await openShop(other.store).applyEvent(orderRef, {
      type: 'references.given',
      first: 'A-1',
      second: null,
    })
    proxy.resume()
    expect(E.isLeft(await sending)).toBe(true)
    expect(E.isRight(await home.store.deliveries.resend('demo', id, shop.now())())).toBe(true)
    expect((await shop.claimOne(orderRef, 'action')).isResend).toBe(true)
  })
})

describe('a node whose connection breaks between two statements', () => {
  it('returns an error to the caller, and continues', async () => {
    const { orderRef, id } = await addDelivered()
    runOnceAt('deliveries-expedite', proxy.disconnect)
    expect(await home.store.deliveries.resend('demo', id, shop.now())()).toMatchObject({
      left: { _tag: 'Unavailable' },
    })
    expect(E.isRight(await home.store.deliveries.resend('demo', id, shop.now())())).toBe(true)
    expect((await shop.claimOne(orderRef, 'action')).isResend).toBe(true)
  })
})

describe('a delivery to recover', () => {
  /** An order with a pending cancel request to its merchant. */
  const startCancellation = async (): Promise<string> => {
    const orderRef = await placeConfirmed()
    await shop.applyEvent(orderRef, { type: 'cancellation.requested' })
    return orderRef
  }

  it.each([
    ['revoked', (elsewhere: StoreShop, orderRef: string) => elsewhere.cancel(orderRef)],
    [
      'answered',
      async (elsewhere: StoreShop, orderRef: string) => {
        const question = await elsewhere.claimOne(orderRef, 'cancel')
        await elsewhere.completeClaim(question, {
          type: 'cancel.refused',
          inReplyTo: question.key,
          lateByMinutes: 3,
        })
      },
    ],
  ])(
    'that is %s by another node after this one has read it is not sent again',
    async (_, happens) => {
      const orderRef = await startCancellation()
      const elsewhere = openShop(other.store)
      const pause = heldAt('deliveries-lock')
      const request = { merchantRef: 'demo', since: 0, at: shop.now(), after: 0, limit: 100 }
      const recovering = home.store.deliveries.recover(request)()
      await pause
      await happens(elsewhere, orderRef)
      proxy.resume()
      expect(await recovering).toEqual(E.right({ count: 0, next: null }))
      expect(await elsewhere.claim({ internal: 0 })).toEqual([])
    },
  )
})

describe('a delivery that is resent while old deliveries are deleted', () => {
  /** Has read what is old, and waits for `gate` before it locks the orders. */
  const slowRetention = (url: string, gate: Promise<unknown>, onReached: () => void) => {
    const connection = openConnection(url, { connections: 1 })
    const transaction: typeof connection.transaction = (run) =>
      connection.transaction((query) =>
        run(async (statement, ...values) => {
          if (statement.text.includes('for update')) {
            onReached()
            await gate
          }
          return query(statement, ...values)
        }),
      )
    const dataKeys = postgresDataKeys(createCipher(KEYRING))
    const dialect = postgresDialect({ ...connection, transaction }, dataKeys)
    return { retention: createRetention(dialect), close: connection.close }
  }

  it('is kept, and is sent', async () => {
    const { orderRef, id } = await addDelivered()
    const [gate, reached] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const { retention, close } = slowRetention(other.url, gate.promise, reached.resolve)
    const dropping = retention.dropDeliveries({ before: shop.now() + HOUR, after: 0, rows: 100 })()
    await reached.promise
    expect(E.isRight(await home.store.deliveries.resend('demo', id, shop.now())())).toBe(true)
    gate.resolve()
    expect(await dropping).toMatchObject({ right: { count: 0 } })
    expect((await shop.claimOne(orderRef, 'action')).isResend).toBe(true)
    await close()
  })
})

describe('a database that does not answer', () => {
  it('is reported to the caller, and the next query uses another connection', async () => {
    const impatient = await openPostgresTestStorage({ url: proxy.url, silenceTimeout: 1_000 })
    const impatientShop = openShop(impatient.store)
    const orderRef = await impatientShop.place()
    proxy.pause()
    expect(await impatient.store.read(orderRef)()).toEqual(
      E.left({
        _tag: 'Unavailable',
        code: 'no_answer',
        message: expect.stringContaining('has not answered for 1 s'),
      }),
    )
    proxy.resume()
    expect((await impatientShop.read(orderRef)).placed.orderRef).toBe(orderRef)
    await impatient.close()
  })
})

describe('a standby that takes over without the last commits', () => {
  /** Afterwards the database is as it was before `run`. */
  const loseWrites = async (run: () => Promise<unknown>): Promise<void> => {
    const client = new pg.Client({ connectionString: other.url })
    await client.connect()
    const onEach = (statement: (table: string) => string): Promise<unknown> =>
      client.query(['orders', 'snapshots', 'journal', 'outbox'].map(statement).join(';'))
    await onEach((table) => `create temporary table ${table} as table plazo.${table}`)
    await run()
    await onEach((table) => `delete from plazo.${table}`)
    await onEach(
      (table) => `insert into plazo.${table} overriding system value table pg_temp.${table}`,
    )
    await client.end()
  }

  it('makes a node whose connection has broken step from the order in the database and not from memory', async () => {
    const orderRef = await shop.place()
    await loseWrites(() => shop.submit(orderRef))
    const elsewhere = openShop(other.store)
    const another = await elsewhere.applyEvent(orderRef, {
      type: 'references.given',
      first: 'A-1',
      second: null,
    })
    proxy.disconnect()
    while (E.isLeft(await home.store.nextDueAt()()))
      await new Promise((resolve) => setImmediate(resolve))
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
})
