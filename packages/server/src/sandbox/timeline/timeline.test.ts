// The list of what happens next to an order: every sentence must be true in the order's state, or
// it is left out.
import type { Order } from '@plazo/core'
import type { PendingJob } from '@plazo/core/ports'
import { describe, expect, it } from 'vitest'
import { upcomingOf } from './timeline.ts'

const HOUR = 3_600_000

const job = (lane: string, dueAt: number, state: PendingJob['state'] = 'pending'): PendingJob => ({
  key: `order:1:${lane}`,
  ...{ lane, dueAt, attempts: 0, firstAt: null, expiresAt: null, state },
})

/** Only the parts that decide what happens next. */
const orderIn = (
  checkout: Order['state']['checkout'],
  context: Partial<Order['context']> = {},
  notifyUrl = 'x',
) =>
  ({
    placed: { notifyUrl: notifyUrl === '' ? null : notifyUrl },
    state: { checkout, risk: 'unassessed', cancellation: 'none' },
    context: { heldAt: null, merchantConfirmed: false, ...context },
  }) as Order

const EXPIRY = job('timer.checkoutLifetime', HOUR)
const EXPIRES = 'The checkout expires, unless the order is confirmed before'

const titles = (order: Order, ...jobs: readonly PendingJob[]) =>
  upcomingOf(order, jobs, 0).map(({ title }) => title)

describe('what happens next', () => {
  it.each([
    'identifying',
    'verifyingPhone',
    'screening',
    'screened',
    'started',
    'paying',
    'confirming',
  ] as const)('an order that is %s expires', (checkout) =>
    expect(titles(orderIn(checkout), EXPIRY)).toEqual([EXPIRES]),
  )

  it('an order on hold does not expire, neither before nor after its approval', () => {
    expect(titles(orderIn('reviewing', { heldAt: 1 }), EXPIRY)).toEqual([])
    expect(titles(orderIn('confirming', { heldAt: 1 }), EXPIRY, job('ipn', 2 * HOUR))).toEqual([
      'The IPN is sent to the shop',
    ])
  })

  it('an order that the shop is asked to hold expires, unless the shop holds it', () => {
    expect(titles(orderIn('holding'), EXPIRY)).toEqual([
      'The checkout expires, unless the shop puts the order on hold before',
    ])
    expect(titles(orderIn('holding', { merchantConfirmed: true }), EXPIRY)).toEqual([
      'The order is put on hold, as the shop has said',
    ])
  })

  it('an order that the shop has confirmed by itself is confirmed', () =>
    expect(titles(orderIn('confirming', { merchantConfirmed: true }), EXPIRY)).toEqual([
      'The order is confirmed, as the shop has said',
    ]))

  it('no IPN is sent after the expiry', () => {
    expect(titles(orderIn('confirming'), EXPIRY, job('ipn', 2 * HOUR))).toEqual([EXPIRES])
    expect(titles(orderIn('confirming'), job('ipn', HOUR / 2), EXPIRY)).toHaveLength(2)
  })

  it('a screening that is asked again after its window, or after the expiry, is not asked', () => {
    const window = job('timer.screeningWindow', HOUR / 2)
    const late = titles(orderIn('screening'), window, EXPIRY, job('screening', 2 * HOUR))
    expect(late).toEqual(['The screening expires, unless it is answered before', EXPIRES])
    expect(titles(orderIn('screening'), job('screening', 1), window, EXPIRY)).toHaveLength(3)
    expect(titles(orderIn('verifyingPhone'), EXPIRY, job('sms', 2 * HOUR))).toEqual([EXPIRES])
  })

  it('an expiry that is due waits for the IPN that is in flight', () => {
    const [ipn, expiry] = upcomingOf(
      orderIn('confirming'),
      [job('ipn', 0, 'claimed'), EXPIRY],
      HOUR,
    )
    expect([ipn?.text, expiry?.text]).toEqual(['now', 'once the shop has answered the IPN'])
  })

  it('an approved order without a URL for the IPN waits for the shop', () =>
    expect(titles(orderIn('confirming', { heldAt: 1 }, ''), job('ipn', HOUR))).toEqual([
      'The order fails, unless the shop confirms it before',
    ]))

  it('a failed ID check ends in a denial', () => {
    expect(titles(orderIn('verified'), job('timer.idResult', 1))).toEqual([
      'The order continues after the ID check',
    ])
    expect(titles(orderIn('unverified'), job('timer.idResult', 1))).toEqual([
      'The shopper is denied, because the ID check failed',
    ])
  })

  it('a lane that has no words keeps its name', () =>
    expect(titles(orderIn('confirmed'), job('parcel', 1))).toEqual(['parcel']))
})
