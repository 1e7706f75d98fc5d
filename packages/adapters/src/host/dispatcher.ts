// Orders only record their effects; the dispatcher runs them. It claims due jobs, calls the ports
// and completes the jobs with the results. It claims again when the store reports a due job, when a
// job ends, and when its alarm rings.
//
// Its state: the phase, whether more may be due than was claimed, the claimed jobs, and those who
// wait until nothing is due. `capacity.ts` decides how many jobs may start, and `claim-alarm.ts` when
// to claim.

import type { EffectResult } from '@plazo/core'
import {
  type AttemptActivity,
  type AttemptError,
  type Capabilities,
  type ClaimRequest,
  type Clock,
  type CommitReport,
  type CompletionResult,
  describeThrown,
  type Job,
  type JobQueue,
  type ThrownError,
  type Unavailable,
} from '@plazo/core/ports'
import * as E from 'fp-ts/lib/Either.js'
import type { Task } from 'fp-ts/lib/Task.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { systemTimers, type Timers } from '../system/clock-and-ids.ts'
import { type CapacityLimits, createCapacity, type FreePlaces, isDelivery } from './capacity.ts'
import { createClaimAlarm } from './claim-alarm.ts'

/**
 * What a dispatcher works with: a store whose jobs it claims, the function that runs one job, the
 * function that stores its result, and how many run at once.
 */
export type DispatcherParts = {
  readonly store: JobQueue & Partial<Pick<Capabilities, 'onCommitted'>>
  readonly clock: Clock
  readonly executeEffect: (job: Job) => Task<EffectResult>
  readonly complete: (job: Job, result: EffectResult) => TaskEither<Unavailable, CompletionResult>
  readonly limits: CapacityLimits
  /** Called for every job that was completed. */
  readonly onCompleted?: (job: Job, result: EffectResult, completion: CompletionResult) => void
  /** Called for every attempt that failed, or whose result could not be stored. */
  readonly onFailure: (reason: AttemptError | Unavailable, job: Job, thrown?: ThrownError) => void
  readonly onClaimFailure?: (error: Unavailable) => void
  /** Called when the store has answered a claim, even if nothing was due. */
  readonly onClaimed?: () => void
  /** For tests: real milliseconds until a lease expires, instead of a minute. */
  readonly lease?: number
  readonly timers?: Timers
  /** For crash tests. */
  readonly onMoment?: (moment: 'claimed' | 'carried out') => void
}

/**
 * A running dispatcher, as `startDispatcher` returns it. `stop(millis)` claims nothing more, waits
 * at most so long for the jobs in flight, and releases the rest.
 */
export type Dispatcher = ReturnType<typeof startDispatcher>

// An attempt may take 30 s; the rest is for completing it.
const LEASE = 60_000
const RELEASE_TIMEOUT = 2_000
/** How long nothing is delivered if the system refused a socket. Real milliseconds. */
const NO_SOCKET_PAUSE = 1_000

type Drain = {
  readonly leaves: (job: Job) => boolean
  readonly resolve: (left: readonly Job[]) => void
}

/** An instant by both clocks: only one of them shows that the machine slept. */
type Instant = { readonly monotonic: number; readonly real: number }

// A claim looks at every merchant that has pending deliveries, and hundreds of those that are not good
// may have no place left. If it takes long and finds few deliveries, the next claims ask only for
// deliveries of good merchants, which the store finds among fewer, for four times as long. So useless
// claims do not overload the database.
const COSTLY_CLAIM_MILLIS = 10
const WORTHWHILE_DELIVERIES = 8
const NOT_GOOD_RESTS = 4
const REST_MAX = 400

/** Starts immediately and claims due jobs until it is stopped. */
export const startDispatcher = (parts: DispatcherParts) => {
  const { store, clock, executeEffect, complete, limits, onCompleted, onFailure, onMoment } = parts
  const { lease = LEASE, timers = systemTimers } = parts
  /** `stopping`: nothing is claimed any more. `ended`: the last claim has been answered too. */
  let phase: 'claiming' | 'stopping' | 'ended' = 'claiming'
  // True: more may be due than was claimed, so a job that ends is followed by a claim.
  let isBehind = true
  const drains: Drain[] = []
  const claimed = new Map<string, Job>()

  const alarm = createClaimAlarm(clock, timers, store.nextDueAt)
  const capacity = createCapacity({
    limits,
    timers,
    // The next claim stores that the merchant is not good, so that other nodes know it too.
    onSlow: () => alarm.ring(),
  })

  const pause = (millis: number): Promise<void> =>
    new Promise((resolve) => timers.after(millis, resolve))

  // True: a claim left deliveries out, so another claim follows the rest. If every rest were
  // followed by a claim, and each claim by a rest, `drain` would never resolve.
  let leftDeliveriesOut = false
  const rest = (which: 'deliveries' | 'notGood', millis: number): void =>
    capacity.pause(which, millis, () => {
      if (leftDeliveriesOut) alarm.ring()
      leftDeliveriesOut = false
    })

  const release = async (jobs: readonly Job[]): Promise<void> => {
    await store.release(jobs, 'not_started')()
    for (const { token } of jobs) claimed.delete(token)
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
      if (timers.monotonicNow() > deadline || !claimed.has(job.token))
        return onFailure(completed.left, job)
      await pause(COMPLETION_RETRY_MILLIS)
    }
  }

  // An attempt may take half of a lease. If the process was frozen since it claimed, another server
  // may have the job by now, or it may be revoked. If it stops, the next worker starts the job
  // immediately instead of waiting for the lease to expire.
  const mayBegin = (since: Instant): boolean =>
    phase === 'claiming' &&
    Math.max(timers.monotonicNow() - since.monotonic, timers.realNow() - since.real) <= lease / 2

  const perform = async (job: Job, since: Instant): Promise<void> => {
    try {
      const result = await capacity.run(job, async () =>
        mayBegin(since) ? executeEffect(job)() : null,
      )
      if (result === null) {
        await release([job])
        return alarm.ring()
      }
      onMoment?.('carried out')
      if (result.error !== null) onFailure(result.error, job, result.thrown)
      if (result.hasNoSocket) {
        // Nobody was called, and the merchant is not at fault: the job is released as if it had
        // never been claimed.
        rest('deliveries', NO_SOCKET_PAUSE)
        isBehind = true
        return await release([job])
      }
      const completing = completeInTime(job, result)
      // The claim of the next job shares the commit that completes this one.
      if (isBehind) alarm.ring()
      await completing
    } catch (cause) {
      onFailure({ reason: 'other', message: 'internal error' }, job, describeThrown(cause))
    } finally {
      claimed.delete(job.token)
      if (drains.some(isOver)) alarm.ring()
    }
  }

  /** Resolves to false if it left deliveries out that this node may run. */
  const claim = async (): Promise<boolean> => {
    const since = { monotonic: timers.monotonicNow(), real: timers.realNow() }
    // The store builds the request inside the commit. Jobs that become due later belong to a later
    // claim.
    let places: FreePlaces = capacity.free()
    let isWhole = true
    const answer = await store.claim((): ClaimRequest => {
      const at = clock.now()
      places = capacity.free()
      isBehind = places.capacity.deliveries === 0 || places.capacity.internal === 0
      isWhole = limits.deliveries === 0 || !capacity.isPaused()
      if (!isWhole) leftDeliveriesOut = true
      alarm.forgetDue(at)
      return { at, lease, ...places }
    })()
    if (E.isLeft(answer)) {
      isBehind = true
      alarm.forgetDue()
      parts.onClaimFailure?.(answer.left)
      return true
    }
    parts.onClaimed?.()
    const jobs = answer.right
    const duration = timers.monotonicNow() - since.monotonic
    for (const job of jobs) claimed.set(job.token, job)
    if (capacity.noteClaim(places, jobs)) alarm.ring()
    const { deliveries, notGood, internal } = places.capacity
    const deliveryCount = jobs.filter(isDelivery).length
    const notGoodCount = jobs.filter(({ isGood }) => isGood === false).length
    if (
      deliveryCount >= deliveries ||
      jobs.length - deliveryCount >= internal ||
      notGoodCount >= notGood
    )
      isBehind = true
    if (jobs.length > 0) onMoment?.('claimed')
    for (const job of jobs) void perform(job, since)
    // With `hurry` every merchant counts as good.
    const looksAtAll = notGood > 0 && places.perAccount !== null
    if (looksAtAll && duration >= COSTLY_CLAIM_MILLIS && deliveryCount < WORTHWHILE_DELIVERIES)
      rest('notGood', Math.min(NOT_GOOD_RESTS * duration, REST_MAX))
    return isWhole
  }

  const run = async (): Promise<void> => {
    while (phase === 'claiming') {
      alarm.reset()
      const isWhole = await claim()
      if (!alarm.isRung()) await alarm.readNextDue()
      if (!alarm.isRung() && isWhole) resolveDrains(isOver)
      if (!alarm.isRung()) await alarm.sleep()
    }
    phase = 'ended'
  }

  const onCommitted = ({ nextDueAt }: CommitReport): void => {
    if (nextDueAt > clock.now()) alarm.noteDue(nextDueAt)
    else {
      // This may be a delivery whose merchant has reached the limit in flight. When one of them
      // ends, the next is claimed.
      isBehind = true
      alarm.ring()
    }
  }

  const isOver = ({ leaves }: Drain): boolean => [...claimed.values()].every(leaves)

  const resolveDrains = (isResolved: (drain: Drain) => boolean): void => {
    for (const drain of drains.splice(0)) {
      if (isResolved(drain)) drain.resolve([...claimed.values()])
      else drains.push(drain)
    }
  }

  const unsubscribe = store.onCommitted?.(onCommitted)
  void run()

  return {
    /** Tells the dispatcher that something may be due. */
    wake: alarm.ring,
    /**
     * Resolves once nothing is due and nothing is in flight but jobs that it `leaves`, to these jobs.
     * It asks again whenever a job ends and after each claim.
     */
    drain: (leaves: (job: Job) => boolean = () => false): Promise<readonly Job[]> =>
      new Promise((resolve) => {
        if (phase !== 'claiming') return resolve([])
        drains.push({ leaves, resolve })
        alarm.ring()
      }),
    /**
     * True: until told otherwise, an account or a merchant may have all places, since only the
     * clock waits for them.
     */
    hurry: capacity.setUnlimited,
    /** Number of jobs that are claimed but not completed yet. */
    inFlight: (): number => claimed.size,
    /**
     * Notes that a delivery, given by its job's token, has begun to wait for the other side, or
     * continues.
     */
    noteActivity: (token: string, activity: AttemptActivity): void => {
      if (capacity.noteActivity(token, activity) && isBehind) alarm.ring()
    },
    /** The number of deliveries that wait for an answer. */
    waiting: capacity.waiting,
    isRunning: (): boolean => phase === 'claiming',
    /**
     * Stops claiming, waits for the jobs in flight, at most `patience` milliseconds, and releases
     * the rest.
     */
    stop: async (patience: number): Promise<void> => {
      if (phase === 'claiming') phase = 'stopping'
      unsubscribe?.()
      capacity.stop()
      alarm.ring()
      const until = timers.monotonicNow() + patience
      while ((claimed.size > 0 || phase !== 'ended') && timers.monotonicNow() < until)
        await pause(20)
      // A store that does not answer must not block the stop: the leases of jobs that are not
      // released expire.
      const released = store.release([...claimed.values()], 'started')()
      claimed.clear()
      await Promise.race([released, pause(RELEASE_TIMEOUT)])
      resolveDrains(() => true)
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
