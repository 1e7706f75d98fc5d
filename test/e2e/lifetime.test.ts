// An order not confirmed within its lifetime expires. Contract §4.
import { describe, expect, it } from 'vitest'
import { servedShop } from './served-shop.ts'
import { addressesAt, agreement, checkoutOf, countEvents, requestsAt, surnames } from './stages.ts'

const { receiver, shop, stages, answering } = await servedShop()

const HOUR = 3_600
const DAY = 24 * HOUR
const REVIEW = surnames('review event')

const ipns = (name: string) => requestsAt(receiver, `/${name}/ipn`)

describe('an order expires', () => {
  it.each<[string, () => Promise<string>]>([
    ['identification', () => shop.place()],
    ['payment', async () => (await stages.revealed(agreement('fp1'))).ref],
    ['the merchant’s confirmation', () => stages.settled({}, answering('expiring', 500))],
    ['a confirmation by PUT alone', () => stages.settled({}, { merchant: { notify_url: '' } })],
  ])('24 h after it was placed while it awaits %s', async (_, reach) => {
    const ref = await reach()
    const { created_at } = await shop.order(ref)
    await shop.advance(DAY - 10)
    expect(await checkoutOf(shop, ref)).not.toBe('expired')
    await shop.advance(10)
    expect(await checkoutOf(shop, ref)).toBe('expired')
    expect(await shop.wait(ref)).toEqual({ action: 'show_error', messages: [expect.stringMatching(/\S/)] })
    const ended = await shop.submit(ref)
    expect(ended).toEqual({ action: 'show_error', messages: ended.messages, errors: ended.messages })
    const expiry = (await shop.history(ref)).find(({ to }) => to.checkout === 'expired')
    expect(Date.parse(expiry?.at ?? '') - Date.parse(String(created_at))).toBeGreaterThanOrEqual(DAY * 1000)
    const answer = await shop.put(ref, { state: 'confirmed' })
    expect(answer.status).toBe(409)
  })

  it('and its IPN stops', async () => {
    const ref = await stages.settled({}, answering('stopping', 500))
    await shop.advance(DAY)
    const sent = ipns('stopping').length
    await shop.advance(8 * DAY)
    expect(ipns('stopping')).toHaveLength(sent)
    expect(await checkoutOf(shop, ref)).toBe('expired')
  })

  it('and voids what is open: a payment that succeeds afterwards is refunded exactly once', async () => {
    const { ref, action } = await stages.revealed(agreement('fp1'))
    await shop.advance(DAY)
    expect(await shop.pay(action.iframe_url)).toEqual({ action: 'Service.payment_successful' })
    await shop.advance(0)
    expect(await shop.wait(ref)).toMatchObject({ action: 'show_error' })
    expect(await countEvents(shop, ref, 'payment.refunded')).toBe(1)
  })
})

describe('an IPN in flight at the end of the lifetime decides first', () => {
  // The second attempt starts 600 ms before the end and is answered 1.5 s later.
  const inFlight = async (name: string, status: number) => {
    const { ipn, merchant } = addressesAt(receiver, name)
    receiver.answer(ipn, { status: 500 })
    const ref = await stages.screened({}, { merchant })
    const ends = Date.parse(String((await shop.order(ref)).created_at)) + DAY * 1000
    const { now } = await shop.advance(0)
    await shop.advance((ends - 10_600 - Date.parse(now)) / 1000)
    await shop.submit(ref)
    await shop.advance(0)
    expect(ipns(name)).toHaveLength(1)
    receiver.answer(ipn, (_, response) => {
      setTimeout(() => {
        response.writeHead(status)
        response.end()
      }, 1_500)
      return null
    })
    const { now: after } = await shop.advance(10)
    expect(ipns(name)).toHaveLength(2)
    expect(Date.parse(after)).toBeGreaterThan(ends)
    return ref
  }

  it.each([
    [200, 'confirmed'],
    [409, 'conflicted'],
    [500, 'expired'],
  ])('answered %d: %s', async (status, expected) => {
    const ref = await inFlight(`flight-${status}`, status)
    expect(await checkoutOf(shop, ref)).toBe(expected)
    const moves = (await shop.history(ref)).map(({ event }) => event)
    expect(moves.at(-1) === 'timer.fired').toBe(expected === 'expired')
  })
})

describe('a review', () => {
  it('never expires', async () => {
    const ref = await stages.settled(REVIEW)
    await shop.advance(30 * DAY)
    expect(await shop.wait(ref)).toMatchObject({ action: 'show_on_hold' })
    await shop.decide(ref, 'approve')
    await shop.advance(0)
    expect(await shop.wait(ref)).toMatchObject({ action: 'finish' })
  })

  it('does not expire after approval either: its confirmation ends with the IPN’s week, with a refund', async () => {
    const ref = await stages.paid(REVIEW, answering('review-week', 200))
    receiver.answer('/review-week/ipn', { status: 500 })
    await shop.decide(ref, 'approve')
    await shop.advance(7 * DAY - 60)
    expect(await shop.wait(ref)).toEqual({ action: 'wait_for_confirmation' })
    await shop.advance(120)
    expect(await shop.wait(ref)).toMatchObject({ action: 'show_error' })
    await shop.advance(0)
    expect(await countEvents(shop, ref, 'payment.refunded')).toBe(1)
  })

  it('is confirmed if the shop accepts it late after approval', async () => {
    const ref = await stages.settled(REVIEW, answering('review-late', 200))
    receiver.answer('/review-late/ipn', { status: 500 })
    await shop.decide(ref, 'approve')
    await shop.advance(3 * DAY)
    receiver.answer('/review-late/ipn', { status: 200 })
    await shop.advance(DAY)
    expect(await shop.wait(ref)).toMatchObject({ action: 'finish' })
  })
})

describe('an order that is confirmed', () => {
  it('does not expire', async () => {
    const ref = await stages.settled()
    await shop.advance(30 * DAY)
    expect(await shop.wait(ref)).toMatchObject({ action: 'finish' })
  })
})
