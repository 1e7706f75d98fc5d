// A fixture that sends events to an order by the pure step alone, for tests that look at one step at a time. Other tests of
// the core use the same shopper, card and terms.
import * as E from 'fp-ts/lib/Either.js'
import type { Effect } from '../order/effect.ts'
import type { Order } from '../order/order.ts'
import type { Placed } from '../order/order-context.ts'
import type { AnswerEvent, OrderEvent } from '../order/order-event.ts'
import { type InternalError, initialStep, type Step, step } from '../order/step.ts'
import { DEFAULT_RULES, type StepInput, type Terms } from '../order/terms.ts'
import type { Agreement } from '../protocol/credit-product.ts'
import type { Person } from '../protocol/identification-form.ts'
import { wireNames } from '../protocol/wire-names.ts'

export const PLACED_AT = 1_700_000_000_000

export const CODE = '90001'

export const ANA: Person = {
  given_names: 'Ana',
  surnames: 'Prueba Ensayo',
  dob_day: '02',
  dob_month: '01',
  dob_year: '1980',
  mobile_phone: '600 123 456',
  nin: '12345678-z',
  address: 'Calle Mayor 1',
  postal_code: '28013',
  city: 'Madrid',
}
export const EVA: Person = { ...ANA, given_names: 'Eva', nin: '00000000T' }

export const I1: Agreement = { product: 'i1', instalmentCount: 1 }
export const PP3: Agreement = { product: 'pp3', instalmentCount: 3 }
export const FP1: Agreement = { product: 'fp1', instalmentCount: 1 }

export const VISA = { token: 'c', brand: 'visa', lastFour: '1111', expiry: '12/40', maskedPan: '4111 **** **** 1111' }

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

const at =
  (place: string) =>
  (...parts: readonly string[]) =>
    `http://plazo.test/${[place, ...parts].join('/')}`

export const TERMS: Terms = {
  rules: DEFAULT_RULES,
  links: {
    wait: at('wait'),
    pay: at('pay'),
    payWithCard: at('pay'),
    verify: at('verify'),
    cancellationRequest: at('cancellation'),
  },
  names: wireNames('Service', 'sq_state'),
}

export type Told = {
  readonly order: () => Order
  /** Sends an event to the order, one second after the previous one unless `after` (milliseconds) says otherwise. */
  readonly tell: (event: OrderEvent, given?: Partial<StepInput> & { readonly after?: number }) => Step
  /** Answers the effect that is awaited in the lane. */
  readonly answer: (lane: string, event: Unanswered, given?: Partial<StepInput> & { readonly after?: number }) => Step
}

type Without<E, K extends string> = E extends unknown ? Omit<E, K> : never
export type Unanswered = Without<AnswerEvent, 'answers'>

const right = (made: E.Either<InternalError, Step>): Step => {
  if (E.isLeft(made)) throw new Error(made.left.message, { cause: made.left.cause })
  return made.right
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
      fresh: { code: CODE, token: 'token-1' },
      referenceIsTaken: false,
    }),
  )

export const toldOrder = (
  placed: Partial<Placed> = {},
  references?: Order['context']['references'],
  terms: Terms = TERMS,
): Told => {
  let { order } = firstStep(placed, references, terms)
  let now = PLACED_AT
  const tell: Told['tell'] = (event, { after = 1_000, ...given } = {}) => {
    now += after
    const fresh = { code: CODE, token: `token-${order.revision + 1}` }
    const made = right(step(terms)(order, event, { at: now, fresh, referenceIsTaken: false, ...given }))
    order = made.order
    return made
  }
  return {
    order: () => order,
    tell,
    answer: (lane, event, given) =>
      tell({ ...event, answers: order.context.awaited[lane] ?? `nothing in ${lane}` } as OrderEvent, given),
  }
}

/** Moves a new order on: each of these helpers continues from the previous stage. */
export const identified = (told: Told, person: Person = ANA): Told => {
  told.tell({ type: 'person.submitted', person, agreement: null })
  return told
}

export const inScreening = (told: Told, agreement: Agreement | null = I1): Told => {
  identified(told).tell({ type: 'code.submitted', code: CODE, person: ANA, agreement })
  return told
}

type Resolved = Extract<Unanswered, { readonly type: 'screening.resolved' }>

export const screened = (
  told: Told,
  outcome: Resolved['outcome'] = 'approved',
  agreement: Agreement | null = I1,
  alternative: Resolved['alternative'] = null,
): Told => {
  inScreening(told, agreement).answer('screening', { type: 'screening.resolved', outcome, alternative })
  return told
}

/** The stage after the outcome. An approved order goes to the payment if something is due now, or else to the merchant. */
export const revealed = (
  told: Told,
  ...how: readonly [Resolved['outcome']?, Agreement?, Resolved['alternative']?]
): Told => {
  screened(told, ...how).tell({ type: 'person.submitted', person: ANA, agreement: null })
  return told
}

export const confirmed = (told: Told, agreement: Agreement = I1): Told => {
  revealed(told, 'approved', agreement)
  if (told.order().state.checkout === 'paying')
    told.answer('payment', { type: 'payment.succeeded', card: null, keep: false })
  told.answer('ipn', { type: 'ipn.accepted' })
  return told
}

/** The step's `do` effect in a lane. */
export const doneIn = ({ effects }: Step, lane: string): Extract<Effect, { readonly type: 'do' }> | undefined =>
  effects.find(
    (effect): effect is Extract<Effect, { readonly type: 'do' }> => effect.type === 'do' && effect.lane === lane,
  )
