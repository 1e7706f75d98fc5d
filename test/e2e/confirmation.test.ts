// An order is confirmed only through the IPN or the merchant's PUT. These tests cover both and the retry schedule. Contract §5,
// §6.
import { createHmac } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { describe, expect, it } from 'vitest'
import { DEMO, type Json } from '../harness/shop.ts'
import { servedShop } from './served-shop.ts'
import { addressesAt, agreement, checkoutOf, countEvents, requestsAt, stateOf, surnames } from './stages.ts'

const { receiver, shop, stages, answering } = await servedShop()

const HOUR = 3_600
const REVIEW = surnames('review event')

const ipns = (name: string) => requestsAt(receiver, `/${name}/ipn`)

/** Runs `act` while the IPN is in flight. The IPN is answered only afterwards. */
const during = (name: string, act: () => Promise<void>, status: number) => {
  const { ipn, merchant } = addressesAt(receiver, name)
  receiver.answer(ipn, (_, response: ServerResponse) => {
    void act().then(() => {
      response.writeHead(status)
      response.end()
    })
    return null
  })
  return { merchant }
}

describe('the IPN', () => {
  it('carries its parameters in this order, then the shop’s parameters under their own names', async () => {
    const { merchant } = addressesAt(receiver, 'fields')
    const ref = await stages.settled(agreement('i1'), {
      merchant: { ...merchant, notification_parameters: { zeta: 'a b&c', alpha: 'ñ√', m_x: '' } },
      merchant_reference: { order_ref_1: 'A/1 ü', order_ref_2: 'B 2' },
    })
    const [ipn] = ipns('fields')
    expect(ipn?.body).toBe(
      `order_ref=${ref}&order_ref_1=A%2F1+%C3%BC&order_ref_2=B+2&product_code=i1&sq_state=approved&approved_since=0` +
        '&zeta=a+b%26c&alpha=%C3%B1%E2%88%9A&m_x=',
    )
    expect(ipn?.headers).toMatchObject({
      'content-type': expect.stringMatching(/^application\/x-www-form-urlencoded/),
      accept: 'application/json',
      'user-agent': 'Service-Event/1.0',
    })
  })

  it('carries both signatures', async () => {
    const { merchant } = addressesAt(receiver, 'signed')
    await stages.settled({}, { merchant })
    const [ipn] = ipns('signed')
    const { body = '', headers = {} } = ipn ?? {}
    expect(headers['x-service-signature']).toBe(createHmac('sha256', DEMO.secret).update(body).digest('hex'))
    const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`
    expect(headers['webhook-signature']).toBe(`v1,${createHmac('sha256', DEMO.secret).update(signed).digest('base64')}`)
  })

  it('counts approved_since from the choice of an alternative, because that choice approves the order', async () => {
    const { merchant } = addressesAt(receiver, 'chosen')
    const { ref } = await stages.revealed(surnames('alternative event'), { merchant })
    await shop.advance(40)
    await shop.submit(ref, { ...surnames('alternative event'), ...agreement('i1') })
    await shop.advance(0)
    expect(Number(ipns('chosen')[0]?.fields.approved_since)).toBeLessThan(3)
  })

  it('sends the whole seconds between outcome and IPN in approved_since, unchanged over all retries', async () => {
    const { ref, action } = await stages.revealed(agreement('fp1'), answering('since', 500))
    await shop.advance(40)
    await shop.pay(action.iframe_url)
    await shop.advance(60)
    const bodies = ipns('since').map(({ body }) => body)
    expect(bodies.length).toBeGreaterThanOrEqual(3)
    expect(new Set(bodies).size).toBe(1)
    const since = Number(ipns('since')[0]?.fields.approved_since)
    expect(since).toBeGreaterThanOrEqual(40)
    expect(since).toBeLessThanOrEqual(42)
    expect(new Set(ipns('since').map(({ headers }) => headers['webhook-id'])).size).toBe(1)
    expect(await checkoutOf(shop, ref)).toBe('confirming')
  })

  it.each([200, 204])('answered %d confirms', async (status) => {
    const ref = await stages.settled({}, answering(`ok-${status}`, status))
    expect(await stateOf(shop, ref)).toEqual({ checkout: 'confirmed', risk: 'unassessed', cancellation: 'none' })
    expect(ipns(`ok-${status}`)).toHaveLength(1)
  })

  it.each([409, 410])('answered %d is the conflict, and is not retried', async (status) => {
    const ref = await stages.settled({}, answering(`conflict-${status}`, status))
    await shop.advance(HOUR)
    expect(await checkoutOf(shop, ref)).toBe('conflicted')
    expect(ipns(`conflict-${status}`)).toHaveLength(1)
    expect((await shop.put(ref, { state: 'confirmed' })).status).toBe(409)
  })

  it.each([302, 404, 503])('answered %d is retried, and no redirect is followed', async (status) => {
    const name = `again-${status}`
    const { ipn, merchant } = addressesAt(receiver, name)
    receiver.answer(ipn, { status, headers: { location: `${receiver.url}/${name}/elsewhere` } })
    const ref = await stages.settled({}, { merchant })
    expect(await shop.wait(ref)).toEqual({ action: 'wait_for_confirmation' })
    expect(ipns(name)).toHaveLength(1)
    receiver.answer(ipn, { status: 200 })
    await shop.advance(10)
    expect(await checkoutOf(shop, ref)).toBe('confirmed')
    expect(ipns(name)).toHaveLength(2)
    expect(requestsAt(receiver, `/${name}/elsewhere`)).toEqual([])
  })
})

describe('a PUT of the merchant', () => {
  it('succeeds while the IPN is in flight, even twice, and the IPN’s answer decides', async () => {
    const name = 'put-during'
    const statuses: number[] = []
    let ref = ''
    const order = during(
      name,
      async () => {
        for (const state of ['confirmed', 'confirmed', 'on_hold'])
          statuses.push((await shop.put(ref, { state })).status)
        expect(await shop.wait(ref)).toEqual({ action: 'wait_for_confirmation' })
      },
      200,
    )
    ref = await stages.screened({}, order)
    await shop.submit(ref)
    await shop.advance(0)
    expect(statuses).toEqual([200, 200, 409])
    expect(await checkoutOf(shop, ref)).toBe('confirmed')
    expect(ipns(name)).toHaveLength(1)
  })

  it.each([
    [500, 'confirmed'],
    [404, 'confirmed'],
    [409, 'conflicted'],
    [410, 'conflicted'],
  ])('sent while the IPN is in flight, which is then answered %d: %s', async (status, expected) => {
    const name = `put-${status}`
    let ref = ''
    ref = await stages.screened(
      {},
      during(name, async () => void (await shop.put(ref, { state: 'confirmed' })), status),
    )
    await shop.submit(ref)
    await shop.advance(0)
    expect(await checkoutOf(shop, ref)).toBe(expected)
    await shop.advance(HOUR)
    expect(ipns(name)).toHaveLength(1)
  })

  it('sent between attempts makes the next attempt due at once, and its answer decides', async () => {
    for (const [status, expected] of [
      [200, 'confirmed'],
      [500, 'confirmed'],
      [409, 'conflicted'],
    ] as const) {
      const name = `between-${status}`
      const ref = await stages.settled({}, answering(name, 500))
      receiver.answer(`/${name}/ipn`, { status })
      const answer = await shop.put(ref, { state: 'confirmed' })
      expect(answer.status).toBe(200)
      await shop.advance(0)
      expect(ipns(name), name).toHaveLength(2)
      expect(await checkoutOf(shop, ref), name).toBe(expected)
    }
  })

  it('alone confirms an order without a notify_url, and a repeated PUT is also 200', async () => {
    const ref = await stages.settled({}, { merchant: { notify_url: '' } })
    expect(await shop.wait(ref)).toEqual({ action: 'wait_for_confirmation' })
    expect((await shop.put(ref, { state: 'on_hold' })).status).toBe(409)
    const answer = await shop.put(ref, { state: 'confirmed' })
    expect(answer.status).toBe(200)
    expect(await shop.wait(ref)).toMatchObject({ action: 'finish' })
    const before = await shop.history(ref)
    expect((await shop.put(ref, { state: 'confirmed' })).status).toBe(200)
    expect(await shop.history(ref)).toEqual(before)
  })

  it('alone puts an order without a notify_url on hold', async () => {
    const ref = await stages.settled(REVIEW, { merchant: { notify_url: null } })
    expect(await shop.wait(ref)).toEqual({ action: 'wait_for_on_hold' })
    expect((await shop.put(ref, { state: 'confirmed' })).status).toBe(409)
    expect((await shop.put(ref, { state: 'on_hold' })).status).toBe(200)
    expect((await shop.put(ref, { state: 'on_hold' })).status).toBe(200)
    expect(await shop.wait(ref)).toMatchObject({ action: 'show_on_hold' })
    await shop.decide(ref, 'approve')
    expect(await shop.wait(ref)).toEqual({ action: 'wait_for_confirmation' })
    expect((await shop.put(ref, { state: 'confirmed' })).status).toBe(200)
    expect(await shop.wait(ref)).toMatchObject({ action: 'finish' })
  })

  it('with a state that is not due is 409 and changes nothing', async () => {
    const refs = [
      await shop.place(),
      await stages.identified(),
      await stages.screened(),
      (await stages.revealed(agreement('fp1'))).ref,
      await stages.settled(surnames('denial event')),
    ]
    for (const ref of refs) {
      await shop.advance(0)
      const before = await shop.history(ref)
      for (const state of ['confirmed', 'on_hold']) {
        const answer = await shop.put(ref, { state })
        expect(answer.status).toBe(409)
        expect(await answer.json()).toEqual({ errors: [expect.stringMatching(/\S/)] })
      }
      expect(await shop.history(ref)).toEqual(before)
    }
    const confirmed = await stages.settled()
    expect((await shop.put(confirmed, { state: 'on_hold' })).status).toBe(409)
  })

  it('with a changed total or currency is 409, and with the same ones 200', async () => {
    const ref = await stages.settled({}, { merchant: { notify_url: '' } })
    for (const cart of [{ order_total_with_tax: 12_000 }, { currency: 'USD' }]) {
      const answer = await shop.put(ref, { state: 'confirmed', cart })
      expect(answer.status).toBe(409)
      expect(await answer.json()).toEqual({ errors: [expect.stringMatching(/\S/)] })
    }
    expect(await checkoutOf(shop, ref)).toBe('confirming')
    const same = { order_total_with_tax: 12_100, currency: 'EUR' }
    expect((await shop.put(ref, { state: 'confirmed', cart: same })).status).toBe(200)
  })

  it('with items that do not add up to the total is 409, with the same sentence as at placing', async () => {
    const ref = await stages.settled({}, { merchant: { notify_url: '' } })
    const items = [{ total_with_tax: 12_000 }, { total_with_tax: 58 }]
    const sentenceOf = (total: number, diff: number): string =>
      `Invalid data: items' total_with_tax add up to 12058 but order_total_with_tax is ${total}. The diff is ${diff}.`
    const errorsOf = async (cart: Json): Promise<unknown> => {
      const answer = await shop.put(ref, { state: 'confirmed', cart })
      expect(answer.status).toBe(409)
      return answer.json()
    }
    expect(await errorsOf({ items })).toEqual({ errors: [sentenceOf(12_100, 42)] })
    expect(await errorsOf({ order_total_with_tax: 12_100, items })).toEqual({ errors: [sentenceOf(12_100, 42)] })
    expect(await errorsOf({ order_total_with_tax: 12_000, currency: 'USD', items })).toEqual({
      errors: [expect.stringContaining('12000'), expect.stringContaining('USD'), sentenceOf(12_000, 58)],
    })
    expect(await checkoutOf(shop, ref)).toBe('confirming')
    expect((await shop.put(ref, { cart: { items: [{ total_with_tax: 1 }, { name: 'A' }] } })).status).toBe(200)
    const right = [...items, { total_with_tax: 42 }]
    expect((await shop.put(ref, { state: 'confirmed', cart: { items: right } })).status).toBe(200)
  })

  it('without a state, or with an empty one, only sets references, in any state', async () => {
    const ref = await shop.place()
    const answer = await shop.put(ref, { state: '', merchant_reference: { order_ref_1: 'early-1' } })
    expect(answer.status).toBe(200)
    expect(await shop.order(ref)).toMatchObject({ order_ref_1: 'early-1', order_ref_2: '' })
    await shop.put(ref, { merchant_reference: { order_ref_2: 'early-2' } })
    expect(await shop.order(ref)).toMatchObject({ order_ref_1: 'early-1', order_ref_2: 'early-2' })
    expect((await shop.put(ref, {})).status).toBe(200)
    expect(await checkoutOf(shop, ref)).toBe('identifying')
  })

  it('repeated fifty times at once takes effect once', async () => {
    const ref = await stages.settled({}, answering('put-fifty', 500))
    receiver.answer('/put-fifty/ipn', { status: 200 })
    const answers = await Promise.all(Array.from({ length: 50 }, () => shop.put(ref, { state: 'confirmed' })))
    expect(answers.map(({ status }) => status)).toEqual(Array(50).fill(200))
    await shop.advance(0)
    expect(await checkoutOf(shop, ref)).toBe('confirmed')
    expect(ipns('put-fifty')).toHaveLength(2)
    expect(await countEvents(shop, ref, 'merchant.confirmed')).toBe(1)
  })

  it('with a reference that is already in use is rejected completely', async () => {
    await stages.settled({}, { merchant_reference: { order_ref_1: 'put-taken' } })
    const ref = await stages.settled({}, { merchant: { notify_url: '' } })
    const answer = await shop.put(ref, { state: 'confirmed', merchant_reference: { order_ref_1: 'put-taken' } })
    expect(answer.status).toBe(409)
    expect(await checkoutOf(shop, ref)).toBe('confirming')
    expect(await shop.order(ref)).toMatchObject({ order_ref_1: '' })
  })

  it('with an unknown state is 409', async () => {
    const ref = await stages.settled({}, { merchant: { notify_url: '' } })
    for (const state of ['CONFIRMED', 'cancelled', 7]) expect((await shop.put(ref, { state })).status).toBe(409)
    expect(await checkoutOf(shop, ref)).toBe('confirming')
  })

  it('for an unknown order is 404, no matter what it contains', async () => {
    const nobody = '00000000-0000-4000-8000-000000000000'
    for (const order of [{}, { state: 7 }, null, { merchant_reference: 'x' }])
      expect((await shop.asMerchant('PUT', `/orders/${nobody}`, { order })).status).toBe(404)
    expect((await shop.asMerchant('PUT', `/orders/${nobody}`, {})).status).toBe(404)
  })

  it('sets the reference that later events carry', async () => {
    const name = 'late-reference'
    let ref = ''
    const order = during(
      name,
      async () =>
        void (await shop.put(ref, {
          state: 'confirmed',
          merchant_reference: { order_ref_1: 'L-1', order_ref_2: 'L-2' },
        })),
      200,
    )
    const { ref: placed, action } = await stages.revealed(agreement('fp1'), order)
    ref = placed
    await shop.pay(action.iframe_url)
    await shop.advance(0)
    expect(ipns(name)[0]?.fields).toMatchObject({ order_ref_1: '', order_ref_2: '' })
    const [risk] = requestsAt(receiver, `/${name}/events`)
    expect(risk?.fields).toMatchObject({ event: 'risk_assessment', order_ref_1: 'L-1', order_ref_2: 'L-2' })
  })
})

describe('an order on hold', () => {
  it('sends an IPN with needs_review and, after its approval, one with approved', async () => {
    const { merchant } = addressesAt(receiver, 'held')
    const ref = await stages.settled(REVIEW, { merchant })
    expect(await shop.wait(ref)).toMatchObject({ action: 'show_on_hold' })
    const [first] = ipns('held')
    expect([...new URLSearchParams(first?.body).keys()]).toEqual([
      'order_ref',
      'order_ref_1',
      'order_ref_2',
      'product_code',
      'sq_state',
      'needs_review_since',
    ])
    expect(first?.fields).toMatchObject({ sq_state: 'needs_review', needs_review_since: '0' })

    await shop.advance(3 * HOUR)
    expect((await shop.decide(ref, 'approve')).status).toBe(200)
    await shop.advance(0)
    expect(await shop.wait(ref)).toMatchObject({ action: 'finish' })
    const [, second] = ipns('held')
    expect(second?.fields).toMatchObject({ sq_state: 'approved', approved_since: '0' })
    expect(second?.headers['webhook-id']).not.toBe(first?.headers['webhook-id'])
    expect(ipns('held')).toHaveLength(2)
    expect(requestsAt(receiver, '/held/events')).toEqual([])
  })

  it('ends in reject when it is rejected, with the event cancelled and without a cancellation', async () => {
    const { merchant } = addressesAt(receiver, 'rejected')
    const ref = await stages.settled(REVIEW, { merchant })
    const answer = await shop.decide(ref, 'reject')
    expect(answer.status).toBe(200)
    expect(await answer.json()).toEqual(await shop.order(ref))
    await shop.advance(0)
    expect(await shop.wait(ref)).toEqual({ action: 'reject' })
    expect(await shop.submit(ref, REVIEW)).toEqual({ action: 'reject' })
    expect(await stateOf(shop, ref)).toEqual({ checkout: 'cancelled', risk: 'unassessed', cancellation: 'none' })
    expect(requestsAt(receiver, '/rejected/events').map(({ fields }) => fields.event)).toEqual(['cancelled'])
    expect(ipns('rejected')).toHaveLength(1)
  })

  it('accepts an operator’s decision only while it is under review', async () => {
    const reviewing = await stages.settled(REVIEW)
    for (const decision of ['cancel', 'request-cancellation'] as const)
      expect((await shop.decide(reviewing, decision)).status).toBe(409)
    const holding = await stages.settled(REVIEW, answering('undecided', 500))
    const confirmed = await stages.settled()
    for (const ref of [holding, confirmed, await shop.place()])
      for (const decision of ['approve', 'reject'] as const) {
        const answer = await shop.decide(ref, decision)
        expect(answer.status).toBe(409)
        expect(answer.headers.get('content-type')).toContain('application/problem+json')
      }
  })

  it('may be put on hold by the merchant during the call, and conflicts like any other order', async () => {
    let ref = ''
    const holding = during('hold-during', async () => void (await shop.put(ref, { state: 'on_hold' })), 500)
    ref = await stages.screened(REVIEW, holding)
    await shop.submit(ref, REVIEW)
    await shop.advance(0)
    expect(await checkoutOf(shop, ref)).toBe('reviewing')
    const conflicted = await stages.settled(REVIEW, answering('hold-conflict', 409))
    expect(await shop.wait(conflicted)).toEqual({ action: 'show_conflict' })
  })
})
