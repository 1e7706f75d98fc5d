// The cancel request, and plazo's reaction to each answer of a merchant. Interface §6.1, contract §6, cancel answers.
import { describe, expect, it } from 'vitest'
import type { Answer, Received } from '../harness/receiver.ts'
import type { Json } from '../harness/shop.ts'
import { servedShop } from './served-shop.ts'
import { addressesAt, countEvents, requestsAt, stateOf, surnames } from './stages.ts'

const { receiver, shop, stages } = await servedShop()

const MINUTE = 60
const WEEK = 168 * 3_600

const json = (body: unknown, status = 200, type = 'application/json'): Answer => ({
  status,
  body: typeof body === 'string' ? body : JSON.stringify(body),
  headers: { 'content-type': type },
})

const asked = (name: string): readonly Received[] =>
  requestsAt(receiver, `/${name}/events`).filter(({ fields }) => fields.event === 'cancel')

const cancellationOf = async (ref: string): Promise<string> => (await stateOf(shop, ref)).cancellation

const confirmed = async (name: string, answer: Answer, order: Json = {}): Promise<string> => {
  const { events, merchant } = addressesAt(receiver, name)
  receiver.answer(events, answer)
  return stages.settled({}, { merchant, ...order })
}

/** Confirms an order, then sends its merchant a cancel request. */
const question = async (name: string, answer: Answer, order: Json = {}): Promise<string> => {
  const ref = await confirmed(name, answer, order)
  expect((await shop.decide(ref, 'request-cancellation')).status).toBe(200)
  await shop.advance(0)
  return ref
}

describe('the answer cancelled', () => {
  it.each([200, 501])('with status %d cancels', async (status) => {
    const name = `cancelled-${status}`
    const ref = await question(name, json({ result: 'cancelled' }, status))
    expect(await cancellationOf(ref)).toBe('cancelled')
    expect(await shop.wait(ref)).toMatchObject({ action: 'finish' })
    await shop.advance(3_600)
    expect(asked(name)).toHaveLength(1)
  })

  it('refunds a paid order exactly once', async () => {
    const { events, merchant } = addressesAt(receiver, 'cancelled-paid')
    receiver.answer(events, (request) =>
      request.fields.event === 'cancel' ? (json({ result: 'cancelled' }) as { status: number }) : { status: 200 },
    )
    const ref = await stages.paid({}, { merchant })
    await shop.decide(ref, 'request-cancellation')
    await shop.advance(3_600)
    expect(await cancellationOf(ref)).toBe('cancelled')
    expect(await countEvents(shop, ref, 'payment.refunded')).toBe(1)
  })
})

describe('the answer toolate', () => {
  it.each<[string, Json, number | null]>([
    ['late_by', { late_by: 90 }, 90],
    ['no minutes', {}, null],
  ])('with %s ends the negotiation', async (what, extra, lateBy) => {
    const name = `toolate-${what.replace(/\W/g, '-')}`
    const ref = await question(name, json({ result: 'toolate', ...extra }))
    expect(await shop.order(ref)).toMatchObject({ late_by: lateBy, state: { cancellation: 'too_late' } })
    await shop.advance(3_600)
    expect(asked(name)).toHaveLength(1)
    expect((await shop.decide(ref, 'request-cancellation')).status).toBe(409)
  })

  it('still lets the operator cancel the order', async () => {
    const ref = await question('toolate-operator', json({ result: 'toolate', late_by: 1 }))
    expect((await shop.decide(ref, 'cancel')).status).toBe(200)
    expect(await cancellationOf(ref)).toBe('cancelled')
  })
})

describe('the answer retry', () => {
  it('sends a new request with a new Webhook-Id after retry_in minutes', async () => {
    const ref = await question('retry', json({ result: 'retry', retry_in: 90 }))
    expect(await cancellationOf(ref)).toBe('waiting')
    await shop.advance(90 * MINUTE - 5)
    expect(asked('retry')).toHaveLength(1)
    await shop.advance(5)
    expect(asked('retry')).toHaveLength(2)
    const [first, second] = asked('retry')
    expect(second?.headers['webhook-id']).not.toBe(first?.headers['webhook-id'])
    expect(second?.body).toBe(first?.body)
    receiver.answer('/retry/events', json({ result: 'cancelled' }))
    await shop.advance(90 * MINUTE)
    expect(await cancellationOf(ref)).toBe('cancelled')
    expect(asked('retry')).toHaveLength(3)
  })

  it('delays nothing else', async () => {
    const ref = await question('retry-waiting', json({ result: 'retry', retry_in: 1440 }))
    expect(await cancellationOf(ref)).toBe('waiting')
    const other = await confirmed('retry-waiting', { status: 200 })
    expect(await shop.wait(other)).toMatchObject({ action: 'finish' })
    await shop.decide(ref, 'cancel')
    await shop.advance(1440 * MINUTE)
    expect(asked('retry-waiting')).toHaveLength(1)
  })
})

describe('an invalid answer counts as an error, and the request is repeated', () => {
  it.each<[string, Answer]>([
    ['retry_in 0', json({ result: 'retry', retry_in: 0 })],
    ['no JSON', json('cancelled')],
    ['404', json({ result: 'cancelled' }, 404)],
    ['501 with no JSON', json('not implemented', 501)],
  ])('%s', async (what, answer) => {
    const name = `error-${what.replace(/\W/g, '-')}`
    const ref = await question(name, answer)
    expect(await cancellationOf(ref)).toBe('asking')
    await shop.advance(10)
    expect(asked(name)).toHaveLength(2)
    const [first, second] = asked(name)
    expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id'])
    receiver.answer(`/${name}/events`, json({ result: 'cancelled' }))
    await shop.advance(60)
    expect(await cancellationOf(ref)).toBe('cancelled')
  })
})

describe('a merchant that does not support cancel', () => {
  it('answers 501 with a JSON object without result, and is not asked again', async () => {
    const ref = await question('unsupported', json({ error: 'Unknown event: cancel' }, 501))
    expect(await cancellationOf(ref)).toBe('unsupported')
    await shop.advance(WEEK)
    expect(asked('unsupported')).toHaveLength(1)
    receiver.answer('/unsupported/events', json({ result: 'cancelled' }))
    expect((await shop.decide(ref, 'request-cancellation')).status).toBe(200)
    await shop.advance(0)
    expect(await cancellationOf(ref)).toBe('cancelled')
  })

  it('is also one without events_webhook', async () => {
    const ref = await stages.settled({}, { merchant: { events_webhook: undefined } })
    await shop.decide(ref, 'request-cancellation')
    expect(await cancellationOf(ref)).toBe('unsupported')
    expect((await shop.decide(ref, 'cancel')).status).toBe(200)
  })
})

describe('a cancel request without an answer', () => {
  it('is repeated for a week and becomes unanswered, and may then be sent again', async () => {
    const ref = await question('unanswered', json({}, 500))
    await shop.advance(WEEK - 60)
    expect(await cancellationOf(ref)).toBe('asking')
    expect(asked('unanswered')).toHaveLength(23)
    await shop.advance(120)
    expect(await cancellationOf(ref)).toBe('unanswered')
    expect(asked('unanswered')).toHaveLength(24)
    await shop.advance(WEEK)
    expect(asked('unanswered')).toHaveLength(24)
    receiver.answer('/unanswered/events', json({ result: 'toolate', late_by: 3 }))
    expect((await shop.decide(ref, 'request-cancellation')).status).toBe(200)
    await shop.advance(0)
    expect(await shop.order(ref)).toMatchObject({ late_by: 3, state: { cancellation: 'too_late' } })
    expect(asked('unanswered').at(-1)?.headers['webhook-id']).not.toBe(asked('unanswered')[0]?.headers['webhook-id'])
  })
})

describe('an order cancelled during the negotiation', () => {
  const EMPTY = { order_total_with_tax: 0, items: [] }
  const update = (reference: string) =>
    shop.asMerchant('PUT', `/merchants/demo/orders/${reference}`, {
      order: { merchant: { id: 'demo' }, merchant_reference: {}, shipped_cart: EMPTY, unshipped_cart: EMPTY },
    })

  const ways: readonly (readonly [string, (ref: string, reference: string) => Promise<Response>])[] = [
    ['operator', (ref) => shop.decide(ref, 'cancel')],
    ['Order Update', (_, reference) => update(reference)],
  ]

  const BETWEEN = {
    'two attempts': json({}, 500),
    'a retry answer and its question': json({ result: 'retry', retry_in: 5 }),
  }

  it.each(
    ways.flatMap(([way, cancel]) =>
      Object.entries(BETWEEN).map(([between, answer]) => [way, between, answer, cancel] as const),
    ),
  )('by %s between %s stays cancelled, and no request follows', async (way, between, answer, cancel) => {
    const name = `${between}-${way}`.replace(/\W/g, '-')
    const ref = await question(name, answer, { merchant_reference: { order_ref_1: name } })
    expect((await cancel(ref, name)).status).toBe(200)
    await shop.advance(WEEK)
    expect(await cancellationOf(ref)).toBe('cancelled')
    expect(asked(name)).toHaveLength(1)
  })

  it.each(
    ways.flatMap(([way, cancel]) =>
      ['{"result":"toolate","late_by":4}', '{"result":"retry","retry_in":1}', 'no JSON'].map(
        (body) => [way, body, cancel] as const,
      ),
    ),
  )('by %s during the request stays cancelled, even if the answer is %s', async (way, body, cancel) => {
    const name = `inside-${way}-${body}`.replace(/\W/g, '-')
    let ref = ''
    ref = await confirmed(
      name,
      (_, response) => {
        void cancel(ref, name).then(({ status }) => {
          expect(status).toBe(200)
          response.writeHead(200)
          response.end(body)
        })
        return null
      },
      { merchant_reference: { order_ref_1: name } },
    )
    await shop.decide(ref, 'request-cancellation')
    await shop.advance(WEEK)
    expect(await shop.order(ref)).toMatchObject({ late_by: null, state: { cancellation: 'cancelled' } })
    expect(asked(name)).toHaveLength(1)
  })
})

describe('the operator', () => {
  it('can have only one request open at a time, and only for a confirmed order', async () => {
    const ref = await question('once', json({}, 500))
    expect((await shop.decide(ref, 'request-cancellation')).status).toBe(409)
    await shop.decide(ref, 'cancel')
    for (const decision of ['cancel', 'request-cancellation'] as const)
      expect((await shop.decide(ref, decision)).status).toBe(409)
    const open = await stages.screened()
    for (const decision of ['cancel', 'request-cancellation'] as const)
      expect((await shop.decide(open, decision)).status).toBe(409)
  })

  it('can send a scheduled request immediately', async () => {
    const { events, merchant } = addressesAt(receiver, 'scheduled')
    receiver.answer(events, json({ result: 'cancelled' }))
    const ref = await stages.settled({ ...surnames('cancellation event'), dob_day: '31' }, { merchant })
    expect(await cancellationOf(ref)).toBe('scheduled')
    expect((await shop.decide(ref, 'request-cancellation')).status).toBe(200)
    await shop.advance(600)
    expect(await cancellationOf(ref)).toBe('cancelled')
    expect(asked('scheduled')).toHaveLength(1)
  })
})

describe('an order cancelled before the merchant received the request', () => {
  it('causes no request any more', async () => {
    const { events, merchant } = addressesAt(receiver, 'never-asked')
    receiver.answer(events, json({ result: 'toolate' }))
    const extra = { ...surnames('cancellation event'), dob_day: '31' }
    const ref = await stages.settled(extra, { merchant })
    expect((await shop.decide(ref, 'cancel')).status).toBe(200)
    await shop.advance(3_600)
    expect(asked('never-asked')).toEqual([])
    expect(await cancellationOf(ref)).toBe('cancelled')
  })

  it('causes no request if it was never confirmed', async () => {
    const { ipn, merchant } = addressesAt(receiver, 'never-confirmed')
    receiver.answer(ipn, { status: 409 })
    const ref = await stages.settled(surnames('cancellation event'), { merchant })
    await shop.advance(3_600)
    expect(asked('never-confirmed')).toEqual([])
    expect(await stateOf(shop, ref)).toMatchObject({ checkout: 'conflicted', cancellation: 'none' })
  })
})

describe('surnames with a cancellation event', () => {
  it.each([
    ['01', 0],
    ['02', 10],
    ['31', 300],
  ])('cause a cancel request (day - 1) * 10 s after confirmation: day %s', async (day, seconds) => {
    const name = `trigger-${day}`
    const { events, merchant } = addressesAt(receiver, name)
    receiver.answer(events, json({ result: 'cancelled' }))
    const extra = { ...surnames('CANCELLATION event'), dob_day: day }
    const ref = await stages.screened(extra, { merchant })
    await shop.submit(ref, extra)
    await shop.advance(0)
    if (seconds > 0) {
      expect(await shop.wait(ref)).toMatchObject({ action: 'finish' })
      expect(asked(name)).toEqual([])
      await shop.advance(seconds - 4)
      expect(asked(name)).toEqual([])
      expect(await cancellationOf(ref)).toBe('scheduled')
      await shop.advance(4)
    }
    expect(asked(name)).toHaveLength(1)
    expect(await cancellationOf(ref)).toBe('cancelled')
    const lines = await shop.history(ref)
    const at = (is: (line: (typeof lines)[number]) => boolean) => Date.parse(lines.find(is)?.at ?? '')
    const confirmedAt = at(({ to }) => to.checkout === 'confirmed')
    const askedAt = at(({ to }) => to.cancellation === 'asking')
    expect(Math.floor((askedAt - confirmedAt) / 1000)).toBe(seconds)
  })
})
