// Orders only record their effects; the dispatcher runs them. It claims due jobs, calls the ports and
// completes the jobs with the results. The store notifies it when there may be something to claim, and it polls every
// second.

import { type CancelableTimer, systemTimers, type Timers } from '@plazo/adapters/system'
import type {
  AttemptActivity,
  ClaimRequest,
  Clock,
  CompletionResult,
  EffectResult,
  Job,
  JobQueue,
  Unavailable,
} from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import type { Task } from 'fp-ts/lib/Task.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { completeWithRetries } from './complete-with-retries.ts'
import { createDeliveryAdmission } from './delivery-admission.ts'
import { createDueTimer } from './due-timer.ts'
import type { ReducedMerchant } from './merchant-shares.ts'
import { createWorkerSlots, type Instant, type SlotKind, slotKindOf } from './worker-slots.ts'

export type DispatcherParts = {
  readonly store: JobQueue
  readonly clock: Clock
  readonly executeEffect: (job: Job) => Task<EffectResult>
  readonly complete: (job: Job, result: EffectResult) => TaskEither<Unavailable, CompletionResult>
  readonly limits: {
    /** Deliveries that are prepared, sent or read at the same time. */
    readonly deliveries: number
    readonly internal: number
    /** Events of one account in flight across all nodes. The same limit applies separately to its IPNs. */
    readonly perMerchant: number
    /** Deliveries in flight on this node, including those that wait for an answer; default 4,000. */
    readonly sockets?: number
  }
  /** Called for every job that was completed. */
  readonly onCompleted?: (job: Job, result: EffectResult, completion: CompletionResult) => void
  /** Called for every attempt that failed, or whose result could not be stored. */
  readonly onFailure: (reason: string | Unavailable, job: Job, thrown?: unknown) => void
  readonly onClaimFailure?: (error: Unavailable) => void
  /** Called after a slow delivery with all merchants that have a smaller share, and the monotonic clock. */
  readonly onSlow?: (reduced: readonly ReducedMerchant[], now: number) => void
  /** Called when the store has answered a claim, even if nothing was due. */
  readonly onClaimed?: () => void
  /** For tests: real milliseconds until a lease expires, instead of a minute. */
  readonly lease?: number
  readonly timers?: Timers
  /** For crash tests. */
  readonly onMoment?: (moment: 'claimed' | 'carried out') => void
}

export type Dispatcher = {
  /** Tells the dispatcher that something may be due. */
  readonly wake: () => void
  /** Resolves once nothing is due and nothing is in flight. */
  readonly drain: () => Promise<void>
  /** Number of jobs that are claimed but not completed yet. */
  readonly inFlight: () => number
  /** Notes that a delivery, given by its job's token, has begun to wait for the other side, or continues. */
  readonly noteActivity: (token: string, activity: AttemptActivity) => void
  /** The number of deliveries that wait for an answer, and the merchants with a reduced share. */
  readonly slowness: () => { readonly waiting: number; readonly merchants: readonly ReducedMerchant[] }
  readonly isRunning: () => boolean
  /** Stops claiming, waits for the jobs in flight, at most `patience` milliseconds, and releases the rest. */
  readonly stop: (patience: number) => Promise<void>
}

// An attempt may take 30 s; the rest is for settling it.
const LEASE = 60_000
const RELEASE_TIMEOUT = 2_000

// A claim looks at every merchant with pending jobs, and hundreds of them may have used up their share. A claim that takes long
// and finds little is followed by a rest of the same length, so that nodes do not wear out the database with useless claims.
const COSTLY_CLAIM_MILLIS = 5
const WORTHWHILE_JOBS = 8
const REST_MAX = 100

/** A claim's request as it was made. */
type PreparedClaim = {
  readonly request: ClaimRequest
  /** Fewer deliveries were requested than there are slots, because the sockets for everyone are nearly all taken. */
  readonly leavesSlots: boolean
  readonly since: Instant
}

/** Starts immediately and claims due jobs until it is stopped. */
export const startDispatcher = (parts: DispatcherParts): Dispatcher => {
  const {
    store,
    clock,
    executeEffect,
    complete,
    limits,
    onCompleted,
    onFailure,
    onClaimFailure,
    onClaimed,
    onMoment,
    lease = LEASE,
    timers = systemTimers,
  } = parts
  // True: more may be due than was claimed, so a job that ends is followed by a claim.
  let isBehind: { [kind in SlotKind]: boolean } = { deliveries: true, internal: true }
  let releasesInProgress = 0
  let isPumping = false
  let restUntil = Number.NEGATIVE_INFINITY
  let isWoken = false
  let isStopped = false
  let hasReleased = false
  let drainWaiters: (() => void)[] = []

  const admission = createDeliveryAdmission(limits, timers, parts.onSlow)

  const pause = (millis: number): Promise<void> => new Promise((resolve) => timers.after(millis, resolve))

  const waitAtMost = async (work: Promise<unknown>, millis: number): Promise<void> => {
    let over: CancelableTimer | undefined
    await Promise.race([work, new Promise<void>((resolve) => (over = timers.after(millis, resolve)))])
    over?.cancel()
  }

  const completeInTime = async (job: Job, result: EffectResult): Promise<void> => {
    const completed = await completeWithRetries(
      () => complete(job, result)(),
      result,
      { millis: lease / 2, mayRetry: () => !hasReleased },
      timers,
    )
    if (E.isRight(completed)) onCompleted?.(job, result, completed.right)
    else onFailure(completed.left, job)
  }

  // Nobody was called, and the merchant is not at fault: the job is released as if it had never been claimed.
  const releaseWithoutSocket = async (job: Job): Promise<void> => {
    admission.pause()
    isBehind.deliveries = true
    await releaseJobs([job])
  }

  const perform = async (job: Job): Promise<void> => {
    try {
      const startedAt = timers.monotonicNow()
      const result = await slots.run(job, executeEffect(job))
      if (slotKindOf(job) === 'deliveries') admission.noteResult(job, startedAt, result)
      onMoment?.('carried out')
      if (result.error !== null) onFailure(result.error, job, result.thrown)
      if (result.hasNoSocket) return await releaseWithoutSocket(job)
      const completing = completeInTime(job, result)
      // The claim of the next job shares the commit that completes this one.
      if (isBehind[slotKindOf(job)]) wake()
      await completing
    } catch (cause) {
      onFailure('internal error', job, cause)
    } finally {
      slots.remove(job)
      if (slots.isIdle() && drainWaiters.length > 0) wake()
    }
  }

  // The store calls this inside the commit. Jobs that become due later belong to a later claim.
  const request = (): PreparedClaim => {
    const freeSlots = slots.capacityFor('deliveries')
    const { deliveries, isReserved, shares } = admission.request(freeSlots, slots.deliveries())
    const room = { deliveries, internal: slots.capacityFor('internal') }
    const at = clock.now()
    isBehind = { deliveries: isReserved || deliveries === 0, internal: room.internal === 0 }
    dueTimer.noteClaim(at)
    return {
      request: { at, lease, capacity: room, perMerchant: limits.perMerchant, ...(shares && { shares }) },
      leavesSlots: !isReserved && deliveries < freeSlots,
      since: slots.now(),
    }
  }

  const claim = async (): Promise<void> => {
    const sent: { prepared: PreparedClaim | null; readonly startedAt: number } = {
      prepared: null,
      startedAt: timers.monotonicNow(),
    }
    const claimed = await store.claim(() => {
      sent.prepared = request()
      return sent.prepared.request
    })()
    if (E.isLeft(claimed)) {
      isBehind = { deliveries: true, internal: true }
      dueTimer.forget()
      return onClaimFailure?.(claimed.left)
    }
    onClaimed?.()
    const duration = timers.monotonicNow() - sent.startedAt
    if (duration >= COSTLY_CLAIM_MILLIS && claimed.right.length < WORTHWHILE_JOBS)
      restUntil = timers.monotonicNow() + Math.min(duration, REST_MAX)
    // Stopped in the meantime: the next worker starts them immediately instead of waiting for the leases to expire.
    if (isStopped) return releaseJobs(claimed.right)
    updateBehind(sent.prepared, claimed.right)
    if (claimed.right.length > 0) onMoment?.('claimed')
    slots.start(claimed.right, sent.prepared?.since ?? slots.now())
  }

  const updateBehind = (prepared: PreparedClaim | null, jobs: readonly Job[]): void => {
    const room = prepared?.request.capacity ?? { deliveries: 0, internal: 0 }
    const deliveries = jobs.filter((job) => slotKindOf(job) === 'deliveries').length
    if (deliveries >= room.deliveries) isBehind.deliveries = true
    if (jobs.length - deliveries >= room.internal) isBehind.internal = true
    // The sockets for everyone are taken, but slots are left: the next claim is for the reserved sockets.
    if (prepared?.leavesSlots && deliveries >= room.deliveries) isWoken = true
  }

  const releaseJobs = async (jobs: readonly Job[]): Promise<void> => {
    releasesInProgress += 1
    await store.release(jobs, 'not_started')()
    releasesInProgress -= 1
  }

  const onCommitted = (dueAt: number): void => {
    if (dueAt <= clock.now()) {
      // This may be a delivery whose merchant has reached the limit in flight. When one of them ends, the next is claimed.
      isBehind = { deliveries: true, internal: true }
      wake()
    } else if (dueTimer.noteDue(dueAt) && !isPumping) dueTimer.start()
  }

  const resolveDrained = (): void => {
    const waiting = drainWaiters
    drainWaiters = []
    for (const resolve of waiting) resolve()
  }

  const pump = async (): Promise<void> => {
    isPumping = true
    do {
      const rest = restUntil - timers.monotonicNow()
      if (rest > 0) await pause(rest)
      isWoken = false
      if (!isStopped) await claim()
    } while (isWoken && !isStopped)
    if (!isStopped) await dueTimer.refresh()
    isPumping = false
    if (isWoken) return wake()
    if (!isStopped) dueTimer.start()
    if (slots.isIdle()) resolveDrained()
  }

  const wake = (): void => {
    if (isStopped) return
    isWoken = true
    if (!isPumping) void pump()
  }

  const dueTimer = createDueTimer({ nextDueAt: () => store.nextDueAt()(), clock, timers, onDue: () => wake() })

  const slots = createWorkerSlots({
    limits,
    lease,
    timers,
    perform: (job) => void perform(job),
    onTooLate: (job) => void releaseJobs([job]).then(wake),
  })

  const unsubscribe = store.onCommitted(onCommitted)
  wake()

  return {
    wake,
    drain: () =>
      new Promise((resolve) => {
        if (isStopped) return resolve()
        drainWaiters.push(resolve)
        wake()
      }),
    inFlight: () => slots.claimedJobs().length,
    noteActivity: (token, activity) => {
      const left = slots.noteActivity(token, activity)
      if (left === null) return
      admission.noteWaiting(left.job, left.startedAt)
      if (isBehind.deliveries) wake()
    },
    slowness: () => ({ waiting: slots.waiting(), merchants: admission.reducedMerchants() }),
    isRunning: () => !isStopped,
    stop: async (patience) => {
      isStopped = true
      unsubscribe()
      dueTimer.stop()
      const until = timers.monotonicNow() + patience
      void releaseJobs(slots.releasePrefetched())
      while ((!slots.isIdle() || isPumping || releasesInProgress > 0) && timers.monotonicNow() < until) await pause(20)
      hasReleased = true
      // A store that does not answer must not block the stop: the leases of jobs that are not released expire.
      await waitAtMost(store.release(slots.claimedJobs(), 'started')(), RELEASE_TIMEOUT)
      resolveDrained()
    },
  }
}
