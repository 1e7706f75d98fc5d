// Random tests miss some paths, so XState's search visits every short path through the pure step.
// Two orders count as the same if they rest in the same states and have the same values for the
// guards there.
import * as E from 'fp-ts/lib/Either.js'
import { fromTransition } from 'xstate'
import { getShortestPaths } from 'xstate/graph'
import { possibleAnswers } from '../checkout/worker/possible-answers.ts'
import type { DoEffect, Effect } from '../order/effects/effect.ts'
import type { Terms } from '../order/model.ts'
import type { Order, OrderEvent } from '../order/order.ts'
import { type Placed, wasDeclined } from '../order/order-context.ts'
import { initialStep, type Step, step } from '../order/step.ts'
import type { StepInput } from '../order/terms.ts'
import { ANA, CODE, EVA, FP1, I1, type ReplyContent } from './harness/order-fixture.ts'

/** One event for an order. `after`: milliseconds since the previous event. */
type PathEvent = {
  readonly type: 'sent'
  readonly event: OrderEvent
  readonly after: number
  readonly referenceIsTaken: boolean
}

/** One step of a path, with what is needed to repeat it. */
export type VisitedStep = {
  readonly before: Order
  readonly event: OrderEvent
  readonly stepInput: StepInput
  readonly result: Step
}

const pathEvent = (event: OrderEvent, after = 1_000, referenceIsTaken = false): PathEvent => ({
  type: 'sent',
  event,
  after,
  referenceIsTaken,
})

/** The order, and its last effect in each lane. */
type Reached = { readonly order: Order; readonly effects: ReadonlyMap<string, DoEffect> }

const isDone = (effect: Effect): effect is DoEffect => effect.type === 'do'

const withStep = ({ effects }: Pick<Reached, 'effects'>, made: Step): Reached => ({
  order: made.order,
  effects: new Map([
    ...effects,
    ...made.effects.filter(isDone).map((effect) => [effect.lane, effect] as const),
  ]),
})

/** Values of an answer that decide, beside the one that stands for its kind. */
const OTHER_ANSWERS: { readonly [lane: string]: readonly ReplyContent[] | undefined } = {
  screening: [{ type: 'screening.resolved', outcome: 'alternative', alternative: null }],
  watch: [{ type: 'cancellation.advised', delay: 60_000 }],
}

/** The possible answers to all effects that the order awaits. */
const answersOf = ({ order, effects }: Reached): readonly PathEvent[] =>
  Object.keys(order.context.pending).flatMap((lane) => {
    const effect = effects.get(lane)
    if (effect === undefined) return []
    const others = (OTHER_ANSWERS[lane] ?? []).map((answer) => ({
      ...answer,
      inReplyTo: effect.key,
    }))
    // A reply without its key has all other members.
    return [...possibleAnswers(effect), ...(others as readonly OrderEvent[])].map((event) =>
      pathEvent(event),
    )
  })

const ANYTIME_EVENTS: readonly PathEvent[] = [
  pathEvent({ type: 'merchant.confirmed' }),
  pathEvent({ type: 'merchant.held' }),
  pathEvent({ type: 'review.approved' }),
  pathEvent({ type: 'review.rejected' }),
  pathEvent({ type: 'cancellation.requested' }),
  pathEvent({ type: 'order.cancelled', by: 'operator' }),
  pathEvent({ type: 'order.updated', carts: { shipped: 0, unshipped: 12_100 } }),
  pathEvent({ type: 'order.reduced', carts: { shipped: 6_050, unshipped: 0 }, from: 12_100 }),
  pathEvent({ type: 'references.given', first: 'R/2', second: null }),
]

const submissions = ({ context }: Order): readonly PathEvent[] => {
  const mine = { type: 'person.submitted', person: context.person ?? ANA } as const
  return [
    pathEvent({ ...mine, agreement: null }),
    pathEvent({ ...mine, agreement: null }, 31_000),
    pathEvent({ ...mine, agreement: I1 }, 1_000, true),
    pathEvent({ ...mine, agreement: I1 }),
    pathEvent(
      { type: 'person.changed', person: context.person === EVA ? ANA : EVA, agreement: null },
      31_000,
    ),
    pathEvent({
      type: 'person.changed',
      person: context.person === EVA ? ANA : EVA,
      agreement: null,
    }),
    pathEvent({ ...mine, type: 'code.submitted', agreement: I1, code: CODE }),
    pathEvent({ ...mine, type: 'code.submitted', agreement: FP1, code: CODE }),
    pathEvent({ ...mine, type: 'code.submitted', agreement: I1, code: '00000' }),
    pathEvent({ ...mine, type: 'code.submitted', agreement: I1, code: '1' }),
    pathEvent({ ...mine, type: 'code.submitted', agreement: I1, code: CODE }, 600_000),
  ]
}

const SHOPPER_STATES = [
  ...[
    'identifying',
    'verifyingPhone',
    'screening',
    'screened',
    'verified',
    'unverified',
    'errored',
  ],
  ...['choosingAlternative', 'paying'],
]

// A payment that is not the open one, and one that has already succeeded. Both receive the event
// that they succeeded.
const repeatedPayments = ({ context: { payments } }: Order): readonly string[] =>
  [
    ['void', 'failed'],
    ['succeeded', 'unexpected'],
  ].flatMap((states) =>
    payments
      .filter(({ state }) => states.includes(state))
      .slice(0, 1)
      .map(({ key }) => key),
  )

/** All events that the order may receive now. */
const pathEventsOf = (reached: Reached): readonly PathEvent[] => [
  ...answersOf(reached),
  ...repeatedPayments(reached.order).map((key) =>
    pathEvent({ type: 'payment.succeeded', inReplyTo: key, card: null, keep: false }),
  ),
  ...(SHOPPER_STATES.includes(reached.order.state.checkout) ? submissions(reached.order) : []),
  ...ANYTIME_EVENTS,
]

/** The values that the guards of the order's state depend on. */
const guardValues = ({ state, context }: Order): readonly unknown[] => {
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
      return [context.merchantConfirmed, context.heldAt !== null]
    case 'confirmed':
      return [
        context.carts !== null,
        ...['risk', 'watch'].filter((lane) => lane in context.pending),
      ]
    default:
      return [payments.at(-1)?.state]
  }
}

/** The search treats two orders with the same result as one. */
const similarityKey = (order: Order): string =>
  JSON.stringify([order.state, order.context.agreement?.product, guardValues(order)])

// Enough for all steps. The limit ends the search if `similarityKey` fails to recognise equal
// orders.
const STEPS_MAX = 20_000

const stepInputAt = (at: number, referenceIsTaken = false): StepInput => ({
  at,
  random: { code: CODE, token: 't' },
  referenceIsTaken,
})

const begin = (placed: Placed, terms: Terms): Reached => {
  const references = { first: 'R/1', second: '' }
  const first = initialStep(terms)(placed, references, stepInputAt(placed.placedAt))
  if (E.isLeft(first)) throw new Error(first.left.message)
  return withStep({ effects: new Map() }, first.right)
}

const stepAlong = (
  { order: before }: Reached,
  { event, after, referenceIsTaken }: PathEvent,
  terms: Terms,
): VisitedStep => {
  const stepInput = stepInputAt(before.context.updatedAt + after, referenceIsTaken)
  const result = step(terms)(before, event, stepInput)
  if (E.isLeft(result)) throw new Error(result.left.message)
  return { before, event, stepInput, result: result.right }
}

/**
 * Takes one of the order's possible events for each of the choices, which are natural numbers, and
 * calls `visit` for every step.
 */
export const alongWalk = (
  placed: Placed,
  terms: Terms,
  choices: readonly number[],
  visit: (visited: VisitedStep) => void,
): void => {
  let reached = begin(placed, terms)
  for (const choice of choices) {
    const events = pathEventsOf(reached)
    const visited = stepAlong(reached, events[choice % events.length] as PathEvent, terms)
    visit(visited)
    reached = withStep(reached, visited.result)
  }
}

/**
 * Calls `visit` for every step on the shortest paths from a new order to every order that can be
 * reached.
 */
export const alongShortestPaths = (
  placed: Placed,
  terms: Terms,
  visit: (visited: VisitedStep) => void,
): void => {
  const logic = fromTransition(
    (reached: Reached, sent: PathEvent) => {
      const visited = stepAlong(reached, sent, terms)
      visit(visited)
      return withStep(reached, visited.result)
    },
    begin(placed, terms),
  )
  getShortestPaths(logic, {
    events: ({ context }) => [...pathEventsOf(context)],
    serializeState: ({ context }) => similarityKey(context.order) as never,
    limit: STEPS_MAX,
  })
}
