// Every use case takes the host as its argument, so that none has its own clock, store or random
// source.
import * as E from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { machineValue, modelOf, type Terms } from '../order/model.ts'
import type { Order } from '../order/order.ts'
import type { InternalError, Step } from '../order/step.ts'
import type { StepInput } from '../order/terms.ts'
import type { Clock, Ids } from '../ports/clock-and-ids.ts'
import type { FullStore, Store } from '../ports/store.ts'
import type { OrderNotFound, ReferenceTaken, Unavailable } from '../ports/store-errors.ts'

/**
 * What every use case takes: where orders are kept, domain time, random values, and the terms of
 * all orders.
 */
export type Host = {
  readonly store: Store
  readonly clock: Clock
  readonly ids: Ids
  readonly terms: Terms
}

/** A host whose store has every capability. */
export type FullHost = Host & { readonly store: FullStore }

/**
 * The calling account, by its `username`. Orders of other accounts are reported as unknown.
 * Contract §2.
 */
export type Caller = { readonly account: string }

/** The request was understood and refused. `sentences`: one for each reason. */
export type Refused = { readonly _tag: 'Refused'; readonly sentences: readonly string[] }

export const refuse = (sentences: readonly string[]): Refused => ({ _tag: 'Refused', sentences })

/** A list of refusals: empty if the value is right. */
export const sentenceUnless = (isRight: boolean, sentence: string): readonly string[] =>
  isRight ? [] : [sentence]

/** The errors that every step of a stored order may have. */
export type StepError = OrderNotFound | ReferenceTaken | Unavailable | InternalError

/**
 * The input of a step of this order. Throws if the model has no such state, so that the answer is
 * `Unavailable`: another node may have the model that does.
 */
export const stepInputOf = (
  { clock, ids, terms }: Host,
  { state }: Order,
  referenceIsTaken: boolean,
): StepInput => {
  machineValue(state, modelOf(terms))
  return { at: clock.now(), random: ids.random(), referenceIsTaken }
}

/** Commits the step that `decide` makes of a stored order. Returns the order after the step. */
export const changeOrder =
  (host: Host) =>
  <Failure>(
    orderRef: string,
    decide: (order: Order, stepInput: StepInput) => E.Either<Failure, Step>,
  ): TaskEither<Failure | OrderNotFound | ReferenceTaken | Unavailable, Order> =>
    host.store.step<Failure, Order>(orderRef, (order, referenceIsTaken) => {
      const next = decide(order, stepInputOf(host, order, referenceIsTaken))
      if (E.isLeft(next)) return next
      return E.right({ step: next.right, answer: next.right.order })
    })
