// What each party may do now. Every type of event has its party and its possible values, so that a
// new event does not compile without them. Each is tried on a copy of the order, and those that
// change something are listed.
import type { Party } from '../order/machine/state-meta.ts'
import { heldReference, type OrderModel } from '../order/model.ts'
import type { Order, OrderEvent } from '../order/order.ts'
import type { Payment } from '../order/order-context.ts'
import { presentTotal } from '../order/reduction.ts'
import type { Person } from '../protocol/identification-form.ts'
import { PERSON_FIELDS } from '../protocol/person-fields.ts'
import { ScreeningAnswer, SessionStatus } from '../protocol/provider-answer.ts'
import { RiskLevel } from '../protocol/webhook-event.ts'
import { hasEffectOn, type Outcome, outcomeOf, type Trial } from './trial.ts'

/** One thing that somebody may do now, with what it would cause. */
export type Choice = {
  readonly who: Party
  /** The type of the event that the decision causes. */
  readonly decision: OrderEvent['type']
  /** Which of several values it has, for example `denied`. Null: they make no difference. */
  readonly detail: string | null
  readonly event: OrderEvent
  readonly outcome: Outcome
}

type EventOf<Type extends OrderEvent['type']> = Extract<OrderEvent, { readonly type: Type }>

/** Values of an event that stand for all that it may have. */
type Candidate<Type extends OrderEvent['type']> = readonly [
  who: Party,
  detail: string | null,
  values: Omit<EventOf<Type>, 'type'>,
]
type Candidates = {
  readonly [Type in OrderEvent['type']]: (
    order: Order,
    model: OrderModel,
  ) => readonly Candidate<Type>[]
}

/** It happens by itself, so nobody decides it. */
const nobody = (): readonly [] => []

const NO_NAME = Object.fromEntries(PERSON_FIELDS.map((field) => [field, ''])) as Person
const ANOTHER_PERSON: Person = { ...NO_NAME, nin: 'another' }
const CARD = { token: '', brand: '', lastFour: '', expiry: '', maskedPan: '' }

const submissionOf = ({ context }: Order) =>
  ({ person: context.person ?? NO_NAME, agreement: null }) as const

/** Whatever the party answers to the effect that is awaited in the lane. */
const replies =
  <Values extends object>(
    lane: string,
    who: Party,
    answers: { readonly [detail: string]: Values },
  ) =>
  ({ context }: Order) => {
    const inReplyTo = context.pending[lane]
    return inReplyTo === undefined
      ? []
      : Object.entries(answers).map(
          ([detail, values]) => [who, detail || null, { ...values, inReplyTo }] as const,
        )
  }

const byName = <Name extends string, Values>(
  { keys }: { readonly keys: Readonly<Record<Name, unknown>> },
  make: (name: Name) => Values,
): { readonly [name: string]: Values } =>
  Object.fromEntries((Object.keys(keys) as Name[]).map((name) => [name, make(name)]))

/** Without a URL for it, nobody is asked. */
const ipnReplies = (order: Order) =>
  order.placed.notifyUrl === null ? [] : replies('ipn', 'merchant', { '': {} })(order)

const paymentsIn =
  <Values extends object>(who: Party, states: readonly Payment['state'][], values: Values) =>
  ({ context }: Order) =>
    context.payments
      .filter(({ state }) => states.includes(state))
      .map(({ key, state }) => [who, state, { ...values, inReplyTo: key }] as const)

/** The Order Update API finds an order by the reference that it holds. */
const isOpenForUpdates = (order: Order, model: OrderModel): boolean =>
  order.state.checkout === 'confirmed' && heldReference(order, model) !== null

const totalOf = ({ placed, context }: Order): number => presentTotal({ placed, ...context })

const CANDIDATES: Candidates = {
  'person.submitted': (order) => {
    const submission = submissionOf(order)
    const offered = order.context.alternative?.agreements ?? []
    return [
      ['shopper', null, submission],
      ...offered.map(
        (agreement) =>
          [
            'shopper',
            `${agreement.product} ${agreement.instalmentCount}`,
            { ...submission, agreement },
          ] as const,
      ),
    ]
  },
  'person.changed': ({ context }) =>
    context.person === null ? [] : [['shopper', null, { person: ANOTHER_PERSON, agreement: null }]],
  'code.submitted': (order) => {
    const submission = submissionOf(order)
    const { code } = order.context.otp
    return code === null
      ? []
      : [
          ['shopper', 'right', { ...submission, code }],
          ['shopper', 'wrong', { ...submission, code: code === '00000' ? '00001' : '00000' }],
        ]
  },
  'screening.resolved': replies(
    'screening',
    'screening',
    byName(ScreeningAnswer, (outcome) => ({ outcome, alternative: null })),
  ),
  'cards.recalled': replies('cards', 'payments', { '': { cards: [CARD] } }),
  'session.opened': replies('session', 'identity', { '': { url: '' } }),
  'session.reported': replies(
    'session',
    'identity',
    byName(SessionStatus, (status) => ({ status })),
  ),
  'session.unavailable': nobody,
  'payment.opened': replies('payment', 'payments', { '': { url: '' } }),
  'payment.challenged': replies('payment', 'payments', {
    '': { token: '', card: CARD, keep: false },
  }),
  'payment.succeeded': paymentsIn('shopper', ['open', 'failed', 'void'], {
    card: null,
    keep: false,
  }),
  'payment.failed': paymentsIn('payments', ['open'], { reason: 'declined' }),
  'payment.unavailable': nobody,
  'payment.refunded': nobody,
  'ipn.accepted': ipnReplies,
  'ipn.conflicted': ipnReplies,
  'ipn.erred': nobody,
  'ipn.exhausted': nobody,
  'merchant.confirmed': () => [['merchant', null, {}]],
  'merchant.held': () => [['merchant', null, {}]],
  'references.given': ({ context }) => [
    ['merchant', null, { first: null, second: `${context.references.second}'` }],
  ],
  'order.updated': (order, model) => {
    const total = totalOf(order)
    const { shipped, unshipped } = order.context.agreement?.carts ?? {}
    const isShipped = shipped === total && unshipped === 0
    const carts = isShipped ? { shipped: 0, unshipped: total } : { shipped: total, unshipped: 0 }
    const isNews = carts.shipped !== shipped || carts.unshipped !== unshipped
    return isOpenForUpdates(order, model) && isNews ? [['merchant', null, { carts }]] : []
  },
  // The largest reduction stands for all.
  'order.reduced': (order, model) =>
    isOpenForUpdates(order, model) && totalOf(order) > 0
      ? [['merchant', null, { carts: { shipped: 0, unshipped: 0 }, from: totalOf(order) }]]
      : [],
  'order.cancelled': (order, model) => [
    ...(isOpenForUpdates(order, model) ? [['merchant', null, { by: 'merchant' }] as const] : []),
    ['operator', null, { by: 'operator' }],
  ],
  'review.approved': () => [['operator', null, {}]],
  'review.rejected': () => [['operator', null, {}]],
  'cancellation.requested': () => [['operator', null, {}]],
  'risk.assessed': replies(
    'risk',
    'risk',
    byName(RiskLevel, (level) => ({ level })),
  ),
  'cancellation.advised': replies('watch', 'risk', {
    now: { delay: 0 },
    later: { delay: 60_000 },
  }),
  'cancel.agreed': replies('cancel', 'merchant', { '': {} }),
  'cancel.refused': replies('cancel', 'merchant', { '': { lateByMinutes: null } }),
  'cancel.deferred': replies('cancel', 'merchant', { '': { retryInMinutes: 1 } }),
  'cancel.unsupported': replies('cancel', 'merchant', { '': {} }),
  'cancel.exhausted': nobody,
  'timer.fired': nobody,
}

/** All that anybody may do to the order now. What is not listed is refused or changes nothing. */
export const choicesOf = (
  trial: Trial,
  order: Order,
  at: number,
  model: OrderModel,
): readonly Choice[] =>
  (Object.keys(CANDIDATES) as OrderEvent['type'][]).flatMap((decision) =>
    CANDIDATES[decision](order, model).flatMap(([who, detail, values]) => {
      // The table pairs each type with its values.
      const event = { type: decision, ...values } as OrderEvent
      const step = trial(order, event, at)
      return step !== null && hasEffectOn(order, step)
        ? [{ who, decision, detail, event, outcome: outcomeOf(order, step) }]
        : []
    }),
  )
