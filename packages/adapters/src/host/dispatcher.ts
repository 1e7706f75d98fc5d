// Orders only record their effects; the dispatcher runs them. It claims due jobs, calls the ports
// and completes the jobs with the results. It claims again when the store reports a due job, when a
// job ends, and when its alarm rings.
//
// Its state: the phase, the claimed jobs, and those who wait until nothing is due. `capacity.ts`
// decides how many jobs may start, and `claim-alarm.ts` when to claim.

import {
  type AttemptError,
  type Capabilities,
  type ClaimRequest,
  type Clock,
  type CommitReport,
  type CompletionResult,
  describeThrown,
  type EffectResult,
  type Job,
  type JobQueue,
  type ThrownError,
  type Unavailable,
} from '@plazo/core/internal'
import * as E from 'fp-ts/lib/Either.js'
import type { Task } from 'fp-ts/lib/Task.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { systemTimers, type Timers } from '../system/clock-and-ids.ts'
import { type CapacityLimits, createCapacity } from './capacity.ts'
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
  readonly timers?: Timers
  /** For crash tests. */
  readonly onMoment?: (moment: 'claimed' | 'carried out') => void
}

/**
 * A running dispatcher, as `startDispatcher` returns it. `stop(millis)` claims nothing more, waits
 * at most so long for the jobs in flight, and releases the rest.
 */
export type Dispatcher = ReturnType<typeof startDispatcher>

const RELEASE_TIMEOUT = 2_000

// With so many jobs in flight, each end of one would lead to a claim of one.
const BUSY = 16
const PACE_MILLIS = 4

type Drain = {
  readonly leaves: (job: Job) => boolean
  readonly resolve: (left: readonly Job[]) => void
}

/** Starts immediately and claims due jobs until it is stopped. */
export const startDispatcher = (parts: DispatcherParts) => {
  const { store, clock, executeEffect, complete, limits, onCompleted, onFailure, onMoment } = parts
  const { timers = systemTimers } = parts
  /** `stopping`: nothing is claimed any more. `ended`: the last claim has been answered too. */
  let phase: 'claiming' | 'stopping' | 'ended' = 'claiming'
  const drains: Drain[] = []
  const claimed = new Map<string, Job>()

  const alarm = createClaimAlarm(clock, timers, store.nextDueAt)
  const capacity = createCapacity({ limits, timers, onFree: alarm.ring })

  /** This process starts jobs, and has claimed all that it may. */
  const isIdle = () => !alarm.isRung() && store.startsJobs?.() !== false

  const pause = (millis: number): Promise<void> =>
    new Promise((resolve) => timers.after(millis, resolve))

  /** A result is kept until the database takes it. */
  const completeAtLast = async (job: Job, result: EffectResult): Promise<void> => {
    const reportAt = timers.monotonicNow() + UNSTORED_MILLIS
    let isReported = false
    for (let isUnanswered = false; ; isUnanswered = true) {
      const completed = await complete(job, result)()
      if (E.isRight(completed))
        return onCompleted?.(
          job,
          result,
          isUnanswered ? resultIfUnanswered(result, completed.right) : completed.right,
        )
      if (!isReported && timers.monotonicNow() > reportAt) {
        isReported = true
        onFailure(completed.left, job)
      }
      if (!claimed.has(job.token)) return
      await pause(COMPLETION_RETRY_MILLIS)
    }
  }

  const perform = async (job: Job): Promise<void> => {
    try {
      const result = await capacity.run(job, executeEffect(job))
      onMoment?.('carried out')
      if (result.error !== null) onFailure(result.error, job, result.thrown)
      if (result.hasNoSocket) {
        // Nobody was called, and the merchant is not at fault: the job is released as if it had
        // never been claimed.
        capacity.pause()
        await store.release([job], 'not_started')()
        return
      }
      alarm.ring()
      await completeAtLast(job, result)
    } catch (cause) {
      onFailure({ reason: 'other', message: 'internal error' }, job, describeThrown(cause))
      await store.release([job], 'started')()
    } finally {
      claimed.delete(job.token)
      if (drains.length > 0) alarm.ring()
    }
  }

  const claim = async (): Promise<void> => {
    let places = capacity.free()
    // The store builds the request when it chooses. Jobs that become due later belong to a later
    // claim.
    const answer = await store.claim((): ClaimRequest => {
      const at = clock.now()
      places = capacity.free()
      alarm.forgetDue(at)
      return { at, ...places }
    })()
    if (E.isLeft(answer)) {
      alarm.forgetDue()
      return parts.onClaimFailure?.(answer.left)
    }
    parts.onClaimed?.()
    const jobs = answer.right
    for (const job of jobs) claimed.set(job.token, job)
    capacity.noteClaim(places, jobs)
    if (jobs.length > 0) onMoment?.('claimed')
    for (const job of jobs) void perform(job)
  }

  const run = async (): Promise<void> => {
    while (phase === 'claiming') {
      alarm.reset()
      await claim()
      if (isIdle()) await alarm.readNextDue()
      // During a pause, deliveries may be due that were not claimed.
      if (isIdle() && !capacity.isPaused()) resolveDrains(isOver)
      if (!alarm.isRung()) await alarm.sleep()
      if (claimed.size >= BUSY) await pause(PACE_MILLIS)
    }
    phase = 'ended'
    void store.handOver?.()
  }

  const onCommitted = ({ nextDueAt }: CommitReport): void => {
    if (nextDueAt > clock.now()) alarm.noteDue(nextDueAt)
    else alarm.ring()
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
     * Resolves once this process starts jobs, nothing is due and nothing is in flight but jobs that
     * it `leaves`, to these jobs.
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
    noteActivity: capacity.noteActivity,
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
      alarm.ring()
      const until = timers.monotonicNow() + patience
      while ((claimed.size > 0 || phase !== 'ended') && timers.monotonicNow() < until)
        await pause(20)
      // A store that does not answer must not block the stop: what is not released is made again.
      const released = store.release([...claimed.values()], 'started')()
      claimed.clear()
      await new Promise<void>((resolve) => {
        const timer = timers.after(RELEASE_TIMEOUT, resolve)
        void released.then(() => {
          timer.cancel()
          resolve()
        })
      })
      resolveDrains(() => true)
    },
  }
}

const COMPLETION_RETRY_MILLIS = 250
// A result that has waited for so long is reported once.
const UNSTORED_MILLIS = 30_000

// A write that was not answered may have been made, and completing the job again then reports that it
// is lost. Operators should see an alert twice rather than never.
const resultIfUnanswered = (
  { attemptResult }: EffectResult,
  completion: CompletionResult,
): CompletionResult =>
  completion === 'lost' &&
  attemptResult.type === 'finished' &&
  /^(exhausted|unsupported)$/.test(attemptResult.status)
    ? attemptResult.status
    : completion
