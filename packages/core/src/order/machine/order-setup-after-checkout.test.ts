import { describe, expect, it } from 'vitest'
import {
  afterReply,
  confirmWithMerchant,
  DECLINED,
  effectInLane,
  FP1,
  type OrderFixture,
  orderFixture,
  reachReview,
  resolveScreening,
  revealOutcome,
  SUBMISSION,
} from '../../testing/harness/order-fixture.ts'
import { orderSetup } from './order-setup.ts'

const checkout = (fixture: OrderFixture): string => fixture.order().state.checkout
const context = (fixture: OrderFixture) => fixture.order().context

describe('the merchant', () => {
  it('is not asked about an order whose reference belongs to another order, and no payment is opened for it', () => {
    const revealed = resolveScreening(orderFixture(), 'approved', FP1)
    const declined = revealOutcome(orderFixture(), 'approved', FP1)
    for (const [fixture, step] of [
      [revealed, revealed.send(SUBMISSION, { referenceIsTaken: true })],
      [declined, declined.reply('payment', DECLINED, { referenceIsTaken: true })],
    ] as const) {
      expect(checkout(fixture)).toBe('conflicted')
      expect(effectInLane(step, 'payment')).toBeUndefined()
    }
  })

  it('who takes no IPN has a week after the review’s approval to confirm', () => {
    const fixture = revealOutcome(orderFixture({ notifyUrl: null }), 'review')
    expect(context(fixture).pending).not.toHaveProperty('ipn')
    fixture.send({ type: 'merchant.held' })
    const approved = fixture.send({ type: 'review.approved' })
    const { isUnderReview, outcomeAt, updatedAt } = context(fixture)
    expect([isUnderReview, outcomeAt]).toEqual([false, updatedAt])
    expect(effectInLane(approved, 'ipn')).toMatchObject({
      payload: { kind: 'timer', timer: 'ipn.week' },
      dueAt: context(fixture).updatedAt + 168 * 3_600_000,
    })
    fixture.reply('ipn', { type: 'ipn.exhausted' })
    expect([checkout(fixture), context(fixture).failure]).toEqual(['failed', 'confirmation'])
  })

  it.each([
    ['approved', 'merchant.confirmed', 'confirmed'],
    ['approved', null, 'failed'],
    ['review', 'merchant.held', 'reviewing'],
    ['review', null, 'failed'],
  ] as const)(
    'of an order that is %s, who answered %s, and whose IPN week ended: it is %s',
    (outcome, says, end) => {
      const fixture = revealOutcome(orderFixture(), outcome)
      if (says !== null) fixture.send({ type: says })
      fixture.reply('ipn', { type: 'ipn.exhausted' })
      expect([checkout(fixture), context(fixture).failure]).toEqual([
        end,
        end === 'failed' ? 'confirmation' : null,
      ])
    },
  )
})

describe('the day of a checkout', () => {
  const overAfter = (fixture: OrderFixture): string =>
    checkout(
      afterReply(fixture, 'timer.checkoutLifetime', {
        type: 'timer.fired',
        timer: 'checkoutLifetime.open',
      }),
    )

  it('does not end an order that the merchant has confirmed or holds', () => {
    const fixture = revealOutcome(orderFixture())
    fixture.send({ type: 'merchant.confirmed' })
    const holding = revealOutcome(orderFixture(), 'review')
    holding.send({ type: 'merchant.held' })
    expect([fixture, holding].map(overAfter)).toEqual(['confirmed', 'reviewing'])
    expect(overAfter(reachReview(orderFixture()))).toBe('reviewing')
    const approved = reachReview(orderFixture())
    approved.send({ type: 'review.approved' })
    expect(overAfter(approved)).toBe('confirming')
    approved.send({ type: 'merchant.confirmed' })
    expect(checkout(approved)).toBe('confirming')
  })
})

describe('a cancellation', () => {
  const cancellation = (fixture: OrderFixture): string => fixture.order().state.cancellation
  const requestCancellation = (placed: Parameters<typeof orderFixture>[0] = {}): OrderFixture => {
    const fixture = confirmWithMerchant(orderFixture(placed))
    fixture.send({ type: 'cancellation.requested' })
    return fixture
  }

  it.each([
    [0, 'asking'],
    [1, 'scheduled'],
  ])('advised in %i ms is %s', (delay, state) => {
    const fixture = confirmWithMerchant(orderFixture())
    fixture.reply('watch', { type: 'cancellation.advised', delay })
    expect([cancellation(fixture), context(fixture).cancelDelay]).toEqual([state, delay])
  })

  it('cannot be requested if the merchant has no events webhook', () => {
    expect(cancellation(requestCancellation({ eventsWebhook: null }))).toBe('unsupported')
  })

  it('that was unanswered for a week, or not supported, may be requested again', () => {
    for (const type of ['cancel.exhausted', 'cancel.unsupported'] as const) {
      const fixture = requestCancellation()
      fixture.reply('cancel', { type })
      expect(cancellation(fixture)).toBe(type === 'cancel.exhausted' ? 'unanswered' : 'unsupported')
      fixture.send({ type: 'cancellation.requested' })
      expect(cancellation(fixture)).toBe('asking')
    }
  })
})

describe('the actions of the machine', () => {
  it('accept, in TypeScript too, only existing effects with their parameters', () => {
    const { createStateConfig } = orderSetup
    const right = createStateConfig({
      entry: ['sendCode', { type: 'revoke', params: { lane: 'sms' } }],
    })
    // @ts-expect-error No effect has this name.
    const unknown = createStateConfig({ entry: 'sendCodes' })
    // @ts-expect-error No effect has this lane.
    const wrong = createStateConfig({ entry: { type: 'revoke', params: { lane: 'code' } } })
    expect([right, unknown, wrong]).toHaveLength(3)
  })
})
