// Orders only record their effects; the dispatcher runs them. It claims due jobs, calls the ports
// and completes the jobs with the results. It claims again when the store reports a due job, when a
// job ends, and when its alarm rings.
//
// Its state: the phase, whether more may be due than was claimed, whether it hurries, and those who
// wait until nothing is due. The alarm, the slots and the admission of deliveries have their own
// files.
import { systemTimers, type Timers } from '@plazo/adapters/system'
import type { EffectResult } from '@plazo/core'
import type {
  AttemptActivity,
  AttemptError,
  ClaimRequest,
  Clock,
  CompletionResult,
  Job,
  JobQueue,
  Unavailable,
} from '@plazo/core/ports'
import * as E from 'fp-ts/lib/Either.js'
import type { Task } from 'fp-ts/lib/Task.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { createClaimAlarm } from './claim-alarm.ts'
import {
  createDeliveryAdmission,
  type DeliveryLimits,
  type ReducedMerchant,
} from './delivery-admission.ts'
import { createWorkerSlots, type SlotLimits, slotKindOf } from './worker-slots.ts'

export type DispatcherParts = {
  readonly store: JobQueue
  readonly clock: Clock
  readonly executeEffect: (job: Job) => Task<EffectResult>
  readonly complete: (job: Job, result: EffectResult) => TaskEither<Unavailable, CompletionResult>
  readonly limits: DeliveryLimits & SlotLimits
  /** Called for every job that was completed. */
  readonly onCompleted?: (job: Job, result: EffectResult, completion: CompletionResult) => void
  /** Called for every attempt that failed, or whose result could not be stored. */
  readonly onFailure: (reason: AttemptError | Unavailable, job: Job, thrown?: unknown) => void
  readonly onClaimFailure?: (error: Unavailable) => void
  /**
   * Called after a slow delivery with all merchants that have a smaller share, and the monotonic
   * clock.
   */
  readonly onSlow?: (reduced: readonly ReducedMerchant[], now: number) => void
  /** Called when the store has answered a claim, even if nothing was due. */
  readonly onClaimed?: () => void
  /** For tests: real milliseconds until a lease expires, instead of a minute. */
  readonly lease?: number
  readonly timers?: Timers
  /** For crash tests. */
  readonly onMoment?: (moment: 'claimed' | 'carried out') => void
}

export type Dispatcher = ReturnType<typeof startDispatcher>

// An attempt may take 30 s; the rest is for completing it.
const LEASE = 60_000
const RELEASE_TIMEOUT = 2_000

// A claim looks at every merchant with pending jobs, and hundreds of them may have used up their
// share. A claim that takes long and finds little is followed by a rest of the same length, so that
// nodes do not wear out the database with useless claims.
const COSTLY_CLAIM_MILLIS = 5
const WORTHWHILE_JOBS = 8
const REST_MAX = 100

/** Starts immediately and claims due jobs until it is stopped. */
export const startDispatcher = (parts: DispatcherParts) => {
  const { store, clock, executeEffect, complete, limits, onCompleted, onFailure, onMoment } = parts
  const { lease = LEASE, timers = systemTimers } = parts
  /** `stopping`: nothing is claimed any more. `ended`: the last claim has been answered too. */
  let phase: 'claiming' | 'stopping' | 'ended' = 'claiming'
  // True: more may be due than was claimed, so a job that ends is followed by a claim.
  let isBehind = true
  let isHurried = false
  const drainWaiters: (() => void)[] = []

  const alarm = createClaimAlarm(clock, timers, store.nextDueAt)
  const admission = createDeliveryAdmission(limits, timers, parts.onSlow)

  const pause = (millis: number): Promise<void> =>
    new Promise((resolve) => timers.after(millis, resolve))

  const release = async (jobs: readonly Job[]): Promise<void> => {
    await store.release(jobs, 'not_started')()
    for (const job of jobs) slots.remove(job)
  }

  const completeInTime = async (job: Job, result: EffectResult): Promise<void> => {
    const deadline = timers.monotonicNow() + lease / 2
    for (let isUnanswered = false; ; isUnanswered = true) {
      const completed = await complete(job, result)()
      if (E.isRight(completed))
        return onCompleted?.(
          job,
          result,
          isUnanswered ? resultIfUnanswered(result, completed.right) : completed.right,
        )
      // The lease then expires by itself: nothing is lost, but something may run twice.
      if (timers.monotonicNow() > deadline || !slots.holds(job))
        return onFailure(completed.left, job)
      await pause(COMPLETION_RETRY_MILLIS)
    }
  }

  const perform = async (job: Job): Promise<void> => {
    try {
      const startedAt = timers.monotonicNow()
      const result = await slots.run(job, executeEffect(job))
      if (slotKindOf(job) === 'deliveries') admission.noteResult(job, startedAt, result)
      onMoment?.('carried out')
      if (result.error !== null) onFailure(result.error, job, result.thrown)
      if (result.hasNoSocket) {
        // Nobody was called, and the merchant is not at fault: the job is released as if it had
        // never been claimed.
        admission.pause()
        isBehind = true
        return await release([job])
      }
      const completing = completeInTime(job, result)
      // The claim of the next job shares the commit that completes this one.
      if (isBehind) alarm.ring()
      await completing
    } catch (cause) {
      onFailure({ reason: 'other', message: 'internal error' }, job, cause)
    } finally {
      slots.remove(job)
      if (slots.isIdle() && drainWaiters.length > 0) alarm.ring()
    }
  }

  /** Resolves to how long to rest. */
  const claim = async (): Promise<number> => {
    const since = slots.now()
    // The store builds the request inside the commit. Jobs that become due later belong to a later
    // claim.
    const requested = { deliveries: 0, internal: 0, leavesSlots: false }
    const claimed = await store.claim((): ClaimRequest => {
      const freeSlots = slots.capacityFor('deliveries')
      const inTurn = admission.request(freeSlots, slots.deliveries())
      const { deliveries, isReserved, shares } = isHurried
        ? { ...inTurn, shares: undefined }
        : inTurn
      const capacity = { deliveries, internal: slots.capacityFor('internal') }
      const at = clock.now()
      Object.assign(requested, capacity, { leavesSlots: !isReserved && deliveries < freeSlots })
      isBehind = isReserved || deliveries === 0 || capacity.internal === 0
      alarm.forgetDue(at)
      return {
        at,
        lease,
        capacity,
        perMerchant: isHurried
          ? Math.max(limits.deliveries, limits.perMerchant)
          : limits.perMerchant,
        ...(shares && { shares }),
      }
    })()
    if (E.isLeft(claimed)) {
      isBehind = true
      alarm.forgetDue()
      parts.onClaimFailure?.(claimed.left)
      return 0
    }
    parts.onClaimed?.()
    const jobs = claimed.right
    const duration = timers.monotonicNow() - since.monotonic
    // Stopped in the meantime: the next worker starts them immediately instead of waiting for the
    // leases to expire.
    if (phase !== 'claiming') {
      await release(jobs)
      return 0
    }
    const deliveries = jobs.filter((job) => slotKindOf(job) === 'deliveries').length
    if (deliveries >= requested.deliveries || jobs.length - deliveries >= requested.internal)
      isBehind = true
    // The sockets for everyone are taken, but slots are left: the next claim is for the reserved
    // sockets.
    if (requested.leavesSlots && deliveries >= requested.deliveries) alarm.ring()
    if (jobs.length > 0) onMoment?.('claimed')
    slots.start(jobs, since)
    return duration >= COSTLY_CLAIM_MILLIS && jobs.length < WORTHWHILE_JOBS
      ? Math.min(duration, REST_MAX)
      : 0
  }

  const run = async (): Promise<void> => {
    while (phase === 'claiming') {
      alarm.reset()
      const rest = await claim()
      if (!alarm.isRung()) await alarm.readNextDue()
      if (!alarm.isRung() && slots.isIdle()) resolveDrained()
      if (rest > 0) await pause(rest)
      if (!alarm.isRung()) await alarm.sleep()
    }
    phase = 'ended'
  }

  const onCommitted = (dueAt: number): void => {
    if (dueAt > clock.now()) alarm.noteDue(dueAt)
    else {
      // This may be a delivery whose merchant has reached the limit in flight. When one of them
      // ends, the next is claimed.
      isBehind = true
      alarm.ring()
    }
  }

  const resolveDrained = (): void => {
    for (const resolve of drainWaiters.splice(0)) resolve()
  }

  const slots = createWorkerSlots({
    limits,
    lease,
    timers,
    perform: (job) => void perform(job),
    onTooLate: (job) => void release([job]).then(alarm.ring),
  })

  const unsubscribe = store.onCommitted(onCommitted)
  void run()

  return {
    /** Tells the dispatcher that something may be due. */
    wake: alarm.ring,
    /** Resolves once nothing is due and nothing is in flight. */
    drain: (): Promise<void> =>
      new Promise((resolve) => {
        if (phase !== 'claiming') return resolve()
        drainWaiters.push(resolve)
        alarm.ring()
      }),
    /**
     * True: until told otherwise, an account or a merchant may have all places, since only the
     * clock waits for them.
     */
    hurry: (hurries: boolean): void => {
      isHurried = hurries
    },
    /** Number of jobs that are claimed but not completed yet. */
    inFlight: (): number => slots.claimedJobs().length,
    /**
     * Notes that a delivery, given by its job's token, has begun to wait for the other side, or
     * continues.
     */
    noteActivity: (token: string, activity: AttemptActivity): void => {
      const slot = slots.noteActivity(token, activity)
      if (slot === null) return
      admission.noteWaiting(slot.job, slot.startedAt)
      if (isBehind) alarm.ring()
    },
    /** The number of deliveries that wait for an answer, and the merchants with a reduced share. */
    slowness: () => ({ waiting: slots.waiting(), merchants: admission.reducedMerchants() }),
    isRunning: (): boolean => phase === 'claiming',
    /**
     * Stops claiming, waits for the jobs in flight, at most `patience` milliseconds, and releases
     * the rest.
     */
    stop: async (patience: number): Promise<void> => {
      if (phase === 'claiming') phase = 'stopping'
      unsubscribe()
      alarm.ring()
      const until = timers.monotonicNow() + patience
      void release(slots.takePrefetched())
      while ((!slots.isIdle() || phase !== 'ended') && timers.monotonicNow() < until)
        await pause(20)
      // A store that does not answer must not block the stop: the leases of jobs that are not
      // released expire.
      const released = store.release(slots.claimedJobs(), 'started')()
      slots.clear()
      await Promise.race([released, pause(RELEASE_TIMEOUT)])
      resolveDrained()
    },
  }
}

const COMPLETION_RETRY_MILLIS = 250

// A write that was not answered may have been made, and completing the job again then reports a
// lost lease. Operators should see an alert twice rather than never.
const resultIfUnanswered = (
  { attemptResult }: EffectResult,
  completion: CompletionResult,
): CompletionResult =>
  completion === 'lost' &&
  attemptResult.type === 'finished' &&
  /^(exhausted|unsupported)$/.test(attemptResult.status)
    ? attemptResult.status
    : completion
