// Rare operations take several statements. A node can stop or lose its database between two of
// them, and another node can act between a statement's time and its locks.
import { eraseShopper } from '@plazo/core/internal'
import { aMerchant, HOUR, openShop, type StoreShop } from '@plazo/core/internal/testing'
import * as E from 'fp-ts/lib/Either.js'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createCipher } from '../../../../packages/adapters/src/encryption/cipher.ts'
import { openConnection } from '../../../../packages/adapters/src/postgres/connection/connection.ts'
import { postgresDialect } from '../../../../packages/adapters/src/postgres/queries/dialect.ts'
import { createRetention } from '../../../../packages/adapters/src/sql/retention.ts'
import { createSealer } from '../../../../packages/adapters/src/store/seal.ts'
import {
  KEYRING,
  openPostgresTestStorage,
  type PostgresTestStorage,
} from '../../../harness/postgres-storage.ts'
import { type PausableProxy, pausableProxy } from './pausable-proxy.ts'

let other: PostgresTestStorage
let proxy: PausableProxy
let home: PostgresTestStorage
let shop: StoreShop
let onStatement: (name: string) => void

beforeEach(async () => {
  onStatement = () => {}
  other = await openPostgresTestStorage()
  proxy = await pausableProxy(other.url)
  home = await openPostgresTestStorage({
    url: proxy.url,
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
const placeConfirmed = async (at = shop): Promise<string> => {
  const orderRef = await at.place(aMerchant('demo', { sendActionEvents: false }))
  await at.leadToConfirmation(orderRef)
  const ipn = await at.claimOne(orderRef, 'ipn')
  await at.completeClaim(ipn, { type: 'ipn.accepted', inReplyTo: ipn.key })
  for (const entry of await at.claim()) await at.completeClaim(entry, null)
  return orderRef
}

const erase = (orderRef: string) =>
  home.erasure.erase(orderRef, (order) => E.right(eraseShopper(order, shop.now())))()

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

describe('a node that stops between two statements', () => {
  it('does not block its orders for the others', async () => {
    const orderRef = await placeConfirmed()
    const stopped = heldAt('')
    const erasing = erase(orderRef)
    await stopped
    // The other node's step waits for a lock that the stopped node cannot release.
    await openShop(other.store).applyEvent(orderRef, { type: 'cancellation.requested' })
    proxy.resume()
    expect(E.isLeft(await erasing)).toBe(true)
    expect(await erase(orderRef)).toMatchObject({ left: { _tag: 'StillPending' } })
  })
})

it('an order that a transaction of the program holds delays only itself', async () => {
  const [held, free] = [await shop.place(), await shop.place()]
  const client = new pg.Client({ connectionString: other.url })
  await client.connect()
  await client.query(`begin; select from plazo.orders where order_ref = '${held}' for update`)
  const ended: string[] = []
  const steps = [held, free].map(async (ref) => {
    await shop.submit(ref)
    ended.push(ref)
    if (ref === free) await client.end()
  })
  await Promise.all(steps)
  expect(ended).toEqual([free, held])
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
    const sealer = createSealer(createCipher(KEYRING))
    const dialect = postgresDialect({ ...connection, transaction }, sealer)
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
