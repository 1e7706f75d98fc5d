// The one store. It decides on an order and its jobs, and commits all that changes of them under the
// version that it decided on. A base (`base.ts`) is all that differs between databases.
import {
  applyEffects,
  type Capabilities,
  type Decide,
  effectKeyParts,
  isUnchanged,
  isWaiting,
  type ManualTrigger,
  NO_JOBS,
  type Order,
  type OrderJob,
  type OrderNotFound,
  type OrderStore,
  orderNotFound,
  type QueueStats,
  type ReferenceTaken,
  requestResend,
  retryStuck,
  type Store,
  type Unavailable,
} from '@plazo/core/internal'
import * as E from 'fp-ts/lib/Either.js'
import type { Base, Opener } from './base.ts'
import { workOf } from './changes.ts'
import { createClaims } from './claims.ts'
import { type CommitOptions, createCommits, type Decided, TAKEN } from './commits.ts'
import { createCompletions } from './completions.ts'
import { createFormerJobs, type Lease } from './lease.ts'
import { createOrders } from './orders.ts'
import { createQueue, type Running } from './queue.ts'
import { attempt } from './tokens.ts'

export type StoreParts<Value, Key> = {
  readonly base: Base<Value, Key>
  readonly open: Opener<Value, Key>
  /** Forgets the keys that were opened. */
  readonly forgetKeys?: () => void
  /** Absent: no other process uses the database. */
  readonly lease?: Lease | undefined
  /** False: what is committed may be undone, so orders are read each time. */
  readonly keepsOrders?: boolean
  /** Jobs that already run. */
  readonly running?: readonly Running[]
  readonly options: CommitOptions
}

const SLOW_MERCHANTS_MAX = 100

const referenceTaken = (reference: string | null): ReferenceTaken => ({
  _tag: 'ReferenceTaken',
  reference: reference ?? '',
})

export type CreatedStore = ReturnType<typeof createStore>

export const createStore = <Value, Key>(parts: StoreParts<Value, Key>) => {
  const { base, open, lease, keepsOrders = true, options } = parts
  const formerJobs = createFormerJobs()
  const queue = createQueue(parts.running ?? [], formerJobs.delays)
  const orders = createOrders(base, open, keepsOrders)
  const commits = createCommits({ base, orders, queue, options })
  const { change, changeJobs } = commits

  const readOrder = async (ref: string): Promise<E.Either<OrderNotFound, Order>> => {
    const stored = (await orders.read([ref])).get(ref)
    return stored === undefined ? E.left(orderNotFound) : E.right(await stored.order())
  }

  const place: OrderStore['place'] = (step, payload) => async () => {
    const { orderRef } = step.order.placed
    const jobs = applyEffects(NO_JOBS, step.effects, step.order, () => false)
    const decided: Decided<void> = {
      change: { step, before: null, payload, jobs, work: workOf(0, step), ended: null },
      answer: undefined,
    }
    const placed = await change(orderRef, async () => decided, { isNew: true })
    if (E.isRight(placed) && placed.right === TAKEN) return E.left(referenceTaken(step.reference))
    return E.map(() => undefined)(placed)
  }

  const step =
    <Err, A>(orderRef: string, decide: Decide<Err, A>) =>
    async (): Promise<E.Either<Err | OrderNotFound | ReferenceTaken | Unavailable, A>> => {
      type Answer = E.Either<Err | OrderNotFound | ReferenceTaken, A>
      let requested: string | null = null
      const stepped = await change<Answer>(orderRef, async (stored, isTaken) => {
        if (stored === null) return { change: null, answer: E.left(orderNotFound) }
        const before = await stored.order()
        const decision = decide(before, isTaken)
        if (E.isLeft(decision)) return { change: null, answer: decision }
        const { step: made, answer, code } = decision.right
        requested = made.reference
        if (isUnchanged(made)) return { change: null, answer: E.right(answer) }
        const mayRunNow = claims.mayRun(orderRef, made.order.context.updatedAt)
        const jobs = applyEffects(stored.jobs, made.effects, made.order, mayRunNow)
        const work = workOf(stored.jobs.count, made)
        const number =
          options.limitsCodes && code ? options.hash?.(`phone ${code.number}`) : undefined
        const counted =
          number === undefined ? undefined : { number, at: made.order.context.updatedAt }
        return {
          change: { step: made, before, jobs, work, ended: null, code: counted },
          answer: E.right(answer),
          refusal: code && E.right(code.refusal),
        }
      })
      if (E.isLeft(stepped)) return stepped
      return stepped.right === TAKEN ? E.left(referenceTaken(requested)) : stepped.right
    }

  const { complete, release } = createCompletions({
    queue,
    commits,
    mayRun: (ref, at): ((job: OrderJob) => boolean) => claims.mayRun(ref, at),
  })

  const forgetOpened = (): void => {
    orders.clear()
    parts.forgetKeys?.()
  }

  const claims = createClaims({
    ...{ base, open, orders, queue, commits, lease, formerJobs },
    monotonicNow: options.monotonicNow,
    forget: forgetOpened,
    markStuck: (job, message) => {
      const result = { type: 'finished', status: 'stopped' } as const
      return complete(job, { result, decide: () => E.left({ message }) })()
    },
  })

  return {
    place,
    step,
    complete,
    claim: claims.claim,
    release,
    read: (orderRef) => attempt(() => readOrder(orderRef)),
    findByReference: (merchantRef, reference) =>
      attempt(async () => {
        const holder = await base.holderOf(merchantRef, reference)
        return holder === null ? E.left(orderNotFound) : readOrder(holder)
      }),
    nextDueAt: claims.nextDueAt,
    retryStuckJob: (key, at) => async () => {
      const { orderRef, revision, lane } = effectKeyParts(key)
      const isRetried = await changeJobs(orderRef, (jobs) => {
        const found = jobs.list.find(
          (job) => job.state === 'stuck' && job.revision === revision && job.lane === lane,
        )
        return found ? retryStuck(jobs, found, at) : null
      })
      if (E.isLeft(isRetried)) return isRetried
      return isRetried.right ? E.right(undefined) : E.left({ _tag: 'JobNotFound' })
    },
    onCommitted: commits.onCommitted,
    /** Another transaction has written orders: whoever waits for due jobs looks for them. */
    notifyCommitted: () => {
      claims.lookAgain()
      commits.report(Number.NEGATIVE_INFINITY)
      options.onChange?.(null)
    },
    /** Another process has written these orders. Null: it may have written any. */
    look: async (refs: readonly string[] | null): Promise<void> => {
      const found = refs && (await orders.read(refs).catch(() => null))
      if (found === null) claims.lookAgain()
      else for (const [ref, stored] of found) commits.enqueue(orders.guess(ref) ?? stored)
      commits.report(Number.NEGATIVE_INFINITY)
    },
    /** Starts nothing more, so that another process may. Jobs in flight go on. */
    handOver: async () => lease?.handOver?.(queue.running),
    startsJobs: () => lease?.isHeld() ?? true,
    /** Sends a delivery again. `delivery`: as it was read. False: it has ended since. */
    resend: (
      orderRef: string,
      delivery: OrderJob,
      by: ManualTrigger,
      at: number,
    ): Promise<E.Either<Unavailable, boolean>> =>
      changeJobs(orderRef, (jobs) => {
        const current = jobs.list.find(({ n }) => n === delivery.n)
        if (current === undefined && isWaiting(delivery)) return null
        return requestResend(jobs, current ?? delivery, by, at)
      }),
    running: queue.running,
    /** What runs in this process, for monitoring. */
    stats: (): Pick<QueueStats, 'inFlight' | 'slowMerchants'> => {
      const inFlight = queue.running()
      const slow = inFlight.flatMap(({ merchant, queue: kind }) =>
        kind !== 'work' && queue.isSlow(merchant, kind) ? merchant : [],
      )
      return {
        inFlight: inFlight.length,
        slowMerchants: [...new Set(slow)].slice(0, SLOW_MERCHANTS_MAX),
      }
    },
    /** The committed orders among these. Rejects if one cannot be opened. */
    readOrders: async (refs: readonly string[]): Promise<ReadonlyMap<string, Order>> => {
      const found = [...(await orders.read(refs)).values()]
      const opened = await Promise.all(
        found.map(async ({ ref, order }) => [ref, await order()] as const),
      )
      return new Map(opened)
    },
    /** Forgets all orders and keys: the database may not be the one that was read. */
    forgetOpened,
    close: commits.close,
  } satisfies Omit<Store, 'journal' | 'stuckJobs'> &
    Pick<Capabilities, 'onCommitted'> &
    Record<string, unknown>
}
