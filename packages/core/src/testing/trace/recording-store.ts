// Wraps a store so that everything that runs on it is written to a trace. The wrapper changes
// nothing.
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { historyLine } from '../../checkout/merchant/order-history.ts'
import type { Effect } from '../../order/effects/effect.ts'
import type { Terms } from '../../order/model.ts'
import { waitAction } from '../../order/next-action.ts'
import type { Order } from '../../order/order.ts'
import { decodePlaced, decodeSnapshot, encodePlaced, encodeSnapshot } from '../../order/snapshot.ts'
import { type Step, step } from '../../order/step.ts'
import { outcomeOf } from '../../ports/deliveries.ts'
import { wasApplied } from '../../ports/job-queue.ts'
import type { Decide } from '../../ports/order-store.ts'
import type { Store } from '../../ports/store.ts'
import type { CommittedStep } from './trace.ts'
import type { RecordingContext } from './trace-recorder.ts'

const decodedOrThrow = <A>(read: E.Either<readonly string[], A>): A => {
  if (E.isLeft(read))
    throw new Error(`An order cannot be read as it was stored: ${read.left.join(' ')}`)
  return read.right
}

const roundTrip = (order: Order): Order => ({
  placed: decodedOrThrow(decodePlaced(encodePlaced(order.placed))),
  revision: order.revision,
  ...decodedOrThrow(decodeSnapshot(encodeSnapshot(order))),
})

// Replays the events from the order's stored form. A later process must get the same result from
// the same journal.
const replayStep = (
  terms: Terms,
  before: Order | null,
  { journal }: Step,
): CommittedStep['replayed'] => {
  if (before === null) return null
  let order = roundTrip(before)
  const effects: Effect[] = []
  for (const { input } of journal) {
    if (input === null) continue
    const result = step(terms)(order, input.event, input.stepInput)
    if (E.isLeft(result)) return null
    effects.push(...result.right.effects)
    order = roundTrip(result.right.order)
  }
  return { order, effects }
}

/**
 * Wraps a store: its steps and jobs become entries of the trace. `cause`: called for each operation
 * of the store. Returns the id of the request that causes it, or null.
 */
export const recordingStore = <S extends Store>(
  { terms, recorder }: RecordingContext,
  store: S,
  cause: () => string | null = () => null,
): S => {
  const recordStep = (before: Order | null, step: Step, from: string | null): void => {
    const [line] = step.journal
    if (line === undefined) return
    const { orderRef } = step.order.placed
    const at = step.order.context.updatedAt
    const wait = waitAction(step.order, terms, at)
    recorder.record(orderRef, {
      part: 'step',
      at,
      cause: from,
      before,
      step,
      wait,
      replayed: replayStep(terms, before, step),
    })
    for (const each of step.journal)
      recorder.record(orderRef, { part: 'line', ...historyLine(each), at: each.at })
  }

  // Only the last decision was committed.
  const observeDecision = <E, A>(decide: Decide<E, A>) => {
    const last: { before: Order | null; step: Step | null } = { before: null, step: null }
    const recordDecision: Decide<E, A> = (order, referenceIsTaken) => {
      const decided = decide(order, referenceIsTaken)
      last.before = order
      last.step = E.isRight(decided) ? decided.right.step : null
      return decided
    }
    return {
      decide: recordDecision,
      recordLast: (from: string | null) => last.step && recordStep(last.before, last.step, from),
    }
  }

  return {
    ...store,
    place: (placement, payload) =>
      pipe(
        store.place(placement, payload),
        TE.tapIO(() => () => recordStep(null, placement, cause())),
      ),
    step: (orderRef, decide) => {
      const observed = observeDecision(decide)
      const from = cause()
      return pipe(
        store.step(orderRef, observed.decide),
        TE.tapIO(() => () => observed.recordLast(from)),
      )
    },
    claim: (request) =>
      pipe(
        store.claim(request),
        TE.tapIO((jobs) => () => {
          for (const { orderRef, key, startedAt } of jobs)
            recorder.record(orderRef, {
              part: 'work',
              at: startedAt,
              key,
              what: 'started',
              dueAt: null,
            })
        }),
      ),
    complete: (job, completion) => {
      const { result, decide } = completion
      const { orderRef, key } = job
      const observed = decide && observeDecision(decide)
      return pipe(
        store.complete(job, { ...completion, decide: observed?.decide }),
        TE.tapIO((what) => () => {
          if (wasApplied(what)) observed?.recordLast(key)
          const { startedAt: at, payload, attempt: n } = job
          const isDelivery = payload.kind === 'ipn' || payload.kind === 'event'
          if (isDelivery)
            recorder.record(orderRef, { part: 'outcome', at, key, n, outcome: outcomeOf(result) })
          const dueAt = what === 'retry' && result.type === 'retry' ? result.dueAt : null
          recorder.record(orderRef, { part: 'work', at, key, what, dueAt })
        }),
      )
    },
  }
}
