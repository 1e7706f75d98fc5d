// Operators rely on the log: each problem that needs them is logged with an `alert` field to filter
// by. Contract §6.
import { openSqlite } from '@plazo/adapters/sqlite'
import { openShop, unwrap } from '@plazo/core/testing/contracts'
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { createAlerts } from '../../packages/server/src/background/alerts.ts'
import type { Log } from '../../packages/server/src/log/log.ts'
import type { Json } from '../harness/shop.ts'
import { waitUntil } from '../harness/time.ts'
import { servedShop } from './served-shop.ts'
import { addressesAt, surnames } from './stages.ts'

const DAY = 86_400
const ERROR = 50

const { server, receiver, shop, stages } = await servedShop({ LOG_LEVEL: 'warn' })

it('an alert reports a delivery that was given up, once', async () => {
  const { events, merchant } = addressesAt(receiver, 'given-up')
  receiver.answer(events, { status: 500 })
  const ref = await stages.settled(surnames('denial event'), { merchant })
  await shop.advance(7 * DAY)
  const alerts = () =>
    server
      .output()
      .split('\n')
      .flatMap((line) => (line.includes('"alert"') ? [JSON.parse(line) as Json] : []))
  await waitUntil(() => alerts().length > 0)
  expect(alerts()).toEqual([
    expect.objectContaining({
      level: ERROR,
      alert: 'exhausted',
      order_ref: ref,
      key: expect.stringMatching(new RegExp(`^${ref}:\\d+:notice$`)),
      msg: 'gave up after the last attempt: answered 500',
    }),
  ])
})

describe('alerts', () => {
  const openSetting = async () => {
    const contract = openShop(openSqlite(':memory:').store)
    const messages: Json[] = []
    const log: Log = (alert, fields) => void messages.push({ alert, ...fields })
    const orderRef = await contract.place()
    await contract.submit(orderRef)
    return {
      contract,
      said: messages,
      alertCompletion: createAlerts(log),
      entry: await contract.claimOne(orderRef, 'sms'),
    }
  }
  const delivered = { event: null, error: null }

  it('report a stuck job, but neither a lost nor a successful one', async () => {
    const { contract, said, alertCompletion, entry } = await openSetting()
    alertCompletion(entry, delivered, 'delivered')
    alertCompletion(entry, delivered, 'lost')
    expect(said).toEqual([])
    const settled = await unwrap(
      contract.store.complete(entry, {
        result: { type: 'finished', status: 'delivered' },
        decide: () => E.left({ message: 'a fault of ours' }),
      }),
    )
    alertCompletion(entry, delivered, settled)
    const { key, orderRef, merchantRef } = entry
    expect(said).toEqual([{ alert: 'stuck', key, order_ref: orderRef, merchant_ref: merchantRef }])
  })

  it('report a refund that has failed for a week, while retries continue', async () => {
    const { said, alertCompletion, entry } = await openSetting()
    const refund = {
      ...entry,
      payload: { kind: 'refund', payment: 'key' },
    } as unknown as typeof entry
    const failed = { event: null, error: { reason: 'other', message: 'no answer' } } as const
    alertCompletion({ ...refund, startedAt: refund.firstAt + 6 * DAY * 1000 }, failed, 'retry')
    expect(said).toEqual([])
    alertCompletion({ ...refund, startedAt: refund.firstAt + 7 * DAY * 1000 }, failed, 'retry')
    expect(said).toMatchObject([{ alert: 'failing' }])
  })
})
