import { describe, expect, it } from 'vitest'
import { PRODUCTS } from '../../protocol/credit-product.ts'
import {
  ANA,
  afterReply,
  CODE,
  CODE_SUBMISSION,
  confirmWithMerchant,
  DECLINED,
  effectInLane,
  FP1,
  type OrderFixture,
  orderFixture,
  PAID,
  PLACED,
  PP3,
  reachScreening,
  resolveScreening,
  revealOutcome,
  SUBMISSION,
  submitPerson,
  TERMS,
  VISA,
} from '../../testing/harness/order-fixture.ts'
import type { Order } from '../order.ts'
import type { OrderContext } from '../order-context.ts'
import type { Step } from '../step.ts'
import type { EffectPayload } from './effect.ts'
import { type EffectName, effectOf, effects } from './effects.ts'

const payloadIn = (result: Step, lane: string): EffectPayload | undefined =>
  effectInLane(result, lane)?.payload

const formIn = (result: Step, lane: string): Readonly<Record<string, string>> => {
  const payload = payloadIn(result, lane)
  return payload !== undefined && 'body' in payload
    ? Object.fromEntries(new URLSearchParams(payload.body))
    : {}
}
const OWNER = { account: 'shops', nin: '12345678Z', phone: '600123456' }

const reveal = (fixture: OrderFixture, after = 1_000): Step => fixture.send(SUBMISSION, { after })

it('a code is sent to the shopper’s phone, and expires when the code is void', () => {
  const result = orderFixture().send(SUBMISSION)
  expect(effectInLane(result, 'sms')).toEqual({
    type: 'do',
    key: 'U:2:sms',
    lane: 'sms',
    payload: { kind: 'sms', to: '600 123 456', text: `Tu código es ${CODE}.`, code: CODE },
    dueAt: result.order.context.updatedAt,
    expiresAt: result.order.context.updatedAt + 300_000,
  })
})

it('a screening checks the person and the agreement, next to a search for the saved cards of their papers and phone, which may have the calling code', () => {
  const person = { ...ANA, mobile_phone: '0034 600123456' }
  const fixture = orderFixture({ merchant: { ...PLACED.merchant, country: 'ES' } })
  const result = submitPerson(fixture, person).send({ ...CODE_SUBMISSION, person, agreement: PP3 })
  expect(effectInLane(result, 'screening')).toMatchObject({
    expiresAt: null,
    dueAt: result.order.context.updatedAt,
    payload: {
      kind: 'screening',
      person,
      agreement: PP3,
      total: 12_100,
      currency: 'EUR',
      merchant: 'shop',
    },
  })
  expect(payloadIn(result, 'cards')).toEqual({ kind: 'cards', owner: OWNER })
})

describe('a payment', () => {
  it.each([
    ['wants it kept', VISA, true, { kind: 'card', owner: OWNER, card: VISA }],
    ['does not', VISA, false, undefined],
    ['paid without one', null, true, undefined],
  ])('saves its card if the shopper %s', (_, card, keep, payload) => {
    const fixture = revealOutcome(orderFixture(), 'approved', PP3)
    expect(
      payloadIn(fixture.reply('payment', { type: 'payment.succeeded', card, keep }), 'card'),
    ).toEqual(payload)
  })

  it('that was opened is void once its checkout ends', () => {
    const fixture = revealOutcome(orderFixture(), 'approved', FP1)
    const [{ key } = { key: '' }] = fixture.order().context.payments
    const timer = { type: 'timer.fired', timer: 'checkoutLifetime.open' } as const
    const result = fixture.reply('timer.checkoutLifetime', timer)
    expect(payloadIn(result, 'void')).toEqual({ kind: 'void', payment: key })
  })

  it('after a declined one is the one that is void', () => {
    const fixture = revealOutcome(orderFixture(), 'approved', FP1)
    fixture.reply('payment', DECLINED)
    const timer = { type: 'timer.fired', timer: 'checkoutLifetime.open' } as const
    const result = fixture.reply('timer.checkoutLifetime', timer)
    const { key } = fixture.order().context.payments[1] ?? {}
    expect(payloadIn(result, 'void')).toEqual({ kind: 'void', payment: key })
  })
})

describe('an IPN', () => {
  it('asks the merchant to hold an order under review, and a PUT that says so makes it due', () => {
    const fixture = orderFixture()
    const held = reveal(resolveScreening(fixture, 'review'))
    expect(payloadIn(held, 'ipn')).toMatchObject({ state: 'needs_review' })
    const { effects: after } = fixture.send({ type: 'merchant.held' })
    expect(after).toContainEqual({ type: 'expedite', lane: 'ipn' })
  })

  it('asks the merchant to accept the order', () => {
    const result = reveal(resolveScreening(orderFixture()), 7_900)
    expect(payloadIn(result, 'ipn')).toMatchObject({
      kind: 'ipn',
      state: 'approved',
      url: 'http://shop.test/ipn',
      contentType: 'application/x-www-form-urlencoded',
    })
    expect(formIn(result, 'ipn')).toEqual({
      order_ref: 'U',
      order_ref_1: 'R1',
      order_ref_2: 'R2',
      product_code: 'i1',
      sq_state: 'approved',
      // Whole seconds since the outcome became known.
      approved_since: '7',
      cart: '42',
    })
  })
})

describe('the risk of an order paid in full', () => {
  it('is assessed and monitored for the person and the amount paid', () => {
    const fixture = afterReply(revealOutcome(orderFixture(), 'approved', FP1), 'payment', PAID)
    const result = fixture.reply('ipn', { type: 'ipn.accepted' })
    const risk = { kind: 'risk', person: ANA, amount: 12_100, currency: 'EUR' }
    expect(payloadIn(result, 'risk')).toEqual({ ...risk, underEvaluation: false })
    expect(payloadIn(result, 'watch')).toEqual({ kind: 'watch', person: ANA })
    const assessed = fixture.reply('risk', { type: 'risk.assessed', level: 'high_risk' })
    expect(formIn(assessed, 'notice')).toMatchObject({
      event: 'risk_assessment',
      risk_level: 'high_risk',
    })
    expect(assessed.journal[0]?.detail).toBe('high_risk')
  })

  it('is assessed again under evaluation, which the provider is told', () => {
    const fixture = confirmWithMerchant(orderFixture(), FP1)
    const level = 'under_evaluation'
    const result = fixture.reply('risk', { type: 'risk.assessed', level })
    expect(payloadIn(result, 'risk')).toMatchObject({ underEvaluation: true })
  })
})

it.each(['voidPayment', 'refundPayment', 'keepCard'] as const)(
  'the effect %s does nothing without a payment',
  (name) => {
    expect(
      effects[name]({
        order: orderFixture().order(),
        event: null,
        terms: TERMS,
        products: PRODUCTS,
      }),
    ).toBeNull()
  },
)

// The statechart never produces these orders.
describe('an effect that cannot be built', () => {
  const nobody = () => orderFixture().order()
  const somebody = () => reachScreening(orderFixture()).order()
  const paidWithout = (change: Partial<OrderContext>) => (): Order => {
    const paid = confirmWithMerchant(orderFixture(), FP1).order()
    return { ...paid, context: { ...paid.context, ...change } }
  }
  const withCode = (): Order => {
    const order = nobody()
    return { ...order, context: { ...order.context, otp: { ...order.context.otp, code: CODE } } }
  }

  it.each<[EffectName, string, () => Order, object?]>([
    ['sendCode', 'shopper', withCode],
    ['startSession', 'session', somebody],
    ['startPayment', 'open payment', somebody],
    ['sendIpn', 'outcome', somebody],
    ['assessRisk', 'shopper', paidWithout({ person: null })],
    ['assessRisk', 'payment', paidWithout({ payments: [] })],
    ['tellMerchant', 'risk level', somebody, { event: 'risk_assessment' }],
  ])('fails in %s without the %s, and changes nothing', (name, what, makeOrder, params = {}) => {
    const order = makeOrder()
    const makeEffect = () =>
      effectOf(
        { order, event: null, terms: TERMS, products: PRODUCTS },
        { type: name, params: { ...params } },
      )
    expect(makeEffect).toThrow(`The order has no ${what}.`)
  })
})

describe('an action of the machine', () => {
  const run = (action: Parameters<typeof effectOf>[1]) =>
    effectOf(
      { order: orderFixture().order(), event: null, terms: TERMS, products: PRODUCTS },
      action,
    )

  it('fails if it is not an effect', () => {
    expect(() => run({ type: 'toString', params: {} })).toThrow(
      'The machine has the action "toString".',
    )
  })

  it('can start and stop only the timers of "after"', () => {
    const params = { id: 'later', sendId: 'later', delay: 5 }
    for (const type of ['xstate.raise', 'xstate.cancel'])
      expect(() => run({ type, params })).toThrow('The machine has the timer "later".')
    expect(() => run({ type: 'xstate.raise', params: { delay: 5 } })).toThrow(
      'the timer "undefined"',
    )
  })
})
