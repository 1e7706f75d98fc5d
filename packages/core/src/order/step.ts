// The pure step: (terms) => (order, event, stepInput) => Either<InternalError, Step>. It is total:
// an error is returned as a value. No other file runs the machine.

import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { AnyStateNode } from 'xstate'
import type { WaitAction } from '../protocol/action.ts'
import type { Configuration, MachineAction } from '../statechart/run-machine.ts'
import { type Effect, isPending, resolvePending, trackPending } from './effects/effect.ts'
import { effectOf, type MaybeEffect, machineEvent, webhookEffect } from './effects/effects.ts'
import { errorMessage } from './error-message.ts'
import { journalDetail } from './journal-detail.ts'
import type { MachineContext } from './machine/machine-context.ts'
import {
  machineInput,
  metaOf,
  modelOf,
  ORDER_MODEL,
  type OrderModel,
  restingStateOf,
  type Terms,
} from './model.ts'
import { waitAction } from './next-action.ts'
import {
  isReply,
  type Order,
  type OrderEvent,
  type OrderState,
  REGIONS,
  type ReplyEvent,
} from './order.ts'
import { NEW_CONTEXT, type OrderContext, type Placed } from './order-context.ts'
import type { StepInput } from './terms.ts'

/**
 * One line of an order's journal. `input` allows replaying the line; lines that only inform have
 * none.
 */
export type JournalLine = {
  readonly seq: number
  readonly at: number
  readonly event: string
  readonly detail: string | null
  readonly from: OrderState
  readonly to: OrderState
  readonly input: { readonly event: OrderEvent; readonly stepInput: StepInput } | null
}

/** What an event has made of an order. A store commits all of it, or nothing. */
export type Step = {
  readonly order: Order
  /** Applied one after another: an effect that is done and then revoked never happens. */
  readonly effects: readonly Effect[]
  /** Empty if nothing has changed; then the store writes nothing. */
  readonly journal: readonly JournalLine[]
  /**
   * An `order_ref_1` that no other order of the merchant may hold; the store enforces this. The
   * order itself may not hold it yet (`heldReference`). Null: none is requested.
   */
  readonly reference: string | null
  /** The host's own model, with which the step was made. A store writes by it. */
  readonly model?: OrderModel | undefined
}

/** An internal error. The order stays unchanged. */
export type InternalError = {
  readonly _tag: 'InternalError'
  readonly message: string
  readonly cause: unknown
}

type Leaves = readonly AnyStateNode[]

const stateOf = ([checkout, risk, cancellation]: Leaves): OrderState =>
  ({ checkout: checkout?.key, risk: risk?.key, cancellation: cancellation?.key }) as OrderState

/** A step that changes nothing. */
export const unchanged = (order: Order): Step => ({
  order,
  effects: [],
  journal: [],
  reference: null,
})

/** True if the step writes nothing and requests no reference: the store can skip it. */
export const isUnchanged = ({ journal, reference }: Step): boolean =>
  journal.length === 0 && reference === null

/**
 * The first step of an order: places it, with the effects of its first states. Later steps need
 * terms with the same model.
 */
export const initialStep =
  (terms: Terms) =>
  (
    placed: Placed,
    references: OrderContext['references'],
    stepInput: StepInput,
  ): E.Either<InternalError, Step> =>
    tryStep(() => {
      const context = { ...NEW_CONTEXT, updatedAt: stepInput.at, references }
      const started = modelOf(terms).machine.initial(
        machineInput(terms)({ placed, context, revision: 0 }, stepInput),
      )
      const state = stateOf(started.leaves)
      const order = { placed, revision: 1, state, context: orderContext(started) }
      const line = { event: 'order.placed', detail: null, input: null }
      return {
        ...outcome(terms, order, null, started.actions, line),
        reference: references.first === '' ? null : references.first,
      }
    })

/**
 * Applies an event to an order. If its state does not react, the order stays unchanged, but an
 * answer adds a journal line.
 */
export const step =
  (terms: Terms) =>
  (order: Order, event: OrderEvent, stepInput: StepInput): E.Either<InternalError, Step> =>
    tryStep(() => {
      const at = Math.max(stepInput.at, order.context.updatedAt)
      const isUnexpectedReply = isReply(event) && !isPending(order.context.pending, event)
      // A payment that succeeds when none is awaited must still reach the machine, which refunds
      // it.
      if (isUnexpectedReply && event.type !== 'payment.succeeded')
        return journalOnly(terms, order, event, stepInput, at)

      const { placed } = order
      const context = {
        ...order.context,
        updatedAt: at,
        pending: resolvePending(order.context.pending, event),
      }
      const before = configurationOf(terms, { ...order, context }, { ...stepInput, at })
      const after = modelOf(terms).machine.transition(before, machineEvent(event))
      const { actions } = after
      const isSameState = after.leaves.every((leaf, index) => leaf === before.leaves[index])
      if (after.context === before.context && actions.length === 0 && isSameState)
        return isReply(event) ? journalOnly(terms, order, event, stepInput, at) : unchanged(order)

      const next = {
        placed,
        revision: before.context.stepInput.revision,
        state: stateOf(after.leaves),
        context: orderContext(after),
      }
      return outcome(terms, next, order, actions, {
        event: event.type,
        detail: journalDetail(event, next),
        input: { event, stepInput },
      })
    })

/**
 * True if a state reacts to the event now. A repeated request may be accepted and change nothing.
 * False too if the model has no such state.
 */
export const accepts =
  (terms: Terms) =>
  (order: Order, event: OrderEvent, at: number): boolean =>
    pipe(
      E.tryCatch(() => configurationOf(terms, order, { ...NO_INPUT, at }), errorMessage),
      E.exists((configuration) => modelOf(terms).machine.accepts(configuration, event)),
    )

// No guard of an event reads it.
const NO_INPUT = { random: { code: '', token: '' }, referenceIsTaken: false }

const configurationOf = (
  terms: Terms,
  order: Order,
  stepInput: StepInput,
): Configuration<MachineContext> => ({
  leaves: REGIONS.map((region) => restingStateOf(region, order.state, modelOf(terms)).node),
  context: machineInput(terms)(order, stepInput),
})

/**
 * Joins two consecutive steps into one. `second` must have been made from the order that `first`
 * returned.
 */
export const andThen = (first: Step, second: Step): Step => ({
  order: second.order,
  effects: [...first.effects, ...second.effects],
  journal: [...first.journal, ...second.journal],
  reference: second.reference ?? first.reference,
  model: second.model ?? first.model,
})

const tryStep = (make: () => Step): E.Either<InternalError, Step> =>
  E.tryCatch(make, (cause) => ({ _tag: 'InternalError', message: errorMessage(cause), cause }))

const orderContext = ({ context }: Configuration<MachineContext>): OrderContext => {
  const {
    placed: _placed,
    rules: _rules,
    products: _products,
    stepInput: _input,
    ...storedContext
  } = context
  return storedContext
}

/** What a line says beside the order's own data. */
type News = Pick<JournalLine, 'event' | 'detail' | 'input'>

/** Adds a line to the journal, and changes data of the order, but not its state. */
export const addLine = (
  order: Order,
  line: News & Pick<JournalLine, 'at'>,
  change: Partial<OrderContext> = {},
): Step => {
  const { state, context } = order
  const revision = order.revision + 1
  return {
    order: { ...order, revision, context: { ...context, ...change, updatedAt: line.at } },
    effects: [],
    journal: [{ seq: revision, ...line, from: state, to: state }],
    reference: null,
  }
}

// An answer that changes no state still adds a line to the journal, and is no longer awaited.
const journalOnly = (
  terms: Terms,
  order: Order,
  event: ReplyEvent,
  stepInput: StepInput,
  at: number,
): Step => {
  const { pending } = order.context
  const wasExpected = isPending(pending, event) || event.type === 'payment.refunded'
  const detail = wasExpected
    ? journalDetail(event, order)
    : 'not expected any more: changes nothing'
  const line = { at, event: event.type, detail, input: { event, stepInput } }
  return {
    ...addLine(order, line, { pending: resolvePending(pending, event) }),
    model: terms.model,
  }
}

// A countdown that has moved on is no news.
const withoutCountdown = (action: WaitAction): string =>
  JSON.stringify({ ...action, expires_in: null })

const actionEventOf = (
  terms: Terms,
  order: Order,
  before: Order | null,
  event: OrderEvent | null,
): MaybeEffect => {
  if (before === null || !order.placed.merchant.sendsActionEvents) return null
  const at = order.context.updatedAt
  const action = waitAction(order, terms, at)
  const isNews = withoutCountdown(action) !== withoutCountdown(waitAction(before, terms, at))
  const { products } = modelOf(terms)
  return isNews ? webhookEffect({ order, event, terms, products }, 'action', action) : null
}

// One step never starts two effects in one lane: they would have the same key.
const effectsIn = (maybeEffects: readonly MaybeEffect[]): readonly Effect[] => {
  const effects = maybeEffects.flatMap((each) =>
    each !== null && 'effect' in each ? [each.effect] : [],
  )
  const keys = effects.flatMap((effect) => (effect.type === 'do' ? [effect.key] : []))
  if (new Set(keys).size !== keys.length)
    throw new Error(`Two effects of one step share a key: ${keys.join(', ')}.`)
  return effects
}

/**
 * The `order_ref_1` that this order holds, so that no other order of the merchant may use it; null
 * if none. Contract §3.
 */
export const heldReference = ({ state, context }: Order, model = ORDER_MODEL): string | null =>
  metaOf('checkout', state, model).holdsReference &&
  !metaOf('cancellation', state, model).releasesReference
    ? context.references.first || null
    : null

// The reference that must be free: the one the merchant gives now, the one the order holds from this
// step on, or the one for which a payment is opened. If a model opens a payment although the
// reference is taken, confirmation finds the conflict.
const requestedReference = (
  before: Order | null,
  after: Order,
  input: JournalLine['input'],
  model: OrderModel,
): string | null => {
  if (input?.event.type === 'references.given') return input.event.first
  const { payments, references } = after.context
  if (
    payments.length > (before?.context.payments.length ?? 0) &&
    !input?.stepInput.referenceIsTaken
  )
    return references.first || null
  const orderRef1 = heldReference(after, model)
  return before !== null && orderRef1 === heldReference(before, model) ? null : orderRef1
}

const outcome = (
  terms: Terms,
  order: Order,
  before: Order | null,
  actions: readonly MachineAction[],
  news: News,
): Step => {
  const event = news.input?.event ?? null
  const model = modelOf(terms)
  const input = { order, event, terms, products: model.products }
  const maybeEffects = [
    ...actions.map((action) => effectOf(input, action)),
    actionEventOf(terms, order, before, event),
  ]
  const { state, context } = order
  const line = { seq: order.revision, at: context.updatedAt, from: state, to: state }
  const unsent = maybeEffects.flatMap((each) =>
    each !== null && 'unsent' in each ? [each.unsent] : [],
  )
  const journal = [
    { ...line, ...news, from: before?.state ?? state },
    // One line for each event that cannot be sent because the order has no `events_webhook`.
    ...unsent.map((detail, n) => ({
      ...line,
      seq: line.seq + n + 1,
      event: 'event.unsent',
      detail,
      input: null,
    })),
  ]
  const { pending, effects } = trackPending(
    before?.context.pending ?? {},
    context.pending,
    effectsIn(maybeEffects),
  )
  const revision = order.revision + unsent.length
  const after = { ...order, revision, context: { ...context, pending } }
  const reference = requestedReference(before, after, news.input, model)
  return { order: after, effects, journal, reference, model: terms.model }
}
