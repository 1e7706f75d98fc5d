// The required half of a store over a few row functions. It reads as the specification of what the
// SQL stores do in bulk. Each claim reads all jobs, so it is for small hosts and for tests.
import type { Order, Step } from '@plazo/core'
import {
  type AttemptResult,
  type ClaimRequest,
  type Completion,
  type CompletionResult,
  type Decide,
  type DoEffect,
  errorMessage,
  type FinalStatus,
  heldReference,
  isGoodAttempt,
  type Job,
  type JobNotFound,
  type OrderNotFound,
  type Outcome,
  orderNotFound,
  outcomeOf,
  type ReferenceTaken,
  type ReleasedAs,
  type Report,
  type Unavailable,
} from '@plazo/core/ports'
import * as E from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { createCommitListeners } from '../sql/storage.ts'
import { isDelivery, queueOf, type SelectedJob, selectJobs } from './claim.ts'
import { type JobRow, type OrderRow, type RowsStore, runInRows, type StoreRows } from './rows.ts'

type Decided<A> = { readonly step: Step; readonly answer: A }

const isUnfinished = ({ state }: JobRow): boolean => state !== 'stuck'

/**
 * A store in your database, over eight functions. `realNow`: real time in milliseconds, used only
 * for leases.
 */
export const storeOver = (rows: StoreRows, realNow: () => number): RowsStore => {
  const listeners = createCommitListeners()
  /** How many steps the current transaction has written. */
  let steps = 0

  const read = <Err, A>(run: () => E.Either<Err, A>) => runInRows(rows, run)

  // A Left is returned before anything is written, so its transaction may commit. The listeners are
  // notified before the caller gets the answer.
  const write =
    <Err, A>(run: () => E.Either<Err, A>): TaskEither<Err | Unavailable, A> =>
    async () => {
      const result = await read(() => {
        steps = 0
        return E.map((answer: A) => {
          const report = { nextDueAt: nextDueAt() ?? Number.POSITIVE_INFINITY, steps }
          return { answer, report }
        })(run())
      })()
      if (E.isLeft(result)) return result
      listeners.notify(result.right.report)
      return E.right(result.right.answer)
    }

  const nextDueAt = (after = Number.NEGATIVE_INFINITY): number | null => {
    const isNext = ({ state, dueAt }: JobRow) => state === 'pending' && dueAt > after
    const next = rows.jobs().filter(isNext)
    return next.length === 0 ? null : Math.min(...next.map(({ dueAt }) => dueAt))
  }

  // Lanes: the first unfinished job of a lane is pending or claimed, and all later ones are queued.

  const jobsInLane = (orderRef: string, lane: string): readonly JobRow[] =>
    rows
      .jobs(orderRef)
      .filter((job) => job.effect.lane === lane && !job.isResend && isUnfinished(job))

  const startNextInLane = ({ orderRef, effect }: JobRow): void => {
    const [first] = jobsInLane(orderRef, effect.lane)
    if (first?.state === 'queued') rows.putJob({ ...first, state: 'pending' })
  }

  const finish = <As extends FinalStatus>(job: JobRow, as: As): As => {
    rows.dropJob(job, as)
    startNextInLane(job)
    return as
  }

  const addJob = ({ placed, context }: Order, effect: DoEffect): void =>
    rows.addJob({
      effect,
      orderRef: placed.orderRef,
      merchantRef: placed.merchant.ref,
      account: placed.merchant.account,
      state: jobsInLane(placed.orderRef, effect.lane).length > 0 ? 'queued' : 'pending',
      isResend: false,
      createdAt: context.updatedAt,
      dueAt: effect.dueAt,
      attempts: 0,
      firstAt: null,
      token: null,
      leaseUntil: 0,
      isRevoked: false,
      message: null,
    })

  const revoke = (job: JobRow): void => {
    if (job.state === 'claimed') rows.putJob({ ...job, isRevoked: true })
    else finish(job, 'stopped')
  }

  const expedite = (job: JobRow, at: number): void => {
    if (job.state === 'pending') rows.putJob({ ...job, dueAt: Math.min(job.dueAt, at) })
  }

  // Steps: an order changes together with its journal and its jobs.

  const applyStep = (stored: OrderRow, { order, journal, effects, model }: Step): void => {
    if (journal.length === 0) return
    const { orderRef } = order.placed
    const lines = [...stored.journal, ...journal]
    steps += 1
    rows.putOrder({ ...stored, reference: heldReference(order, model), order, journal: lines })
    for (const effect of effects) {
      if (effect.type === 'do') addJob(order, effect)
      else if (effect.type === 'revoke') jobsInLane(orderRef, effect.lane).forEach(revoke)
      else
        for (const job of jobsInLane(orderRef, effect.lane)) expedite(job, order.context.updatedAt)
    }
  }

  const isTaken = ({ order, reference }: Step): boolean => {
    if (reference === null) return false
    const holder = rows.orderHolding(order.placed.merchant.ref, reference)
    return holder !== undefined && holder !== order.placed.orderRef
  }

  const referenceTaken = ({ reference }: Step): E.Either<ReferenceTaken, never> =>
    E.left({ _tag: 'ReferenceTaken', reference: reference ?? '' })

  const decideOn = <Err, A>(
    order: Order,
    decide: Decide<Err, A>,
  ): E.Either<Err | ReferenceTaken, Decided<A>> => {
    const first = decide(order, false)
    if (E.isLeft(first) || !isTaken(first.right.step)) return first
    const second = decide(order, true)
    if (E.isLeft(second) || !isTaken(second.right.step)) return second
    return referenceTaken(second.right.step)
  }

  // Claims: a token fences each one off from later claims of the job.

  const findClaimed = (orderRef: string, token: string): JobRow | undefined =>
    rows.jobs(orderRef).find((job) => job.state === 'claimed' && job.token === token)

  const startAttempt = (job: JobRow, at: number): number =>
    (isDelivery(job) ? rows.attempts?.start(job, at) : undefined) ?? job.attempts + 1

  const endAttempt = (job: JobRow, outcome: Outcome, report?: Report): void => {
    const queue = queueOf(job)
    if (queue === 'work') return
    rows.attempts?.end(job, outcome, report)
    const isGood = report === undefined ? null : isGoodAttempt(report)
    if (isGood !== null) rows.noteGood?.(job.merchantRef, queue, isGood)
  }

  const undoAttempt = (job: JobRow): void => {
    if (isDelivery(job)) rows.attempts?.undo(job)
  }

  const release = (job: JobRow, as: ReleasedAs): void => {
    if (as === 'started') endAttempt(job, 'lost')
    else undoAttempt(job)
    if (job.isRevoked) {
      finish(job, 'stopped')
      return
    }
    const attempts = as === 'started' ? job.attempts : job.attempts - 1
    const firstAt = attempts === 0 ? null : job.firstAt
    rows.putJob({ ...job, state: 'pending', token: null, attempts, firstAt })
  }

  const claimJob = ({ job, isGood }: SelectedJob, { at, lease }: ClaimRequest): Job => {
    const { orderRef, merchantRef, effect } = job
    const token = crypto.randomUUID()
    const attempts = startAttempt(job, at)
    const firstAt = job.firstAt ?? at
    const leaseUntil = realNow() + lease
    rows.putJob({ ...job, state: 'claimed', token, attempts, firstAt, leaseUntil })
    return {
      key: effect.key,
      orderRef,
      merchantRef,
      lane: effect.lane,
      payload: effect.payload,
      expiresAt: effect.expiresAt,
      attempt: attempts,
      isResend: job.isResend,
      ...(isGood !== undefined && { isGood }),
      firstAt,
      startedAt: at,
      token,
    }
  }

  const claim = (request: ClaimRequest): readonly Job[] => {
    for (const job of rows.jobs())
      if (job.state === 'claimed' && job.leaseUntil <= realNow()) release(job, 'started')
    for (const { merchantRef, kind } of request.slow ?? [])
      rows.noteGood?.(merchantRef, kind, false)
    return selectJobs(rows, request).map((selected) => claimJob(selected, request))
  }

  // Completion: the result of an attempt, and the step that it causes.

  const markStuck = (job: JobRow, message: string): 'stuck' => {
    rows.putJob({ ...job, state: 'stuck', token: null, message })
    startNextInLane(job)
    return 'stuck'
  }

  /** Null: the job is retried. */
  const finalStatusOf = (
    { isResend, isRevoked }: JobRow,
    result: AttemptResult,
    statusOverride: FinalStatus | null,
  ): FinalStatus | null => {
    if (isRevoked) return 'stopped'
    if (statusOverride !== null) return statusOverride
    if (result.type === 'finished') return result.status
    return isResend ? 'stopped' : null
  }

  const applyResult = (
    job: JobRow,
    result: AttemptResult,
    statusOverride: FinalStatus | null,
  ): FinalStatus | 'retry' => {
    const status = finalStatusOf(job, result, statusOverride)
    if (status !== null) return finish(job, status)
    const dueAt = result.type === 'retry' ? result.dueAt : job.dueAt
    rows.putJob({ ...job, state: 'pending', token: null, dueAt })
    return 'retry'
  }

  // Nobody waits for this answer. So a decision that throws makes the job stuck; a retry would only
  // throw again.
  const decideCompletion = (order: Order, decide: NonNullable<Completion['decide']>) =>
    E.flattenW(
      E.tryCatch(
        () => decideOn(order, decide),
        (cause) => ({ message: errorMessage(cause) }),
      ),
    )

  const complete = (
    job: JobRow,
    stored: OrderRow,
    { result, decide, report }: Completion,
  ): CompletionResult => {
    endAttempt(job, outcomeOf(result), report)
    if (decide === undefined) return applyResult(job, result, null)
    const decided = decideCompletion(stored.order, decide)
    if (E.isLeft(decided)) {
      const { left } = decided
      return markStuck(job, 'message' in left ? left.message : left._tag)
    }
    const { step, answer } = decided.right
    // The job ends first, so that its step does not revoke the job itself.
    const completed = applyResult(job, result, answer.statusOverride)
    applyStep(stored, step)
    return completed
  }

  const readOrder = <A>(orderRef: string, select: (stored: OrderRow) => A) =>
    read(() => E.map(select)(E.fromNullable(orderNotFound)(rows.order(orderRef))))

  return {
    place: (step, payload) =>
      write((): E.Either<ReferenceTaken, void> => {
        const { orderRef, merchant } = step.order.placed
        if (rows.order(orderRef)) throw new Error('The order already exists.')
        if (isTaken(step)) return referenceTaken(step)
        const keys = { orderRef, merchantRef: merchant.ref, reference: null }
        return E.right(applyStep({ ...keys, order: step.order, payload, journal: [] }, step))
      }),
    read: (orderRef) => readOrder(orderRef, ({ order }) => order),
    journal: (orderRef, limit) => readOrder(orderRef, ({ journal }) => journal.slice(0, limit)),
    findByReference: (merchantRef, orderRef1) =>
      read(() => {
        const holder = rows.orderHolding(merchantRef, orderRef1)
        const stored = holder === undefined ? undefined : rows.order(holder)
        return E.fromNullable(orderNotFound)(stored?.order)
      }),
    step: <Err, A>(orderRef: string, decide: Decide<Err, A>) =>
      write((): E.Either<Err | OrderNotFound | ReferenceTaken, A> => {
        const stored = rows.order(orderRef)
        if (stored === undefined) return E.left(orderNotFound)
        const decided = decideOn(stored.order, decide)
        if (E.isLeft(decided)) return decided
        applyStep(stored, decided.right.step)
        return E.right(decided.right.answer)
      }),
    claim: (request) => read(() => E.right(claim(request()))),
    complete: ({ orderRef, token }, completion) =>
      write((): E.Either<never, CompletionResult> => {
        const job = findClaimed(orderRef, token)
        const stored = rows.order(orderRef)
        const isLost = job === undefined || stored === undefined
        return E.right(isLost ? 'lost' : complete(job, stored, completion))
      }),
    release: (claimed, as) =>
      write((): E.Either<never, void> => {
        for (const { orderRef, token } of claimed) {
          const job = findClaimed(orderRef, token)
          if (job !== undefined) release(job, as)
        }
        return E.right(undefined)
      }),
    nextDueAt: (after) => read(() => E.right(nextDueAt(after))),
    onCommitted: listeners.onCommitted,
    notifyCommitted: () => listeners.notify({ nextDueAt: Number.NEGATIVE_INFINITY, steps: 0 }),
    stuckJobs: () =>
      read(() => {
        const stuck = rows.jobs().filter(({ state }) => state === 'stuck')
        return E.right(
          stuck.map(({ effect, orderRef, message }) => ({
            key: effect.key,
            orderRef,
            message: message ?? '',
          })),
        )
      }),
    retryStuckJob: (key, at) =>
      write((): E.Either<JobNotFound, void> => {
        const job = rows.jobs().find((each) => each.effect.key === key && !isUnfinished(each))
        if (job === undefined) return E.left({ _tag: 'JobNotFound' })
        const isLaneFree = jobsInLane(job.orderRef, job.effect.lane).length === 0
        const state = isLaneFree ? 'pending' : 'queued'
        return E.right(rows.putJob({ ...job, state, dueAt: at, message: null }))
      }),
  }
}
