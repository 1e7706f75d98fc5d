// The sandbox's timeline: what happened to an order with the bodies of its messages, and what will
// happen next. Sandbox rules, Timeline.
import { describe, expect, it } from 'vitest'
import type { Timeline } from '../../packages/server/src/sandbox/protocol.ts'
import { servedAccounts } from '../harness/accounts.ts'
import { CARD, type Shop, shopAt } from '../harness/shop.ts'
import { waitUntil } from '../harness/time.ts'
import { stagesOf } from './stages.ts'

const { server, plazo, add } = await servedAccounts()
const demo = shopAt(server.url)
const madrid = await add('madrid', 'iberia', '--products', 'pp3,i1')

const placeDemo = async (body: object): Promise<string> => {
  const answer = await demo.send('POST', '/sandbox/demo/orders', body)
  expect(answer.status).toBe(201)
  const { order_ref } = (await answer.json()) as { readonly order_ref: string }
  return order_ref
}

const timelineOf = async (orderRef: string): Promise<Timeline> =>
  (await (await demo.send('GET', `/sandbox/demo/orders/${orderRef}/timeline`)).json()) as Timeline

const identify = async (shop: Shop, orderRef: string, product: string): Promise<void> => {
  const agreement = { credit_agreement: { product, instalment_count: product === 'pp3' ? 3 : 1 } }
  await shop.submit(orderRef, agreement)
  await shop.submit(orderRef, { ...agreement, validation_code: '12345' })
  await waitUntil(async () => (await shop.wait(orderRef)).action === 'resume_after_screening')
  await shop.submit(orderRef, agreement)
}

describe('the timeline', () => {
  it('has the requests, the SMS, the answers of providers, the webhooks and the steps of a purchase', async () => {
    const orderRef = await placeDemo({
      product: 'pp3',
      items: [{ name: 'Lamp', total_with_tax: 12_100 }],
    })
    await identify(demo, orderRef, 'pp3')
    await demo.pay((await demo.wait(orderRef)).iframe_url)
    await waitUntil(async () => (await demo.wait(orderRef)).action === 'finish')
    // The risk service is asked once the order is confirmed.
    const isAsked = async () =>
      (await timelineOf(orderRef)).entries.some(({ title }) => title === 'No reason to cancel')
    await waitUntil(isAsked)
    const { order, entries } = await timelineOf(orderRef)
    expect(order).toMatchObject({
      state: { checkout: 'confirmed' },
      product: 'pp3',
      amount: { value: 12_100 },
    })
    const has = (type: string, title: RegExp) =>
      entries.find((entry) => entry.type === type && title.test(entry.title))
    expect(has('request', /^POST \/orders$/)?.details[0]?.content).toContain('Lamp')
    expect(has('request', /^POST …\/identification$/)).toMatchObject({
      text: 'require_validate_otp',
      tone: 'good',
    })
    expect(has('request', /^POST \/sandbox\/pay/)?.details[0]?.content).toContain('•••• 1111')
    expect(has('sms', /600123456/)).toBeDefined()
    expect(has('provider', /screened/)?.details[0]?.content).toContain('approved')
    expect(has('step', /^The shop accepted the IPN$/)).toMatchObject({
      text: 'confirmed',
      names: 'ipn.accepted · checkout: confirming to confirmed',
    })
    // Only a shopper who has paid gets money back, and only a risk service with an advice has
    // answered something.
    expect(has('provider', /^No reason to cancel$/)).toBeDefined()
    const webhook = has('webhook', /IPN/)
    expect(webhook).toMatchObject({ badge: '200', tone: 'good' })
    expect(webhook?.details.find(({ label }) => label === 'Signature')?.content).toMatch(/^valid/)
    const text = JSON.stringify(entries)
    expect(text).not.toContain(CARD.number)
    expect(text).toContain(String.raw`\"cvc\": \"[hidden]\"`)
  })

  it('shows the request that a shop’s server would send in place of the page’s own', async () => {
    const orderRef = await placeDemo({
      product: 'i1',
      items: [{ name: `Card ${CARD.number}`, total_with_tax: 12_100, password: 'hunter2' }],
    })
    await waitUntil(async () =>
      (await timelineOf(orderRef)).entries.some(({ type }) => type === 'request'),
    )
    const { entries } = await timelineOf(orderRef)
    const [request] = entries.filter(({ type }) => type === 'request')
    expect(request).toMatchObject({ title: 'POST /orders', badge: '204', tone: 'good' })
    const [body, answer] = request?.details ?? []
    expect(JSON.parse(answer?.content ?? '')).toEqual({
      location: `${demo.url}/orders/${orderRef}`,
    })
    const text = JSON.stringify(entries)
    for (const secret of ['hunter2', CARD.number]) expect(text).not.toContain(secret)
    // A shop that sends this body places such an order.
    const { order } = JSON.parse(body?.content ?? '') as { readonly order: object }
    const repeated = { order: { ...order, merchant_reference: {} } }
    expect((await demo.asMerchant('POST', '/orders', repeated)).status).toBe(204)
  })
})

it('the erasure of a shopper takes the requests and the answers of providers out of the timeline', async () => {
  const ref = await stagesOf(demo).settled()
  await demo.advance(0)
  const typesOf = async () =>
    [...new Set((await timelineOf(ref)).entries.map(({ type }) => type))].sort()
  expect(await typesOf()).toEqual(['provider', 'request', 'sms', 'step', 'webhook'])
  await plazo.run('orders', 'erase', ref, '--yes')
  const types = await typesOf()
  expect(types).toContain('step')
  expect(types).not.toContain('request')
  expect(types).not.toContain('provider')
})

it('the demo merchant’s orders are listed, the newest first, without those of other merchants', async () => {
  const other = await madrid.place()
  const orderRef = await placeDemo({ product: 'sp1', language: 'es' })
  const answer = await demo.send('GET', '/sandbox/demo/orders')
  const refs = ((await answer.json()) as readonly { order_ref: string }[]).map(
    ({ order_ref }) => order_ref,
  )
  expect(refs[0]).toBe(orderRef)
  expect(refs).not.toContain(other)
  const unknown = await demo.send('POST', '/sandbox/demo/orders', { product: 'zz' })
  expect([unknown.status, await unknown.json()]).toMatchObject([
    400,
    { detail: expect.stringContaining('pp3') },
  ])
})
