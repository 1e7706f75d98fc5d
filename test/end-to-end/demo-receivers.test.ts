// The demo shop receives for every merchant of a sandbox, and answers as the URL says. Sandbox rules,
// Demo.
import { randomUUID } from 'node:crypto'
import { sign, signStandardWebhook } from '@plazo/adapters/http'
import type { DeliveryView } from '@plazo/core/protocol'
import type { Context } from 'hono'
import { describe, expect, it } from 'vitest'
import { createTroubles } from '../../packages/server/src/sandbox/webhooks/receivers.ts'
import { merchantWords } from '../harness/command-line.ts'
import { DEMO, shopAt } from '../harness/shop.ts'
import { handTimers } from '../harness/time.ts'
import { servedShopOnFile } from './served-shop.ts'

const { server, shop, stages, plazo } = await servedShopOnFile()
await plazo.json(...merchantWords('lamps', { password: 'of-lamps' }))
const lamps = shopAt(server.url, { username: 'lamps', password: 'of-lamps' })
const { signature_secret: lampsSecret } = (await (
  await lamps.asMerchant('GET', '/merchants/lamps/credentials')
).json()) as { readonly signature_secret: string }

const IPN =
  'order_ref=x&order_ref_1=&order_ref_2=&product_code=i1&sq_state=approved&approved_since=1'
const CANCEL =
  'event=cancel&order_ref=x&order_ref_1=&order_ref_2=&cancellation_request_url=https%3A%2F%2Fa'

const post = (path: string, body = IPN, secret = DEMO.secret) => {
  const id = randomUUID()
  const timestamp = Math.floor(Date.now() / 1000)
  return fetch(`${server.url}/demo/${path}`, {
    method: 'POST',
    redirect: 'manual',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      'webhook-id': id,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': signStandardWebhook([secret], { id, timestamp, body }),
    },
    body,
  })
}

describe('the receivers of the demo shop', () => {
  it('accept what is signed rightly, and answer 401 to anything else', async () => {
    expect((await post('notify')).status).toBe(200)
    expect((await post('notify', IPN, '0'.repeat(32))).status).toBe(401)
    expect((await post('notify?answer=unknown', IPN, '0'.repeat(32))).status).toBe(401)
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const unsigned = { method: 'POST', headers, body: IPN }
    expect((await fetch(`${server.url}/demo/notify`, unsigned)).status).toBe(401)
    const byBody = { ...headers, 'x-service-signature': sign(DEMO.secret, IPN) }
    expect(
      (await fetch(`${server.url}/demo/notify`, { ...unsigned, headers: byBody })).status,
    ).toBe(200)
  })

  it('receive for the merchant that the URL names, with that merchant’s secret', async () => {
    expect((await post('notify?merchant=lamps', IPN, lampsSecret)).status).toBe(200)
    expect((await post('notify?merchant=lamps')).status).toBe(401)
    expect((await post('notify?merchant=nobody')).status).toBe(401)
  })

  it.each([
    ['notify?answer=599', IPN, 599, ''],
    ['notify?answer=conflict', IPN, 409, ''],
    ['notify?answer=error', IPN, 500, ''],
    ['notify?answer=redirect', IPN, 302, ''],
    ['events?answer=accept', CANCEL, 200, '{"result":"cancelled"}'],
    ['events?answer=toolate', CANCEL, 200, '{"result":"toolate","late_by":3}'],
    ['events?answer=retry', CANCEL, 200, '{"result":"retry","retry_in":1440}'],
    ['events?answer=unsupported', CANCEL, 501, '{"error'],
  ])('answer as the URL says: %s', async (path, body, status, text) => {
    const answer = await post(path, body)
    expect(answer.status).toBe(status)
    expect(await answer.text()).toContain(text)
  })

  it.each(['199', '600', 'toolate', 'constructor'])(
    'answer 400 to an unknown answer, and name the others: %s',
    async (answer) => {
      const refusal = await post(`notify?answer=${answer}`)
      expect([refusal.status, await refusal.json()]).toEqual([
        400,
        {
          error: `answer must be a status from 200 to 599, or one of accept, conflict, error, error-then-ok, slow, silent, reset, redirect, dripping (got "${answer}").`,
        },
      ])
    },
  )
})

it('an order whose shop fails once is confirmed by the second attempt, although its body has no end', async () => {
  const attemptsAt = async (answer: string) => {
    const notify_url = `${server.url}/demo/notify?answer=${answer}`
    const orderRef = await stages.settled({}, { merchant: { notify_url } })
    await shop.advance(answer === 'dripping' ? 0 : 60)
    const path = `/merchants/demo/deliveries?order_ref=${orderRef}`
    const answered = await shop.asMerchant('GET', path)
    const deliveries = (await answered.json()) as readonly DeliveryView[]
    const ipn = deliveries.find(({ event }) => event === 'ipn')
    return ipn?.attempts.map(({ outcome, status, error }) => [outcome, status, error])
  }
  expect(await attemptsAt('error-then-ok')).toEqual([
    ['error', 500, 'unaccepted_status'],
    ['accepted', 200, null],
  ])
  expect(await attemptsAt('dripping')).toEqual([['accepted', 200, null]])
  expect((await attemptsAt('reset'))?.[0]).toEqual(['error', null, 'connection_reset'])
})

describe('a shop that is slow', () => {
  it.each([
    ['slow', 10_000],
    ['silent', 60_000],
  ])('answers after real time: %s', async (name, millis) => {
    const { timers, move, count } = handTimers()
    const accepted = new Response('ok')
    const answer = createTroubles(timers)[name]?.(accepted, {} as Context, 'a')
    move(millis - 1)
    expect(count()).toBe(1)
    move(1)
    expect(await answer).toBe(accepted)
  })
})
