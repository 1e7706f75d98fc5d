// Operators rely on the log: each problem that needs them is logged with an `alert` field to filter
// by. Contract §6.
import { openSqlite } from '@plazo/adapters/sqlite'
import { openShop } from '@plazo/core/internal/testing'
import { expect, it } from 'vitest'
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

it('alerts report a stuck job and a refund that has failed for a week, but neither a lost nor a successful job', async () => {
  const contract = openShop(openSqlite(':memory:').store)
  const messages: Json[] = []
  const log: Log = (alert, fields) => void messages.push({ alert, ...fields })
  const alertCompletion = createAlerts(log)
  const entry = await contract.claimOne(await contract.placeAndSubmit(), 'sms')
  const delivered = { event: null, error: null }
  alertCompletion(entry, delivered, 'delivered')
  alertCompletion(entry, delivered, 'lost')
  expect(messages).toEqual([])
  alertCompletion(entry, delivered, 'stuck')
  const { key, orderRef, merchantRef } = entry
  const stuck = { alert: 'stuck', key, order_ref: orderRef, merchant_ref: merchantRef }
  expect(messages).toEqual([stuck])

  const refund = {
    ...entry,
    payload: { kind: 'refund', payment: 'key' },
  } as unknown as typeof entry
  const failed = { event: null, error: { reason: 'other', message: 'no answer' } } as const
  for (const days of [6, 7]) {
    const startedAt = refund.firstAt + days * DAY * 1000
    alertCompletion({ ...refund, startedAt }, failed, 'retry')
  }
  expect(messages).toMatchObject([stuck, { alert: 'failing' }])
})
