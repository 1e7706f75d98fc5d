// The Store in memory, for embedding, tests and trials. It gives the same guarantees as the others, except after a crash.
import {
  type CompletionResult,
  type Decide,
  errorMessage,
  heldReference,
  type JobNotFound,
  type JournalLine,
  type Order,
  type OrderNotFound,
  operatorTaskOf,
  type ReferenceTaken,
  type Step,
  type Store,
  type Unavailable,
  unavailable,
} from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import { memoryDeliveries } from './deliveries.ts'
import { type MemoryOutboxOptions, memoryOutbox } from './outbox.ts'
import { memoryRetention } from './retention.ts'

type Kept = { order: Order; readonly payload: string; readonly journal: JournalLine[] }

const unknown: OrderNotFound = { _tag: 'OrderNotFound' }

export type MemoryStoreOptions = MemoryOutboxOptions

/** Keeps everything until the process ends. It cannot erase a shopper, and no other process shares it. */
export const memoryStore = (options: MemoryStoreOptions): Store => {
  const orders = new Map<string, Kept>()
  const outbox = memoryOutbox(options)

  const write = (kept: Kept, { order, journal, effects }: Step): void => {
    if (journal.length === 0) return
    kept.order = order
    kept.journal.push(...journal)
    outbox.add(order, effects)
  }

  const holderOf = (merchantRef: string, reference: string): Kept | undefined =>
    [...orders.values()].find(
      ({ order }) => order.placed.merchant.ref === merchantRef && heldReference(order) === reference,
    )

  const isTaken = ({ order, reference }: Step): boolean => {
    const other = reference === null ? undefined : holderOf(order.placed.merchant.ref, reference)
    return other !== undefined && other.order.placed.orderRef !== order.placed.orderRef
  }

  const decideOn = <E, A>(
    { order }: Kept,
    decide: Decide<E, A>,
  ): E.Either<E | ReferenceTaken, { readonly step: Step; readonly answer: A }> => {
    const first = decide(order, false)
    if (E.isLeft(first) || !isTaken(first.right.step)) return first
    const second = decide(order, true)
    if (E.isLeft(second) || !isTaken(second.right.step)) return second
    return E.left({ _tag: 'ReferenceTaken', reference: second.right.step.reference ?? '' })
  }

  // If a decision throws, only its own caller fails, and nothing has been written yet.
  const tried = <E, A>(run: () => E.Either<E, A>): E.Either<E | Unavailable, A> => {
    try {
      return run()
    } catch (cause) {
      return unavailable(cause)
    }
  }

  const trying =
    <E, A>(run: () => E.Either<E, A>): TE.TaskEither<E | Unavailable, A> =>
    async () =>
      tried(run)

  // The taker is notified before the caller gets the answer.
  const writing =
    <E, A>(run: () => E.Either<E, A>): TE.TaskEither<E | Unavailable, A> =>
    async () =>
      outbox.committing(() => tried(run))

  // Nobody waits for this answer. So a decision that throws makes the job stuck; a retry would only throw again.
  const faultless = <E, A>(decided: () => E.Either<E, A>): E.Either<E | { readonly message: string }, A> => {
    try {
      return decided()
    } catch (cause) {
      return E.left({ message: errorMessage(cause) })
    }
  }

  const withOrder = <E, A>(orderRef: string, run: (kept: Kept) => E.Either<E, A>, doing = trying) =>
    doing((): E.Either<E | OrderNotFound, A> => {
      const kept = orders.get(orderRef)
      return kept === undefined ? E.left(unknown) : run(kept)
    })

  return {
    place: (step, payload) =>
      writing((): E.Either<ReferenceTaken, void> => {
        if (orders.has(step.order.placed.orderRef)) throw new Error('The order is placed already.')
        if (isTaken(step)) return E.left({ _tag: 'ReferenceTaken', reference: step.reference ?? '' })
        const kept: Kept = { order: step.order, payload, journal: [] }
        orders.set(step.order.placed.orderRef, kept)
        write(kept, step)
        return E.right(undefined)
      }),
    read: (orderRef) => withOrder(orderRef, ({ order }) => E.right(order)),
    journal: (orderRef) => withOrder(orderRef, ({ journal }) => E.right([...journal])),
    history: (orderRef, from, limit) =>
      withOrder(orderRef, ({ journal }) => {
        const older = from === null ? journal : journal.filter(({ seq }) => seq <= from)
        const lines = older.slice(-limit).toReversed()
        const next = older.at(-limit - 1)?.seq ?? null
        return E.right({ lines: lines.map(({ input: _input, ...line }) => line), next })
      }),
    findByReference: (merchantRef, orderRef1) =>
      trying(() => {
        const kept = holderOf(merchantRef, orderRef1)
        return kept === undefined ? E.left(unknown) : E.right(kept.order)
      }),
    step: <E, A>(orderRef: string, decide: Decide<E, A>) =>
      withOrder<E | ReferenceTaken, A>(
        orderRef,
        (kept) => {
          const decided = decideOn(kept, decide)
          if (E.isLeft(decided)) return decided
          write(kept, decided.right.step)
          return E.right(decided.right.answer)
        },
        writing,
      ),
    claim: (request) => trying(() => E.right(outbox.claim(request()))),
    handOver: outbox.handOver,
    complete: ({ orderRef, token }, conclusion, decide, report) =>
      writing((): E.Either<never, CompletionResult> => {
        const entry = outbox.held(orderRef, token)
        const kept = orders.get(orderRef)
        if (entry === undefined || kept === undefined) return E.right('lost')
        const decided = decide === null ? null : faultless(() => decideOn(kept, decide))
        if (decided !== null && E.isLeft(decided)) {
          const message = 'message' in decided.left ? decided.left.message : decided.left._tag
          outbox.park(entry, message, conclusion, report)
          return E.right('stuck')
        }
        const settled = outbox.conclude(entry, conclusion, decided?.right.answer ?? null, report)
        if (decided !== null) write(kept, decided.right.step)
        return E.right(settled)
      }),
    release: (claimed, as) =>
      writing(() => {
        for (const { orderRef, token } of claimed) {
          const entry = outbox.held(orderRef, token)
          if (entry !== undefined) outbox.giveBack(entry, as)
        }
        return E.right(undefined)
      }),
    nextDueAt: () => trying(() => E.right(outbox.nextDueAt('work', 'event', 'ipn'))),
    queueStats: () =>
      trying(() => {
        const { nextDueAt, inFlight, stuck } = outbox
        const next = { work: nextDueAt('work'), event: nextDueAt('event'), ipn: nextDueAt('ipn') }
        return E.right({
          nextDueAt: next,
          inFlight: inFlight(),
          stuck: stuck().length,
          slowMerchants: outbox.slowMerchants(),
        })
      }),
    stuck: () =>
      trying(() =>
        E.right(
          outbox
            .stuck()
            .map(({ effect, orderRef, message }) => ({ key: effect.key, orderRef, message: message ?? '' })),
        ),
      ),
    retryStuckJob: (key, at) =>
      writing((): E.Either<JobNotFound, void> => {
        const entry = outbox.stuck().find(({ effect }) => effect.key === key)
        return entry === undefined ? E.left({ _tag: 'JobNotFound' }) : E.right(outbox.unpark(entry, at))
      }),
    orders: {
      waiting: (why, after, limit) =>
        trying(() => {
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
        trying(() => {
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
      orders: () => [...orders].map(([orderRef, { journal }]) => ({ journal, entries: outbox.ofOrder(orderRef) })),
      drop: outbox.drop,
      trying,
    }),
    deliveries: memoryDeliveries({
      entries: () => [...orders.keys()].flatMap(outbox.ofOrder).sort((a, b) => a.id - b.id),
      hasten: ({ orderRef, effect }, at) => outbox.hasten(orderRef, effect.lane, at),
      sendBeside: outbox.sendBeside,
      trying,
      writing,
    }),
  }
}
