// Events are what merchants integrate with: their bytes, signatures, accepted answers, retries and order. Interface §6,
// contract §6.
import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { Answer, Received } from '../harness/receiver.ts'
import { DEMO, type Json } from '../harness/shop.ts'
import { servedShop } from './served-shop.ts'
import { addressesAt, agreement, requestsAt, stateOf, surnames } from './stages.ts'

const { server, receiver, shop, stages } = await servedShop()

const WEEK = 168 * 3_600
const DENIAL = surnames('denial event')

const eventsAt = (name: string): readonly Received[] => requestsAt(receiver, `/${name}/events`)
const eventNames = (name: string): readonly (string | undefined)[] => eventsAt(name).map(({ fields }) => fields.event)

const denied = async (name: string, answer: Answer, order: Json = {}): Promise<string> => {
  const { events, merchant } = addressesAt(receiver, name)
  receiver.answer(events, answer)
  return stages.settled(DENIAL, { merchant, ...order })
}

const secondsOf = (instants: readonly string[]): readonly number[] =>
  instants.map((instant) => Math.round((Date.parse(instant) - Date.parse(instants[0] ?? '')) / 1000))

describe('an event’s body', () => {
  it('has its parameters in this order, byte for byte', async () => {
    const { merchant } = addressesAt(receiver, 'bytes', { b: 'x y&z=√', a: '', B: 'ñ', event: 'mine', 'ä b': '~*-._' })
    const ref = await stages.settled(DENIAL, {
      merchant,
      merchant_reference: { order_ref_1: 'R 1/ü', order_ref_2: '+2' },
    })
    const [event] = eventsAt('bytes')
    expect(event?.body).toBe(
      `charset=UTF-8&utf8=%E2%88%9A&event=denied&order_ref_1=R+1%2F%C3%BC&order_ref_2=%2B2&order_ref=${ref}` +
        '&m_B=%C3%B1&m_a=&m_b=x+y%26z%3D%E2%88%9A&m_event=mine&m_%C3%A4+b=%7E*-._',
    )
  })

  it('of cancel has its cancellation_request_url', async () => {
    const { merchant } = addressesAt(receiver, 'cancel-body', { z: '1' })
    const ref = await stages.settled({}, { merchant })
    await shop.decide(ref, 'request-cancellation')
    await shop.advance(0)
    const [event] = eventsAt('cancel-body')
    expect([...new URLSearchParams(event?.body)].map(([name]) => name)).toEqual([
      'charset',
      'utf8',
      'event',
      'order_ref_1',
      'order_ref_2',
      'order_ref',
      'cancellation_request_url',
      'm_z',
    ])
    expect(event?.fields.cancellation_request_url).toMatch(new RegExp(`^${server.url}/`))
  })
})

describe('an event’s request', () => {
  it('is a form, signed with the headers of the interface', async () => {
    await denied('headers', { status: 200 })
    const [event] = eventsAt('headers')
    expect(event?.headers).toMatchObject({
      'content-type': expect.stringMatching(/^application\/x-www-form-urlencoded/),
      accept: 'application/json',
      'user-agent': 'Service-Event/1.0',
      'content-length': String(Buffer.byteLength(event?.body ?? '')),
    })
    expect(event?.headers['x-service-signature']).toBe(
      createHmac('sha256', DEMO.secret)
        .update(event?.body ?? '')
        .digest('hex'),
    )
  })

  it('is also signed by Standard Webhooks, over id, timestamp and body', async () => {
    await denied('standard', { status: 200 })
    const [event] = eventsAt('standard')
    const id = String(event?.headers['webhook-id'])
    const timestamp = String(event?.headers['webhook-timestamp'])
    expect(id).toMatch(/\S/)
    expect(Math.abs(Number(timestamp) - Date.now() / 1000)).toBeLessThan(30)
    const signature = createHmac('sha256', Buffer.from(DEMO.secret, 'utf8'))
      .update(`${id}.${timestamp}.${event?.body}`)
      .digest('base64')
    expect(String(event?.headers['webhook-signature']).split(' ')).toEqual([`v1,${signature}`])
  })

  it('keeps the query string of the events URL', async () => {
    const url = `${receiver.url}/queried?shop=1&token=a%20b&m_a=2`
    await stages.settled(DENIAL, { merchant: { events_webhook: { url, parameters: { a: '1' } } } })
    expect(requestsAt(receiver, '/queried').map(({ target }) => target)).toEqual(['/queried?shop=1&token=a%20b&m_a=2'])
  })
})

describe('an informative event', () => {
  it.each([200, 307, 404, 501])('answered %d is accepted', async (status) => {
    await denied(`done-${status}`, { status, headers: { location: `${receiver.url}/done-${status}/elsewhere` } })
    await shop.advance(120)
    expect(eventsAt(`done-${status}`)).toHaveLength(1)
    expect(requestsAt(receiver, `/done-${status}/elsewhere`)).toEqual([])
  })

  it.each([204, 308, 410, 500])('answered %d is retried', async (status) => {
    const name = `again-${status}`
    await denied(name, { status, headers: { location: `${receiver.url}/${name}/elsewhere` } })
    expect(eventsAt(name)).toHaveLength(1)
    await shop.advance(10)
    expect(eventsAt(name)).toHaveLength(2)
    receiver.answer(`/${name}/events`, { status: 200 })
    await shop.advance(300)
    expect(eventsAt(name)).toHaveLength(3)
    expect(requestsAt(receiver, `/${name}/elsewhere`)).toEqual([])
  })

  it('is sent 24 times over exactly a week, with one Webhook-Id and one body', async () => {
    const ref = await denied('week', { status: 500 })
    const instants: string[] = []
    const { fired } = await shop.advance(WEEK + 3_600)
    for (const { at: instant, order_ref, what } of fired)
      if (order_ref === ref && what === 'event denied') instants.push(instant)
    const requests = eventsAt('week')
    expect(requests).toHaveLength(24)
    expect(new Set(requests.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
    expect(new Set(requests.map(({ body }) => body)).size).toBe(1)
    const spacing = secondsOf(instants)
    expect(spacing.at(-1)).toBe(WEEK - 10)
    expect(spacing.slice(0, 11)).toEqual(
      [10, 60, 300, 900, 1_800, 3_600, 7_200, 14_400, 28_800, 57_600, 86_400].map((slot) => slot - 10),
    )
    await shop.advance(WEEK)
    expect(eventsAt('week')).toHaveLength(24)
  })
})

describe('an order without events_webhook', () => {
  it('sends no events', async () => {
    const before = receiver.received.length
    await stages.settled(DENIAL, { merchant: { events_webhook: undefined } })
    await shop.advance(60)
    expect(receiver.received).toHaveLength(before)
  })
})

describe('the risk of an fp1 order', () => {
  it.each([
    ['lowrisk event', 'low_risk'],
    ['highrisk event', 'high_risk'],
    ['Prueba Ensayo', 'low_risk'],
  ])('of %s is reported once: %s', async (trigger, level) => {
    const name = trigger.replace(' ', '-')
    const { merchant } = addressesAt(receiver, name)
    const ref = await stages.paid(surnames(trigger), { merchant })
    await shop.advance(3_600)
    expect(eventsAt(name).map(({ fields }) => fields.risk_level)).toEqual([level])
    expect(await stateOf(shop, ref)).toEqual({ checkout: 'confirmed', risk: level, cancellation: 'none' })
  })

  it('is reported as under evaluation, and 60 s later as low_risk', async () => {
    const { merchant } = addressesAt(receiver, 'evaluation')
    const ref = await stages.paid(surnames('evaluation event'), { merchant })
    expect(eventsAt('evaluation').map(({ fields }) => fields.risk_level)).toEqual(['under_evaluation'])
    expect(await stateOf(shop, ref)).toMatchObject({ risk: 'under_evaluation' })
    await shop.advance(58)
    expect(eventsAt('evaluation')).toHaveLength(1)
    await shop.advance(2)
    expect(eventsAt('evaluation').map(({ fields }) => fields.risk_level)).toEqual(['under_evaluation', 'low_risk'])
    expect(await stateOf(shop, ref)).toMatchObject({ risk: 'low_risk' })
  })

  it('is not assessed for other products, nor for an order that is not confirmed', async () => {
    const { merchant } = addressesAt(receiver, 'no-risk')
    const { ref, action } = await stages.revealed(
      { ...agreement('sp1', 3), ...surnames('highrisk event') },
      { merchant },
    )
    await shop.pay(action.iframe_url)
    await shop.advance(120)
    expect(await stateOf(shop, ref)).toEqual({ checkout: 'confirmed', risk: 'unassessed', cancellation: 'none' })
    const { ipn, merchant: refusing } = addressesAt(receiver, 'no-risk')
    receiver.answer(ipn, { status: 409 })
    await stages.paid(surnames('highrisk event'), { merchant: refusing })
    await shop.advance(120)
    expect(eventNames('no-risk')).toEqual([])
  })
})
