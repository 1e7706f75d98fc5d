// The Store in memory, for embedding, tests and trials. It gives the same guarantees as the others,
// except after a crash.
import type { JournalLine, Order, Step } from '@plazo/core'
import {
  type CompletionResult,
  type Decide,
  errorMessage,
  type FullStore,
  heldReference,
  isOrderLost,
  type JobNotFound,
  type OrderNotFound,
  orderNotFound,
  type ReferenceTaken,
} from '@plazo/core/ports'
import * as E from 'fp-ts/lib/Either.js'
import { createCommitListeners } from '../sql/storage.ts'
import { memoryDeliveries } from './deliveries.ts'
import { memoryEndpoints } from './endpoints.ts'
import { memoryOrders } from './orders.ts'
import { memoryOutbox, runOrUnavailable } from './outbox.ts'
import { memoryRetention } from './retention.ts'

type MemoryOrder = { order: Order; readonly payload: string; readonly journal: JournalLine[] }

export type MemoryStoreOptions = {
  /** Real time, used only for leases. */
  readonly realNow: () => number
}

/**
 * Keeps everything until the process ends. It cannot erase a shopper, and no other process shares
 * it.
 */
export const memoryStore = ({ realNow }: MemoryStoreOptions): FullStore => {
  const orders = new Map<string, MemoryOrder>()
  const endpoints = memoryEndpoints()
  const outbox = memoryOutbox(realNow, endpoints)
  const listeners = createCommitListeners()

  const write = (stored: MemoryOrder, step: Step): void => {
    const { order, journal, effects } = step
    if (journal.length === 0) return
    const { merchant, notifyUrl } = order.placed
    if (isOrderLost(step))
      endpoints.countLost(merchant.ref, notifyUrl ?? '', order.context.updatedAt)
    stored.order = order
    stored.journal.push(...journal)
    outbox.add(order, effects)
  }

  const orderHolding = (merchantRef: string, reference: string): MemoryOrder | undefined =>
    [...orders.values()].find(
      ({ order }) =>
        order.placed.merchant.ref === merchantRef && heldReference(order) === reference,
    )

  const isTaken = ({ order, reference }: Step): boolean => {
    const other =
      reference === null ? undefined : orderHolding(order.placed.merchant.ref, reference)
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

  const nextDueAt = (): number | null => outbox.nextDueAt('work', 'event', 'ipn')

  // The listeners are notified before the caller gets the answer.
  const runAndNotify: typeof runOrUnavailable = (run) =>
    runOrUnavailable(() => {
      const written = run()
      if (E.isRight(written)) listeners.notify(nextDueAt() ?? Number.POSITIVE_INFINITY)
      return written
    })

  const readOrder = <A>(orderRef: string, read: (stored: MemoryOrder) => A) =>
    runOrUnavailable(() => E.map(read)(E.fromNullable(orderNotFound)(orders.get(orderRef))))

  return {
    place: (step, payload) =>
      runAndNotify((): E.Either<ReferenceTaken, void> => {
        if (orders.has(step.order.placed.orderRef)) throw new Error('The order already exists.')
        if (isTaken(step))
          return E.left({ _tag: 'ReferenceTaken', reference: step.reference ?? '' })
        const stored: MemoryOrder = { order: step.order, payload, journal: [] }
        orders.set(step.order.placed.orderRef, stored)
        write(stored, step)
        return E.right(undefined)
      }),
    read: (orderRef) => readOrder(orderRef, ({ order }) => order),
    journal: (orderRef, limit) => readOrder(orderRef, ({ journal }) => journal.slice(0, limit)),
    history: (orderRef, from, limit) =>
      readOrder(orderRef, ({ journal }) => {
        const older = from === null ? journal : journal.filter(({ seq }) => seq <= from)
        const lines = older.slice(-limit).toReversed()
        const next = older.at(-limit - 1)?.seq ?? null
        return { lines: lines.map(({ input: _input, ...line }) => line), next }
      }),
    findByReference: (merchantRef, orderRef1) =>
      runOrUnavailable(() =>
        E.fromNullable(orderNotFound)(orderHolding(merchantRef, orderRef1)?.order),
      ),
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
    onCommitted: listeners.onCommitted,
    complete: ({ orderRef, token }, completion) =>
      runAndNotify((): E.Either<never, CompletionResult> => {
        const job = outbox.findClaimed(orderRef, token)
        const stored = orders.get(orderRef)
        if (job === undefined || stored === undefined) return E.right('lost')
        const { decide } = completion
        // Nobody waits for this answer. So a decision that throws makes the job stuck; a retry
        // would only throw again.
        const decided =
          decide &&
          E.flattenW(
            E.tryCatch(
              () => decideOn(stored, decide),
              (cause) => ({ message: errorMessage(cause) }),
            ),
          )
        if (decided !== undefined && E.isLeft(decided)) {
          const message = 'message' in decided.left ? decided.left.message : decided.left._tag
          outbox.markStuck(job, message, completion)
          return E.right('stuck')
        }
        const completionResult = outbox.complete(
          job,
          completion,
          decided?.right.answer.statusOverride ?? null,
        )
        if (decided !== undefined) write(stored, decided.right.step)
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
    nextDueAt: () => runOrUnavailable(() => E.right(nextDueAt())),
    queueStats: () => runOrUnavailable(() => E.right(outbox.stats())),
    inspection: {
      payload: (orderRef) => readOrder(orderRef, ({ payload }) => payload),
      requests: (orderRef) => readOrder(orderRef, () => outbox.requests(orderRef)),
      pendingJobs: (orderRef) => readOrder(orderRef, () => outbox.pendingJobs(orderRef)),
    },
    stuckJobs: () =>
      runOrUnavailable(() => {
        const stuck = outbox.stuck()
        return E.right(
          stuck.map(({ effect: { key }, orderRef, message }) => ({
            key,
            orderRef,
            message: message ?? '',
          })),
        )
      }),
    retryStuckJob: (key, at) =>
      runAndNotify((): E.Either<JobNotFound, void> => {
        const job = outbox.stuck().find(({ effect }) => effect.key === key)
        return job === undefined
          ? E.left({ _tag: 'JobNotFound' })
          : E.right(outbox.retryStuckJob(job, at))
      }),
    endpoints: endpoints.port(outbox.waiting),
    orders: memoryOrders(outbox, () => [...orders.values()]),
    retention: memoryRetention(outbox, () =>
      [...orders].map(([orderRef, { journal }]) => [orderRef, journal]),
    ),
    deliveries: memoryDeliveries(outbox, runAndNotify),
  }
}
