// An order's data between steps, defined by the codec of its stored form. It is plain JSON:
// instants are epoch milliseconds, and a missing value is null.
import * as t from 'io-ts'
import { PERSON_FIELDS, type PersonField } from '../protocol/person-fields.ts'
import { containerOf, exactObject, membersOf, oneOf, orNull, Texts } from '../protocol/scalars.ts'
import { RiskLevel } from '../protocol/webhook-event.ts'

const Strings = t.readonly(t.record(t.string, t.string))

/**
 * Data fixed when the order is placed: the cart, the merchant's addresses and terms. It never
 * changes.
 */
export const Placed = t.readonly(
  t.exact(
    t.intersection([
      t.type({
        orderRef: t.string,
        placedAt: t.number,
        merchant: exactObject({
          ref: t.string,
          /** The username. Merchants that share it are one account. */
          account: t.string,
          country: orNull(t.string),
          products: Texts,
          optionalFields: Texts,
          sendsActionEvents: t.boolean,
        }),
        notifyUrl: orNull(t.string),
        notificationParameters: Strings,
        returnUrl: t.string,
        eventsWebhook: orNull(exactObject({ url: t.string, parameters: Strings })),
        currency: t.string,
        total: t.number,
        language: orNull(t.string),
        productCode: orNull(t.string),
      }),
      t.partial({
        /** The keyed hash of the merchant's request body. Only of an order with an idempotency key. */
        bodyHash: t.string,
      }),
    ]),
  ),
)
export type Placed = t.TypeOf<typeof Placed>

const PersonCodec = exactObject(
  Object.fromEntries(PERSON_FIELDS.map((field) => [field, t.string])) as Record<
    PersonField,
    t.StringC
  >,
)

const AgreementCodec = exactObject({ product: t.string, instalmentCount: t.number })

/** The totals of the two carts of an Order Update. Together they cover the whole order. */
export const Carts = exactObject({ shipped: t.number, unshipped: t.number })
export type Carts = t.TypeOf<typeof Carts>

/**
 * The result of screening. `expired`: no result arrived within the window. Contract §4, Outcomes.
 */
export const ScreeningOutcome = oneOf(
  'approved',
  'review',
  'alternative',
  'identity',
  'denied',
  'error',
  'expired',
)
export type ScreeningOutcome = t.TypeOf<typeof ScreeningOutcome>

/**
 * The plans offered instead. `forcedIndex`: the index of the plan that is the only choice, or null.
 */
export const Alternative = exactObject({
  agreements: t.readonlyArray(AgreementCodec),
  forcedIndex: orNull(t.number),
})
export type Alternative = t.TypeOf<typeof Alternative>

const CardCodec = exactObject({
  token: t.string,
  brand: t.string,
  lastFour: t.string,
  expiry: t.string,
  maskedPan: t.string,
})

/** A requested payment. `unexpected`: it succeeded although it was not the open one. */
export const Payment = exactObject({
  key: t.string,
  token: t.string,
  /** Minor units: what was asked for, without the parts that reductions sent back. */
  amount: t.number,
  state: oneOf('open', 'failed', 'void', 'succeeded', 'unexpected'),
  /** The provider's page, to which our own page redirects; null until the provider has named it. */
  providerUrl: orNull(t.string),
  /** The card whose holder must still confirm the payment (3-D Secure), and whether to save it. */
  challenge: orNull(exactObject({ token: t.string, card: CardCodec, keep: t.boolean })),
  /**
   * The keys of the effects that void the payment, or refund all that is left of it. Each happens
   * at most once.
   */
  voidedBy: orNull(t.string),
  refundedBy: orNull(t.string),
  /** The parts that reductions of the order sent back, each with the key of its effect. */
  refunds: t.readonlyArray(exactObject({ by: t.string, amount: t.number })),
})
export type Payment = t.TypeOf<typeof Payment>

/** Why a checkout has failed. It decides what the shopper and the merchant are told. */
export const FailureReason = oneOf(
  'codes',
  'screening_error',
  'screening_expired',
  'identity',
  'payment',
  'confirmation',
)
export type FailureReason = t.TypeOf<typeof FailureReason>

const CONTEXT = {
  updatedAt: t.number,
  references: exactObject({ first: t.string, second: t.string }),
  person: orNull(PersonCodec),
  agreement: orNull(AgreementCodec),
  /** Those of the last Order Update. */
  carts: orNull(Carts),
  otp: exactObject({
    issues: t.number,
    issuedAt: orNull(t.number),
    code: orNull(t.string),
    expiresAt: t.number,
    wrong: t.number,
  }),
  screening: exactObject({
    rounds: t.number,
    deadlineAt: t.number,
    outcome: orNull(ScreeningOutcome),
  }),
  alternative: orNull(Alternative),
  /** When the outcome that the next IPN reports became known. */
  outcomeAt: orNull(t.number),
  isUnderReview: t.boolean,
  session: orNull(
    exactObject({ token: t.string, errors: t.number, providerUrl: orNull(t.string) }),
  ),
  payments: t.readonlyArray(Payment),
  cards: t.readonlyArray(CardCodec),
  /** True if the merchant has answered the IPN's question by `PUT`. */
  merchantConfirmed: t.boolean,
  heldAt: orNull(t.number),
  confirmedAt: orNull(t.number),
  failure: orNull(FailureReason),
  riskLevel: orNull(RiskLevel),
  /** Milliseconds until the merchant is asked to cancel, or asked again. */
  cancelDelay: t.number,
  lateByMinutes: orNull(t.number),
  /** By lane, the key of the effect whose answer is awaited. */
  pending: Strings,
}

/**
 * Everything about an order that steps change, except for its state. It is plain JSON: instants are
 * epoch milliseconds, amounts minor units, and a missing value is null.
 */
export type OrderContext = Readonly<t.TypeOfProps<typeof CONTEXT>>

// Stored JSON may contain any key, including `toString` and `__proto__`, so keys are looked up with
// `Object.hasOwn`.
const codecOf = (name: string | number): t.Mixed | t.NeverC =>
  Object.hasOwn(CONTEXT, name) ? CONTEXT[name as keyof OrderContext] : t.never

/**
 * The stored form leaves out fields that a new order has as well. Only the fields present are
 * validated.
 */
export const StoredContext = containerOf<Partial<OrderContext>>(
  'the context of an order',
  codecOf,
  membersOf,
)

/** The context of a new order, before any event. */
export const NEW_CONTEXT: OrderContext = {
  updatedAt: 0,
  references: { first: '', second: '' },
  person: null,
  agreement: null,
  carts: null,
  otp: { issues: 0, issuedAt: null, code: null, expiresAt: 0, wrong: 0 },
  screening: { rounds: 0, deadlineAt: 0, outcome: null },
  alternative: null,
  outcomeAt: null,
  isUnderReview: false,
  session: null,
  payments: [],
  cards: [],
  merchantConfirmed: false,
  heldAt: null,
  confirmedAt: null,
  failure: null,
  riskLevel: null,
  cancelDelay: 0,
  lateByMinutes: null,
  pending: {},
}

/**
 * Data that an order always has in the states that use it. If it is missing, the statechart is
 * wrong: this throws, the step becomes an `InternalError`, and nothing incomplete is sent.
 */
export const requireValue = <A>(value: A | null | undefined, what: string): A => {
  if (value === null || value === undefined) throw new Error(`The order has no ${what}.`)
  return value
}

export const openPaymentOf = ({ payments }: Pick<OrderContext, 'payments'>): Payment =>
  requireValue(
    payments.find(({ state }) => state === 'open'),
    'open payment',
  )

export const sessionOf = ({
  session,
}: Pick<OrderContext, 'session'>): NonNullable<OrderContext['session']> =>
  requireValue(session, 'session')

export const successfulPaymentOf = ({
  payments,
}: Pick<OrderContext, 'payments'>): Payment | undefined =>
  payments.find(({ state }) => state === 'succeeded')

/**
 * True if the provider declined the payment. It still counts as declined if it succeeds later, as
 * an unexpected one. A payment that the shopper left before a decline was voided instead.
 */
export const wasDeclined = ({ state, voidedBy }: Payment): boolean =>
  state === 'failed' || (state === 'unexpected' && voidedBy === null)
