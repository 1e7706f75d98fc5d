// Events are what merchants integrate with: their bytes, signatures, accepted answers, retries and order. Interface §6,
// contract §6.
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import { type Answer, type Received, startReceiver } from '../harness/receiver.ts'
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

  it('sends missing references as empty strings', async () => {
    const ref = await denied('absent', { status: 200 })
    expect(eventsAt('absent')[0]?.body).toBe(
      `charset=UTF-8&utf8=%E2%88%9A&event=denied&order_ref_1=&order_ref_2=&order_ref=${ref}`,
    )
  })

  it('of risk_assessment has its risk_level before the merchant’s own parameters', async () => {
    const { merchant } = addressesAt(receiver, 'risk', { risk_level: 'x' })
    const ref = await stages.paid({}, { merchant })
    expect(eventsAt('risk').map(({ body }) => body)).toEqual([
      `charset=UTF-8&utf8=%E2%88%9A&event=risk_assessment&order_ref_1=&order_ref_2=&order_ref=${ref}` +
        '&risk_level=low_risk&m_risk_level=x',
    ])
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
    const urls: string[] = []
    const listening = createServer((request, response) => {
      urls.push(request.url ?? '')
      response.end()
    }).listen(0, '127.0.0.1')
    await once(listening, 'listening')
    const url = `http://127.0.0.1:${(listening.address() as AddressInfo).port}/events?shop=1&token=a%20b&m_a=2`
    await stages.settled(DENIAL, { merchant: { events_webhook: { url, parameters: { a: '1' } } } })
    expect(urls).toEqual(['/events?shop=1&token=a%20b&m_a=2'])
    listening.close()
    listening.closeAllConnections()
  })
})

describe('an informative event', () => {
  it.each([200, 201, 202, 302, 307, 404, 501])('answered %d is accepted', async (status) => {
    await denied(`done-${status}`, { status, headers: { location: `${receiver.url}/done-${status}/elsewhere` } })
    await shop.advance(120)
    expect(eventsAt(`done-${status}`)).toHaveLength(1)
    expect(requestsAt(receiver, `/done-${status}/elsewhere`)).toEqual([])
  })

  it.each([203, 204, 205, 206, 301, 303, 304, 308, 400, 401, 403, 405, 409, 410, 418, 429, 500, 502, 503])(
    'answered %d is retried',
    async (status) => {
      const name = `again-${status}`
      await denied(name, { status, headers: { location: `${receiver.url}/${name}/elsewhere` } })
      expect(eventsAt(name)).toHaveLength(1)
      await shop.advance(10)
      expect(eventsAt(name)).toHaveLength(2)
      receiver.answer(`/${name}/events`, { status: 200 })
      await shop.advance(300)
      expect(eventsAt(name)).toHaveLength(3)
      expect(requestsAt(receiver, `/${name}/elsewhere`)).toEqual([])
    },
  )

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

  it('is delivered as soon as the merchant’s server listens', async () => {
    const closed = await startReceiver()
    const url = `${closed.url}/late/events`
    await closed.close()
    await stages.settled(DENIAL, { merchant: { events_webhook: { url, parameters: {} } } })
    await shop.advance(30)
    const reopened = await startReceiver()
    try {
      const ref = await stages.settled(DENIAL, { merchant: { events_webhook: { url: `${reopened.url}/late` } } })
      expect(await stateOf(shop, ref)).toMatchObject({ checkout: 'rejected' })
      expect(reopened.received).toHaveLength(1)
    } finally {
      await reopened.close()
    }
  })

  it('waits as long as Retry-After says, in seconds or as a date, and never less than until its slot', async () => {
    await denied('wait-seconds', { status: 503, headers: { 'retry-after': '100' } })
    await shop.advance(90)
    expect(eventsAt('wait-seconds')).toHaveLength(1)
    await shop.advance(12)
    expect(eventsAt('wait-seconds')).toHaveLength(2)

    const { now } = await shop.advance(0)
    const date = new Date(Date.parse(now) + 200_000).toUTCString()
    await denied('wait-date', { status: 503, headers: { 'retry-after': date } })
    await shop.advance(190)
    expect(eventsAt('wait-date')).toHaveLength(1)
    await shop.advance(15)
    expect(eventsAt('wait-date')).toHaveLength(2)

    await denied('wait-less', { status: 503, headers: { 'retry-after': '1' } })
    await shop.advance(5)
    expect(eventsAt('wait-less')).toHaveLength(1)
    await shop.advance(5)
    expect(eventsAt('wait-less')).toHaveLength(2)

    await denied('wait-garbage', { status: 503, headers: { 'retry-after': '-5, or later' } })
    await shop.advance(10)
    expect(eventsAt('wait-garbage')).toHaveLength(2)

    await denied('wait-long', { status: 503, headers: { 'retry-after': '9999999' } })
    await shop.advance(86_000)
    expect(eventsAt('wait-long')).toHaveLength(1)
    await shop.advance(500)
    expect(eventsAt('wait-long')).toHaveLength(2)
  })

  it('with a Retry-After beyond the week is sent one last time after it', async () => {
    const ref = await denied('wait-past', { status: 500 })
    const HOUR = 3_600
    await shop.advance(150 * HOUR)
    const sent = eventsAt('wait-past').length
    receiver.answer('/wait-past/events', { status: 503, headers: { 'retry-after': String(24 * HOUR) } })
    await shop.advance(28 * HOUR)
    // The attempt at 156 h was made; the one at 168 h was postponed.
    expect(eventsAt('wait-past')).toHaveLength(sent + 1)
    await shop.advance(4 * HOUR)
    expect(eventsAt('wait-past')).toHaveLength(sent + 2)
    await shop.advance(WEEK)
    expect(eventsAt('wait-past')).toHaveLength(sent + 2)
    expect(await stateOf(shop, ref)).toMatchObject({ checkout: 'rejected' })
  })

  it('is decided at the status line, even if the body never ends', async () => {
    const { events, merchant } = addressesAt(receiver, 'endless')
    receiver.answer(events, (_, response) => {
      response.writeHead(200)
      response.write('x')
      return null
    })
    await stages.settled(DENIAL, { merchant })
    await shop.advance(60)
    expect(eventsAt('endless')).toHaveLength(1)
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

  it('is reported in order, even if the first report fails', async () => {
    const { events, merchant } = addressesAt(receiver, 'in-order')
    receiver.answer(events, { status: 500 })
    await stages.paid(surnames('evaluation event'), { merchant })
    await shop.advance(120)
    expect(new Set(eventsAt('in-order').map(({ fields }) => fields.risk_level))).toEqual(new Set(['under_evaluation']))
    receiver.answer(events, { status: 200 })
    await shop.advance(300)
    const levels = eventsAt('in-order').map(({ fields }) => fields.risk_level)
    expect(levels.filter((level) => level === 'low_risk')).toHaveLength(1)
    expect(levels.at(-1)).toBe('low_risk')
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

describe('a merchant that hangs', () => {
  it('on its events delays neither its own IPN nor another merchant’s', async () => {
    const hanging = addressesAt(receiver, 'hanging')
    const held: (() => void)[] = []
    receiver.answer(hanging.events, (_, response) => {
      held.push(() => {
        response.writeHead(200)
        response.end()
      })
      return null
    })
    const refs = []
    for (let n = 0; n < 5; n++) refs.push(await stages.screened(DENIAL, { merchant: hanging.merchant }))
    const shopper = await stages.screened({}, { merchant: hanging.merchant })
    await Promise.all(refs.map((ref) => shop.submit(ref, DENIAL)))
    await shop.submit(shopper)
    for (const until = Date.now() + 5_000; Date.now() < until; ) {
      if ((await shop.wait(shopper)).action === 'finish') break
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    expect(await shop.wait(shopper)).toMatchObject({ action: 'finish' })
    // At most four events of one merchant are in flight, and fewer once the first of them has been slow.
    expect(eventsAt('hanging').length).toBeLessThanOrEqual(4)
    for (const until = Date.now() + 5_000; eventsAt('hanging').length < 5 && Date.now() < until; ) {
      for (const release of held.splice(0)) release()
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    for (const release of held.splice(0)) release()
    expect(eventsAt('hanging').length).toBe(5)
  })
})
