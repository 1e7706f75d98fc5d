// The Store in memory, for embedding, tests and trials. It gives the same guarantees as the others, except after a crash.
import {
  type CompletionResult,
  type Decide,
  errorMessage,
  type FullStore,
  heldReference,
  type JobNotFound,
  type JournalLine,
  type Order,
  type OrderNotFound,
  operatorTaskOf,
  orderNotFound,
  type ReferenceTaken,
  type Step,
  toUnavailable,
  type Unavailable,
} from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import { memoryDeliveries } from './deliveries.ts'
import { type MemoryOutboxOptions, memoryOutbox } from './outbox.ts'
import { memoryRetention } from './retention.ts'

type MemoryOrder = { order: Order; readonly payload: string; readonly journal: JournalLine[] }

export type MemoryStoreOptions = MemoryOutboxOptions

/** Keeps everything until the process ends. It cannot erase a shopper, and no other process shares it. */
export const memoryStore = (options: MemoryStoreOptions): FullStore => {
  const orders = new Map<string, MemoryOrder>()
  const outbox = memoryOutbox(options)

  const write = (stored: MemoryOrder, { order, journal, effects }: Step): void => {
    if (journal.length === 0) return
    stored.order = order
    stored.journal.push(...journal)
    outbox.add(order, effects)
  }

  const orderHolding = (merchantRef: string, reference: string): MemoryOrder | undefined =>
    [...orders.values()].find(
      ({ order }) => order.placed.merchant.ref === merchantRef && heldReference(order) === reference,
    )

  const isTaken = ({ order, reference }: Step): boolean => {
    const other = reference === null ? undefined : orderHolding(order.placed.merchant.ref, reference)
    return other !== undefined && other.order.placed.orderRef !== order.placed.orderRef
  }

  const decideOn = <E, A>(
    { order }: MemoryOrder,
    decide: Decide<E, A>,
  ): E.Either<E | ReferenceTaken, { readonly step: Step; readonly answer: A }> => {
    const first = decide(order, false)
    if (E.isLeft(first) || !isTaken(first.right.step)) return first
    const second = decide(order, true)
    if (E.isLeft(second) || !isTaken(second.right.step)) return second
    return E.left({ _tag: 'ReferenceTaken', reference: second.right.step.reference ?? '' })
  }

  // If a decision throws, only its own caller fails, and nothing has been written yet.
  const catchUnavailable = <E, A>(run: () => E.Either<E, A>): E.Either<E | Unavailable, A> => {
    try {
      return run()
    } catch (cause) {
      return E.left(toUnavailable(cause))
    }
  }

  const runOrUnavailable =
    <E, A>(run: () => E.Either<E, A>): TE.TaskEither<E | Unavailable, A> =>
    async () =>
      catchUnavailable(run)

  // The listeners are notified before the caller gets the answer.
  const runAndNotify =
    <E, A>(run: () => E.Either<E, A>): TE.TaskEither<E | Unavailable, A> =>
    async () =>
      outbox.commit(() => catchUnavailable(run))

  // Nobody waits for this answer. So a decision that throws makes the job stuck; a retry would only throw again.
  const catchAsMessage = <E, A>(run: () => E.Either<E, A>): E.Either<E | { readonly message: string }, A> => {
    try {
      return run()
    } catch (cause) {
      return E.left({ message: errorMessage(cause) })
    }
  }

  const readOrder = <A>(orderRef: string, read: (stored: MemoryOrder) => A) =>
    runOrUnavailable(() => E.map(read)(E.fromNullable(orderNotFound)(orders.get(orderRef))))

  return {
    place: (step, payload) =>
      runAndNotify((): E.Either<ReferenceTaken, void> => {
        if (orders.has(step.order.placed.orderRef)) throw new Error('The order already exists.')
        if (isTaken(step)) return E.left({ _tag: 'ReferenceTaken', reference: step.reference ?? '' })
        const stored: MemoryOrder = { order: step.order, payload, journal: [] }
        orders.set(step.order.placed.orderRef, stored)
        write(stored, step)
        return E.right(undefined)
      }),
    read: (orderRef) => readOrder(orderRef, ({ order }) => order),
    journal: (orderRef) => readOrder(orderRef, ({ journal }) => [...journal]),
    history: (orderRef, from, limit) =>
      readOrder(orderRef, ({ journal }) => {
        const older = from === null ? journal : journal.filter(({ seq }) => seq <= from)
        const lines = older.slice(-limit).toReversed()
        const next = older.at(-limit - 1)?.seq ?? null
        return { lines: lines.map(({ input: _input, ...line }) => line), next }
      }),
    findByReference: (merchantRef, orderRef1) =>
      runOrUnavailable(() => E.fromNullable(orderNotFound)(orderHolding(merchantRef, orderRef1)?.order)),
    step: <E, A>(orderRef: string, decide: Decide<E, A>) =>
      runAndNotify((): E.Either<E | OrderNotFound | ReferenceTaken, A> => {
        const stored = orders.get(orderRef)
        if (stored === undefined) return E.left(orderNotFound)
        const decided = decideOn(stored, decide)
        if (E.isLeft(decided)) return decided
        write(stored, decided.right.step)
        return E.right(decided.right.answer)
      }),
    takesWrites: async () => true,
    claim: (request) => runOrUnavailable(() => E.right(outbox.claim(request()))),
    onCommitted: outbox.onCommitted,
    complete: ({ orderRef, token }, { result, decide, report = null }) =>
      runAndNotify((): E.Either<never, CompletionResult> => {
        const job = outbox.findClaimed(orderRef, token)
        const stored = orders.get(orderRef)
        if (job === undefined || stored === undefined) return E.right('lost')
        const decided = decide === undefined ? null : catchAsMessage(() => decideOn(stored, decide))
        if (decided !== null && E.isLeft(decided)) {
          const message = 'message' in decided.left ? decided.left.message : decided.left._tag
          outbox.markStuck(job, message, result, report)
          return E.right('stuck')
        }
        const completionResult = outbox.complete(job, result, decided?.right.answer.statusOverride ?? null, report)
        if (decided !== null) write(stored, decided.right.step)
        return E.right(completionResult)
      }),
    release: (claimed, as) =>
      runAndNotify(() => {
        for (const { orderRef, token } of claimed) {
          const job = outbox.findClaimed(orderRef, token)
          if (job !== undefined) outbox.release(job, as)
        }
        return E.right(undefined)
      }),
    nextDueAt: () => runOrUnavailable(() => E.right(outbox.nextDueAt('work', 'event', 'ipn'))),
    queueStats: () =>
      runOrUnavailable(() => {
        const { nextDueAt, inFlight, stuck } = outbox
        const next = { work: nextDueAt('work'), event: nextDueAt('event'), ipn: nextDueAt('ipn') }
        return E.right({
          nextDueAt: next,
          inFlight: inFlight(),
          stuckCount: stuck().length,
          slowMerchants: outbox.slowMerchants(),
        })
      }),
    inspection: {
      payload: (orderRef) => readOrder(orderRef, ({ payload }) => payload),
      pendingJobs: (orderRef) => readOrder(orderRef, () => outbox.pendingJobs(orderRef)),
    },
    stuckJobs: () =>
      runOrUnavailable(() =>
        E.right(
          outbox
            .stuck()
            .map(({ effect, orderRef, message }) => ({ key: effect.key, orderRef, message: message ?? '' })),
        ),
      ),
    retryStuckJob: (key, at) =>
      runAndNotify((): E.Either<JobNotFound, void> => {
        const job = outbox.stuck().find(({ effect }) => effect.key === key)
        return job === undefined ? E.left({ _tag: 'JobNotFound' }) : E.right(outbox.retryStuckJob(job, at))
      }),
    orders: {
      waiting: (why, after, limit) =>
        runOrUnavailable(() => {
          const all = [...orders.values()].map(({ order, journal }, index) => ({ number: index + 1, order, journal }))
          const page = all
            .filter(({ number, order }) => number > (after ?? 0) && operatorTaskOf(order.state) === why)
            .slice(0, limit)
          return E.right({
            orders: page.map(({ order, journal }) => ({
              order,
              since:
                journal.findLast(({ from, to }) => operatorTaskOf(from) !== why && operatorTaskOf(to) === why)?.at ?? 0,
            })),
            next: page.length < limit ? null : (page.at(-1)?.number ?? null),
          })
        }),
      newest: (after, limit) =>
        runOrUnavailable(() => {
          // Oldest first. `after` is how many of the oldest orders the pages so far have not shown.
          const placed = [...orders.values()].slice(0, after ?? undefined)
          const next = placed.length - limit
          return E.right({
            orders: placed
              .slice(-limit)
              .reverse()
              .map(({ order }) => order),
            next: next > 0 ? next : null,
          })
        }),
    },
    retention: memoryRetention({
      orders: () => [...orders].map(([orderRef, { journal }]) => ({ journal, jobs: outbox.ofOrder(orderRef) })),
      drop: outbox.drop,
      runOrUnavailable,
    }),
    deliveries: memoryDeliveries({
      jobs: () => [...orders.keys()].flatMap(outbox.ofOrder).sort((a, b) => a.id - b.id),
      expedite: ({ orderRef, effect }, at) => outbox.expedite(orderRef, effect.lane, at),
      addResend: outbox.addResend,
      runOrUnavailable,
      runAndNotify,
    }),
  }
}
