// Orders and their events over several days, on a real server whose clock is moved. The titles
// number the forty cases.
import { describe, expect, it } from 'vitest'
import { sign } from '../../../packages/adapters/src/http/signature.ts'
import type { Answer, ReceivedRequest } from '../../harness/receiver.ts'
import { DEMO, type Json } from '../../harness/shop.ts'
import { servedShop } from '../served-shop.ts'
import { addressesAt, requestsAt, stateOf, surnames } from '../stages.ts'

const { receiver, shop, stages } = await servedShop()

const MINUTE = 60
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const WEEK = 7 * DAY
/** In seconds, as listed in the contract. */
const SLOTS = [
  ...[0, 10, 60, 300, 900, 1_800, 3_600, 7_200, 14_400, 28_800, 57_600, 86_400],
  ...[36, 48, 60, 72, 84, 96, 108, 120, 132, 144, 156, 168].map((hours) => hours * HOUR),
]

const json = (body: Json, status = 200): Answer => ({ status, body: JSON.stringify(body) })
const DOWN: Answer = { status: 500 }

const eventsAt = (name: string): readonly ReceivedRequest[] =>
  requestsAt(receiver, `/${name}/events`)
const questions = (name: string): readonly ReceivedRequest[] =>
  eventsAt(name).filter(({ fields }) => fields.event === 'cancel')
const ids = (requests: readonly ReceivedRequest[]): readonly string[] =>
  requests.map(({ headers }) => String(headers['webhook-id']))

/** Confirms an order, then sends its merchant a cancel request. */
const question = async (name: string, answer: Answer): Promise<string> => {
  const { events, merchant } = addressesAt(receiver, name)
  receiver.answer(events, answer)
  const ref = await stages.settled({}, { merchant })
  await shop.decide(ref, 'request-cancellation')
  return ref
}

// The moved clock keeps running. A busy machine is a little late, but slots are further apart than
// that.
const expectNear = (seconds: number, expected: number): void => {
  expect(Math.abs(seconds - expected)).toBeLessThan(5)
}

/**
 * Moves the clock. Returns when the order's cancel question was sent again meanwhile, in seconds
 * after it was requested. The first time does not count: it may precede the move.
 */
const repeatedWithin = async (seconds: number, ref: string): Promise<readonly number[]> => {
  const { fired } = await shop.advance(seconds)
  const requested = (await shop.history(ref)).find(
    ({ event }) => event === 'cancellation.requested',
  )
  const requestedAt = Date.parse(requested?.at ?? '')
  return fired
    .filter((it) => it.order_ref === ref && it.what === 'event cancel')
    .map(({ at }) => (Date.parse(at) - requestedAt) / 1000)
    .filter((after) => after > 5)
}

describe('a cancel request that the merchant postpones', () => {
  it('18. retry_in 1440 repeats the question after 1440 minutes; 1441 is an error and is retried on schedule', async () => {
    const ref = await question('day', json({ result: 'retry', retry_in: 1440 }))
    const [second = 0, ...more] = await repeatedWithin(1440 * MINUTE + 30, ref)
    expectNear(second, 1440 * MINUTE)
    expect(more).toEqual([])
    expect(new Set(ids(questions('day'))).size).toBe(2)
    receiver.answer('/day/events', json({ result: 'cancelled' }))

    const tooLong = await question('longer', json({ result: 'retry', retry_in: 1441 }))
    const questioned = await repeatedWithin(30, tooLong)
    expect(questioned).toHaveLength(1)
    expectNear(questioned[0] ?? 0, 10)
    expect(new Set(ids(questions('longer'))).size).toBe(1)
    receiver.answer('/longer/events', json({ result: 'cancelled' }))
  })

  it('21. retry answers may continue beyond a week; a week of errors begins with the last question', async () => {
    const ref = await question('eight-days', json({ result: 'retry', retry_in: 1440 }))
    await shop.advance(8 * DAY)
    expect(await stateOf(shop, ref)).toMatchObject({ cancellation: 'waiting' })
    const before = questions('eight-days').length
    expect(before).toBeGreaterThanOrEqual(8)
    receiver.answer('/eight-days/events', DOWN)
    // The request that is open now is the last one to be postponed. It has its own 24 attempts.
    await shop.advance(DAY + 6 * DAY)
    expect(await stateOf(shop, ref)).toMatchObject({ cancellation: 'asking' })
    await shop.advance(DAY + HOUR)
    expect(await stateOf(shop, ref)).toMatchObject({ cancellation: 'unanswered' })
    const last = questions('eight-days').slice(before)
    expect(last).toHaveLength(24)
    expect(new Set(ids(last)).size).toBe(1)
  })

  it('33. a retry answer about an order that was cancelled meanwhile changes nothing, and the question is not repeated', async () => {
    let ref = ''
    ref = await question('meanwhile', (_, response) => {
      void shop.decide(ref, 'cancel').then(() => {
        response.writeHead(200)
        response.end('{"result":"retry","retry_in":1}')
      })
      return null
    })
    await shop.advance(8 * DAY)
    expect(await stateOf(shop, ref)).toMatchObject({ cancellation: 'cancelled' })
    expect(questions('meanwhile')).toHaveLength(1)
  })
})

describe('an event that always fails', () => {
  it('37. an event that fails for a week has 24 attempts, the last one 604,800 s after the first; a cancel question can then be repeated', async () => {
    const { events, merchant } = addressesAt(receiver, 'week')
    receiver.answer(events, DOWN)
    const screened = await stages.screened(surnames('denial event'), { merchant })
    const orderRef = await question('week-asked', DOWN)
    await shop.submit(screened, surnames('denial event'))
    const { fired } = await shop.advance(8 * DAY)
    for (const [ref, what, name] of [
      [screened, 'event denied', 'week'],
      [orderRef, 'event cancel', 'week-asked'],
    ] as const) {
      const instants = fired.flatMap((it) =>
        it.order_ref === ref && it.what === what ? [Date.parse(it.at)] : [],
      )
      // The first attempt may precede the move of the clock.
      const last = instants.at(-1) ?? 0
      const expected = SLOTS.slice(24 - instants.length)
      expect(instants.length).toBeGreaterThanOrEqual(23)
      for (const [index, instant] of instants.entries())
        expectNear(WEEK - (last - instant) / 1000, expected[index] ?? Number.NaN)
      const requests = name === 'week' ? eventsAt(name) : questions(name)
      expect(requests).toHaveLength(24)
      expect(new Set(ids(requests)).size).toBe(1)
      expect(new Set(requests.map(({ body }) => body)).size).toBe(1)
    }
    expect(await stateOf(shop, orderRef)).toMatchObject({ cancellation: 'unanswered' })
    receiver.answer('/week-asked/events', json({ result: 'cancelled' }))
    expect((await shop.decide(orderRef, 'request-cancellation')).status).toBe(200)
    await shop.advance(0)
    expect(await stateOf(shop, orderRef)).toMatchObject({ cancellation: 'cancelled' })
  })

  it('39. low_risk waits for a failing under_evaluation, and neither waits for a postponed cancel question', async () => {
    const { events, merchant } = addressesAt(receiver, 'lanes')
    let failures = 0
    receiver.answer(events, ({ fields }) => {
      if (fields.event === 'cancel')
        return { status: 200, body: '{"result":"retry","retry_in":1440}' }
      return fields.risk_level === 'under_evaluation' && ++failures <= 3
        ? { status: 500 }
        : { status: 200 }
    })
    const ref = await stages.paid(surnames('evaluation event'), { merchant })
    await shop.decide(ref, 'request-cancellation')
    // low_risk is due at 60 s, and the attempt at 60 s is the third to fail.
    await shop.advance(120)
    const levels = () => eventsAt('lanes').flatMap(({ fields }) => fields.risk_level ?? [])
    expect(levels()).toEqual(['under_evaluation', 'under_evaluation', 'under_evaluation'])
    await shop.advance(200)
    expect(levels()).toEqual([...Array<string>(4).fill('under_evaluation'), 'low_risk'])
    expect(await stateOf(shop, ref)).toMatchObject({ risk: 'low_risk', cancellation: 'waiting' })
  })
})

describe('an event’s request', () => {
  it('38. merchant parameters with any characters are encoded, prefixed with m_, and signed to the byte', async () => {
    const parameters = {
      'a&b': 'c=d',
      plus: '1+1 2',
      face: '🙂√',
      event: 'mine',
      order_ref: 'x',
    }
    const { merchant } = addressesAt(receiver, 'parameters', parameters)
    const ref = await stages.settled(surnames('denial event'), { merchant })
    const [event] = eventsAt('parameters')
    expect(event?.body).toBe(
      `charset=UTF-8&utf8=%E2%88%9A&event=denied&order_ref_1=&order_ref_2=&order_ref=${ref}` +
        '&m_a%26b=c%3Dd&m_event=mine&m_face=%F0%9F%99%82%E2%88%9A&m_order_ref=x&m_plus=1%2B1+2',
    )
    expect(event?.headers['x-service-signature']).toBe(sign(DEMO.secret, event?.body ?? ''))
  })
})

describe('the sandbox', () => {
  it('40. the surnames cancellation event cause a cancel question (day − 1) × 10 s after the confirmation', async () => {
    for (const [day, seconds] of [
      ['07', 60],
      ['01', 0],
    ] as const) {
      const { events, merchant } = addressesAt(receiver, `born-${day}`)
      receiver.answer(events, json({ result: 'cancelled' }))
      const ref = await stages.screened(
        { ...surnames('Cancellation Event'), dob_day: day },
        { merchant },
      )
      await shop.submit(ref, { ...surnames('Cancellation Event'), dob_day: day })
      await shop.advance(120)
      const history = await shop.history(ref)
      const instantOf = (event: string): number =>
        Date.parse(history.find((line) => line.event === event)?.at ?? '')
      const waited = (instantOf('cancel.agreed') - instantOf('ipn.accepted')) / 1000
      expectNear(waited, seconds)
      expect(questions(`born-${day}`)).toHaveLength(1)
    }
  })
})
