// A fixture that sends events to an order by the pure step alone, for tests that look at one step
// at a time. Other tests of the core use the same shopper, card and terms.
import * as E from 'fp-ts/lib/Either.js'
import type { DoEffect } from '../../order/effects/effect.ts'
import type { Terms } from '../../order/model.ts'
import type { Order, OrderEvent, ReplyEvent } from '../../order/order.ts'
import type { Placed } from '../../order/order-context.ts'
import { type InternalError, initialStep, type Step, step } from '../../order/step.ts'
import { DEFAULT_RULES, type StepInput, wireNames } from '../../order/terms.ts'
import type { Agreement } from '../../protocol/credit-product.ts'
import type { Person } from '../../protocol/identification-form.ts'

export const PLACED_AT = 1_700_000_000_000

export const CODE = '90001'

/** A shopper as most tests have them: every field is valid. */
export const SHOPPER: Person = {
  given_names: 'Ana María',
  surnames: 'Prueba Ensayo',
  dob_day: '02',
  dob_month: '01',
  dob_year: '1980',
  mobile_phone: '600123456',
  nin: '12345678Z',
  address: 'Calle Mayor 1',
  postal_code: '28013',
  city: 'Madrid',
}
export const ANA: Person = {
  ...SHOPPER,
  given_names: 'Ana',
  mobile_phone: '600 123 456',
  nin: '12345678-z',
}
export const EVA: Person = { ...ANA, given_names: 'Eva', nin: '00000000T' }

export const I1: Agreement = { product: 'i1', instalmentCount: 1 }
export const PP3: Agreement = { product: 'pp3', instalmentCount: 3 }
export const FP1: Agreement = { product: 'fp1', instalmentCount: 1 }

export const VISA = {
  token: 'c',
  brand: 'visa',
  lastFour: '1111',
  expiry: '12/40',
  maskedPan: '4111 **** **** 1111',
}

/** Events that many tests send: Ana submits the form, or the right code. */
export const SUBMISSION = { type: 'person.submitted', person: ANA, agreement: null } as const
export const CODE_SUBMISSION = {
  type: 'code.submitted',
  code: CODE,
  person: ANA,
  agreement: I1,
} as const

/** Answers that many tests give: a payment's, and a screening's. */
export const PAID = { type: 'payment.succeeded', card: null, keep: false } as const
export const DECLINED = { type: 'payment.failed', reason: 'declined' } as const

export const PLACED: Placed = {
  orderRef: 'U',
  placedAt: PLACED_AT,
  merchant: {
    ref: 'shop',
    account: 'shops',
    country: null,
    products: ['i1', 'pp3', 'fp1'],
    optionalFields: [],
    sendsActionEvents: false,
  },
  notifyUrl: 'http://shop.test/ipn',
  notificationParameters: { cart: '42' },
  returnUrl: 'http://shop.test/back?product=SQ_PRODUCT_CODE',
  eventsWebhook: { url: 'http://shop.test/events', parameters: { shop: '7' } },
  currency: 'EUR',
  total: 12_100,
  language: 'es-ES',
  productCode: null,
}

const linkTo =
  (place: string) =>
  (...parts: readonly string[]) =>
    `http://plazo.test/${[place, ...parts].join('/')}`

export const TERMS: Terms = {
  rules: DEFAULT_RULES,
  links: {
    wait: linkTo('wait'),
    pay: linkTo('pay'),
    payWithCard: linkTo('pay'),
    verify: linkTo('verify'),
    cancellationRequest: linkTo('cancellation'),
  },
  names: wireNames('Service', 'sq_state'),
}

export type OrderFixture = {
  readonly order: () => Order
  /**
   * Sends an event to the order, one second after the previous one unless `after` (milliseconds)
   * says otherwise.
   */
  readonly send: (
    event: OrderEvent,
    overrides?: Partial<StepInput> & { readonly after?: number },
  ) => Step
  /** Answers the effect that is awaited in the lane. */
  readonly reply: (
    lane: string,
    event: ReplyContent,
    overrides?: Partial<StepInput> & { readonly after?: number },
  ) => Step
}

type Without<E, K extends string> = E extends unknown ? Omit<E, K> : never
export type ReplyContent = Without<ReplyEvent, 'inReplyTo'>

const right = (result: E.Either<InternalError, Step>): Step => {
  if (E.isLeft(result)) throw new Error(result.left.message, { cause: result.left.cause })
  return result.right
}

/** The step that places the order. */
export const firstStep = (
  placed: Partial<Placed> = {},
  references: Order['context']['references'] = { first: 'R1', second: 'R2' },
  terms: Terms = TERMS,
): Step =>
  right(
    initialStep(terms)({ ...PLACED, ...placed }, references, {
      at: PLACED_AT,
      random: { code: CODE, token: 'token-1' },
      referenceIsTaken: false,
    }),
  )

export const orderFixture = (
  placed: Partial<Placed> = {},
  references?: Order['context']['references'],
  terms: Terms = TERMS,
): OrderFixture => {
  let { order } = firstStep(placed, references, terms)
  let now = PLACED_AT
  const send: OrderFixture['send'] = (event, { after = 1_000, ...overrides } = {}) => {
    now += after
    const random = { code: CODE, token: `token-${order.revision + 1}` }
    const result = right(
      step(terms)(order, event, { at: now, random, referenceIsTaken: false, ...overrides }),
    )
    order = result.order
    return result
  }
  return {
    order: () => order,
    send,
    reply: (lane, event, overrides) =>
      send(
        { ...event, inReplyTo: order.context.pending[lane] ?? `nothing in ${lane}` } as OrderEvent,
        overrides,
      ),
  }
}

/** Moves a new order on: each of these helpers continues from the previous stage. */
export const submitPerson = (fixture: OrderFixture, person: Person = ANA): OrderFixture => {
  fixture.send({ ...SUBMISSION, person })
  return fixture
}

export const reachScreening = (
  fixture: OrderFixture,
  agreement: Agreement | null = I1,
): OrderFixture => {
  submitPerson(fixture).send({ ...CODE_SUBMISSION, agreement })
  return fixture
}

type ScreeningResolved = Extract<ReplyContent, { readonly type: 'screening.resolved' }>

export const resolveScreening = (
  fixture: OrderFixture,
  outcome: ScreeningResolved['outcome'] = 'approved',
  agreement: Agreement | null = I1,
  alternative: ScreeningResolved['alternative'] = null,
): OrderFixture =>
  afterReply(reachScreening(fixture, agreement), 'screening', {
    type: 'screening.resolved',
    outcome,
    alternative,
  })

/**
 * The stage after the outcome. An approved order goes to the payment if something is due now, or
 * else to the merchant.
 */
export const revealOutcome = (
  fixture: OrderFixture,
  ...resolution: readonly [
    ScreeningResolved['outcome']?,
    Agreement?,
    ScreeningResolved['alternative']?,
  ]
): OrderFixture => {
  resolveScreening(fixture, ...resolution).send(SUBMISSION)
  return fixture
}

/** The fixture, after the effect that is awaited in the lane was answered. */
export const afterReply = (
  fixture: OrderFixture,
  lane: string,
  event: ReplyContent,
): OrderFixture => {
  fixture.reply(lane, event)
  return fixture
}

export const confirmWithMerchant = (
  fixture: OrderFixture,
  agreement: Agreement = I1,
): OrderFixture => {
  revealOutcome(fixture, 'approved', agreement)
  if (fixture.order().state.checkout === 'paying') fixture.reply('payment', PAID)
  return afterReply(fixture, 'ipn', { type: 'ipn.accepted' })
}

/** An order that the merchant holds until an operator has reviewed it. */
export const reachReview = (fixture: OrderFixture): OrderFixture =>
  afterReply(revealOutcome(fixture, 'review'), 'ipn', { type: 'ipn.accepted' })

/** The step's `do` effect in a lane. */
export const effectInLane = ({ effects }: Step, lane: string): DoEffect | undefined =>
  effects.find((effect): effect is DoEffect => effect.type === 'do' && effect.lane === lane)
