// A whole week of failures on a real server whose clock is moved, and the sandbox's question whether
// to cancel.
import { describe, expect, it } from 'vitest'
import type { Answer, ReceivedRequest } from '../../harness/receiver.ts'
import type { Json } from '../../harness/shop.ts'
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

describe('an event that always fails', () => {
  it('an event that fails for a week has 24 attempts, the last one 604,800 s after the first; a cancel question can then be repeated', async () => {
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
})

describe('the sandbox', () => {
  it('the surnames cancellation event cause a cancel question (day − 1) × 10 s after the confirmation', async () => {
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
