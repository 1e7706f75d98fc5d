// Ports served by an external provider: the sample provider of docs/providers.md, behind a proxy
// that can replace responses. The sandbox around it moves its own clock. Contract §6, Other
// effects; §7.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startServer } from '../harness/running-server.ts'
import { callbacksTo, startSampleProvider } from '../harness/sample-provider.ts'
import { type Action, basic, type Json, shopAt } from '../harness/shop.ts'
import { waitUntil } from '../harness/time.ts'
import type { ProxiedRequest, ReplacementResponse, ResponseOverride } from '../harness/tls-proxy.ts'
import { agreement, checkoutOf, countEvents, stateOf } from './stages.ts'

const KEY = Buffer.alloc(32, 7)
const DAY = 86_400

const provider = await startSampleProvider({ key: KEY, isSecure: false })
const settings = { ...provider.settings, SECRET_KEY: KEY.toString('base64'), LOG_LEVEL: 'silent' }
const server = await startServer({ env: settings })
const shop = shopAt(server.url)
const sendCallback = callbacksTo(server.url, KEY)
afterAll(async () => {
  await server.stop()
  await provider.stop()
})
beforeEach(() => provider.front.override(() => null))

/** The requests about an order, oldest first. */
const requestsFor = (orderRef: string, ask: string): readonly ProxiedRequest[] =>
  provider.front.passed.filter(({ json }) => json.order_ref === orderRef && json.ask === ask)

/** The id of the last request of this kind, once it has arrived. */
const idOf = async (orderRef: string, ask: string): Promise<string> => {
  await waitUntil(() => requestsFor(orderRef, ask).length > 0)
  return String(requestsFor(orderRef, ask).at(-1)?.json.id)
}

/** Answers requests of this kind like this; all others pass. */
const override = (ask: string, how: ResponseOverride): void =>
  provider.front.override((question) => (question.json.ask === ask ? how(question) : null))

const replyLater = (seconds: number): ReplacementResponse => ({
  status: 202,
  body: JSON.stringify({ retry_in_seconds: seconds }),
})
/** The provider postpones its answer for longer than any test runs. */
const noAnswer = replyLater(DAY)

const reaches = (orderRef: string, checkout: string): Promise<void> =>
  waitUntil(async () => (await checkoutOf(shop, orderRef)) === checkout)

/** The code was right, and the provider has received the screening request. */
const submitCode = async (
  total = 12_100,
  product = 'i1',
  person: Json = {},
  order: Json = {},
): Promise<string> => {
  const ref = await shop.place({
    ...order,
    cart: { currency: 'EUR', order_total_with_tax: total, items: [{ total_with_tax: total }] },
  })
  const submission = { ...person, ...agreement(product) }
  await shop.submit(ref, submission)
  await idOf(ref, 'sms.send')
  await shop.submit(ref, {
    ...submission,
    validation_code: requestsFor(ref, 'sms.send').at(-1)?.json.code,
  })
  return ref
}

/** The outcome is known and revealed by the next submission. */
const revealOutcome = async (
  ...[total, product = 'i1', person = {}, order]: Parameters<typeof submitCode>
): Promise<{ readonly ref: string; readonly action: Action }> => {
  const ref = await submitCode(total, product, person, order)
  await reaches(ref, 'screened')
  return { ref, action: await shop.submit(ref, { ...person, ...agreement(product) }) }
}

/** The location that our own address redirects the shopper to, once it is known. */
const followRedirect = async (url: unknown): Promise<string> => {
  let location: string | null = null
  await waitUntil(async () => {
    location = (await fetch(String(url), { redirect: 'manual' })).headers.get('location')
    return location !== null
  })
  return location ?? ''
}

const TAKEN = { status: 200, body: { taken: true } }
const NOT_TAKEN = { status: 200, body: { taken: false } }

describe('an order decided by providers', () => {
  it('reaches its end: a code, a screening answered later, a payment on the provider’s page, its risk', async () => {
    const { ref, action } = await revealOutcome(12_100, 'fp1')
    expect(action.action).toBe('require_payment')
    expect(action.iframe_url).toMatch(`${server.url}/pay/${ref}/`)
    const page = await followRedirect(action.iframe_url)
    expect(page).toMatch(`${provider.front.url}/pay/`)
    await shop.form(page, { result: 'succeeded' })
    await reaches(ref, 'confirmed')
    await waitUntil(async () => (await stateOf(shop, ref)).risk === 'low_risk')
    expect(requestsFor(ref, 'payment.open')[0]?.json).toMatchObject({
      amount: { value: 12_100, currency: 'EUR' },
    })
    expect(await (await fetch(String(action.iframe_url))).text()).toContain(
      'This step is finished.',
    )
    expect(await shop.messages(ref)).toEqual([])
    const data = await shop.send('POST', `/console/orders/${ref}/personal-data`, '', {
      authorization: basic('operator', 'operator'),
      'content-type': 'application/x-www-form-urlencoded',
    })
    expect(await data.text()).not.toContain(page)
  })

  it('asks the shopper to wait while the provider’s page is unknown', async () => {
    override('payment.open', () => noAnswer)
    const { action } = await revealOutcome(12_100, 'fp1')
    const page = await fetch(String(action.iframe_url), { redirect: 'manual' })
    expect([page.status, page.headers.get('refresh')]).toEqual([200, '1'])
    expect(
      (await shop.form(String(action.iframe_url), { number: '4111111111111111' })).status,
    ).toBe(405)
  })
})

describe('a callback', () => {
  it('reports an outcome once: a repeat or a later outcome changes nothing', async () => {
    override('screening.screen', () => noAnswer)
    const ref = await submitCode()
    const id = await idOf(ref, 'screening.screen')
    expect(await sendCallback('screening', { id, outcome: 'review' })).toMatchObject(TAKEN)
    expect(await shop.history(ref)).toContainEqual(
      expect.objectContaining({ event: 'screening.resolved', detail: 'review' }),
    )
    for (const outcome of ['review', 'denied'])
      expect(await sendCallback('screening', { id, outcome })).toMatchObject(NOT_TAKEN)
    expect(await countEvents(shop, ref, 'screening.resolved')).toBe(1)
    await shop.submit(ref)
    await reaches(ref, 'reviewing')
  })
})

describe('an untrusted callback', () => {
  let ref: string
  let right: { readonly id: string; readonly outcome: string }
  beforeAll(async () => {
    override('screening.screen', () => noAnswer)
    ref = await submitCode()
    right = { id: await idOf(ref, 'screening.screen'), outcome: 'approved' }
  })

  const MINUTE = 60_000
  it.each<[string, () => Parameters<typeof sendCallback>]>([
    ['is not signed', () => ['screening', right, { headers: { 'webhook-signature': null } }]],
    ['is signed by another port’s secret', () => ['screening', right, { by: 'risk' }]],
    ['is six minutes old', () => ['screening', right, { at: Date.now() - 6 * MINUTE }]],
    [
      'has another body than was signed',
      () => ['screening', right, { body: JSON.stringify({ ...right, outcome: 'review' }) }],
    ],
  ])('is 401 and changes nothing if it %s', async (_, call) => {
    const answered = await sendCallback(...call())
    expect(answered).toMatchObject({
      status: 401,
      type: 'application/problem+json',
      body: { status: 401 },
    })
    expect(await checkoutOf(shop, ref)).toBe('screening')
  })
})
