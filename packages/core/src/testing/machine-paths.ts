// Random tests miss some paths, so XState's search visits every short path through the pure step. Two orders count as the
// same if they rest in the same states and have the same values for the guards there.
import * as E from 'fp-ts/lib/Either.js'
import { fromTransition } from 'xstate'
import { getShortestPaths } from 'xstate/graph'
import type { Order } from '../order/order.ts'
import { type Placed, wasDeclined } from '../order/order-context.ts'
import type { OrderEvent } from '../order/order-event.ts'
import { initialStep, type Step, step } from '../order/step.ts'
import type { StepInput, Terms } from '../order/terms.ts'
import { ANA, CODE, EVA, FP1, I1, VISA } from './told-order.ts'

/** One event for an order. `after`: milliseconds since the previous event. */
type Telling = {
  readonly type: 'told'
  readonly event: OrderEvent
  readonly after: number
  readonly referenceIsTaken: boolean
}

export type ToldStep = {
  readonly before: Order
  readonly event: OrderEvent
  readonly moment: StepInput
  readonly made: Step
}

const telling = (event: OrderEvent, after = 1_000, referenceIsTaken = false): Telling => ({
  type: 'told',
  event,
  after,
  referenceIsTaken,
})

const OUTCOMES = ['approved', 'review', 'alternative', 'identity', 'denied', 'error'] as const

/** The possible answers in a lane. */
const answersIn = (lane: string, answers: string, order: Order): readonly OrderEvent[] => {
  switch (lane) {
    case 'screening':
      return [
        ...OUTCOMES.map(
          (outcome): OrderEvent => ({
            type: 'screening.resolved',
            answers,
            outcome,
            alternative: outcome === 'alternative' ? { agreements: [I1], forcedIndex: 0 } : null,
          }),
        ),
        { type: 'screening.resolved', answers, outcome: 'alternative', alternative: null },
      ]
    case 'cards':
      return [{ type: 'cards.recalled', answers, cards: [VISA] }]
    case 'session':
      return [
        { type: 'session.opened', answers, url: 'http://id.test' },
        ...(['VERIFIED', 'FAILED', 'ERROR'] as const).map(
          (status): OrderEvent => ({ type: 'session.reported', answers, status }),
        ),
        { type: 'session.unavailable', answers },
      ]
    case 'payment':
      return [
        { type: 'payment.opened', answers, url: 'http://pay.test' },
        { type: 'payment.challenged', answers, token: 't', card: VISA, keep: true },
        { type: 'payment.failed', answers, reason: 'declined' },
        { type: 'payment.succeeded', answers, card: VISA, keep: true },
        { type: 'payment.unavailable', answers },
      ]
    case 'ipn':
      return (['ipn.accepted', 'ipn.conflicted', 'ipn.erred', 'ipn.exhausted'] as const).map((type) => ({
        type,
        answers,
      }))
    case 'risk':
      return (['low_risk', 'high_risk', 'under_evaluation'] as const).map((level) => ({
        type: 'risk.assessed',
        answers,
        level,
      }))
    case 'watch':
      return [0, 60_000].map((delay) => ({ type: 'cancellation.advised', answers, delay }))
    case 'cancel':
      return [
        { type: 'cancel.agreed', answers },
        { type: 'cancel.refused', answers, lateByMinutes: 3 },
        { type: 'cancel.deferred', answers, retryInMinutes: 5 },
        { type: 'cancel.unsupported', answers },
        { type: 'cancel.exhausted', answers },
      ]
    default:
      return lane.startsWith('timer.') ? [{ type: 'timer.fired', answers, timer: timerOf(lane, order) }] : []
  }
}

// An order knows a timer by its lane and key. The timer's name in the machine also contains the state that armed it.
const timerOf = (lane: string, { state }: Order): string => {
  const name = lane.slice('timer.'.length)
  switch (name) {
    case 'checkoutLifetime':
      return `${name}.open`
    case 'screeningWindow':
      return `${name}.screening`
    case 'cancelDelay':
      return `${name}.${state.cancellation}`
    default:
      return `${name}.${state.checkout}`
  }
}

const EVERYBODY: readonly Telling[] = [
  telling({ type: 'merchant.confirmed' }),
  telling({ type: 'merchant.held' }),
  telling({ type: 'review.approved' }),
  telling({ type: 'review.rejected' }),
  telling({ type: 'cancellation.requested' }),
  telling({ type: 'order.cancelled', by: 'operator' }),
  telling({ type: 'order.updated' }),
  telling({ type: 'references.given', first: 'R/2', second: null }),
]

const submissions = ({ context }: Order): readonly Telling[] => {
  const mine = { type: 'person.submitted', person: context.person ?? ANA } as const
  return [
    telling({ ...mine, agreement: null }),
    telling({ ...mine, agreement: null }, 31_000),
    telling({ ...mine, agreement: I1 }, 1_000, true),
    telling({ ...mine, agreement: I1 }),
    telling({ type: 'person.changed', person: context.person === EVA ? ANA : EVA, agreement: null }, 31_000),
    telling({ type: 'person.changed', person: context.person === EVA ? ANA : EVA, agreement: null }),
    telling({ ...mine, type: 'code.submitted', agreement: I1, code: CODE }),
    telling({ ...mine, type: 'code.submitted', agreement: FP1, code: CODE }),
    telling({ ...mine, type: 'code.submitted', agreement: I1, code: '00000' }),
    telling({ ...mine, type: 'code.submitted', agreement: I1, code: CODE }, 600_000),
  ]
}

const SHOPPING = [
  'identifying',
  'verifyingPhone',
  'screening',
  'screened',
  'verified',
  'unverified',
  'errored',
  'choosingAlternative',
  'paying',
]

// A payment that is not the open one, and one that has already succeeded. Both receive the event that they succeeded.
const paymentsTold = ({ context: { payments } }: Order): readonly string[] =>
  [
    ['void', 'failed'],
    ['succeeded', 'stray'],
  ].flatMap((states) =>
    payments
      .filter(({ state }) => states.includes(state))
      .slice(0, 1)
      .map(({ key }) => key),
  )

/** All events that the order may receive now. */
const tellingsOf = (order: Order): readonly Telling[] => [
  ...Object.entries(order.context.awaited).flatMap(([lane, key]) =>
    answersIn(lane, key, order).map((event) => telling(event)),
  ),
  ...paymentsTold(order).map((key) => telling({ type: 'payment.succeeded', answers: key, card: null, keep: false })),
  ...(SHOPPING.includes(order.state.checkout) ? submissions(order) : []),
  ...EVERYBODY,
]

/** The values that the guards of the order's state depend on. */
const askedAbout = ({ state, context }: Order): readonly unknown[] => {
  const { otp, screening, session, payments } = context
  const declined = payments.filter(wasDeclined).length
  switch (state.checkout) {
    case 'verifyingPhone':
      return [otp.issues, otp.wrong, otp.code !== null]
    case 'screening':
    case 'screened':
      return [screening.rounds, screening.outcome, context.alternative !== null]
    case 'started':
    case 'errored':
      return [session?.errors]
    case 'paying':
      return [declined, payments.some((payment) => payment.state === 'void'), context.isUnderReview]
    case 'confirming':
    case 'holding':
      return [context.merchantHasSpoken, context.heldAt !== null]
    case 'confirmed':
      return ['risk', 'watch'].filter((lane) => lane in context.awaited)
    default:
      return [payments.at(-1)?.state]
  }
}

/** The search treats two orders with the same result as one. */
const likeness = (order: Order): string =>
  JSON.stringify([order.state, order.context.agreement?.product, askedAbout(order)])

// Enough for all steps. The limit ends the search if `likeness` fails to recognise equal orders.
const STEPS_MAX = 20_000

/** Calls `visit` for every step on the shortest paths from a new order to every order that can be reached. */
export const alongShortestPaths = (placed: Placed, terms: Terms, visit: (told: ToldStep) => void): void => {
  const moment = (at: number, referenceIsTaken = false): StepInput => ({
    at,
    fresh: { code: CODE, token: 't' },
    referenceIsTaken,
  })
  const first = initialStep(terms)(placed, { first: 'R/1', second: '' }, moment(placed.placedAt))
  if (E.isLeft(first)) throw new Error(first.left.message)
  const logic = fromTransition(
    ({ order }: { readonly order: Order }, { event, after, referenceIsTaken }: Telling) => {
      const now = moment(order.context.updatedAt + after, referenceIsTaken)
      const made = step(terms)(order, event, now)
      if (E.isLeft(made)) throw new Error(made.left.message)
      visit({ before: order, event, moment: now, made: made.right })
      return { order: made.right.order }
    },
    { order: first.right.order },
  )
  getShortestPaths(logic, {
    events: ({ context }) => [...tellingsOf(context.order)],
    serializeState: ({ context }) => likeness(context.order) as never,
    limit: STEPS_MAX,
  })
}
