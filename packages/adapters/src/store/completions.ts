// How a claimed job ends: with the result of its attempt, or released without one.
import {
  type AttemptEnd,
  applyEffects,
  type Completion,
  type CompletionResult,
  endAttempt,
  findStarted,
  isUnchanged,
  type JobQueue,
  type Order,
  type OrderJob,
  outcomeOf,
  type ReleasedAs,
  type StartedAttempt,
  type Step,
  stopRevoked,
  toUnavailable,
  type Unavailable,
} from '@plazo/core/internal'
import * as E from 'fp-ts/lib/Either.js'
import { workOf } from './changes.ts'
import { type Commits, type Decided, ofJobs, TAKEN, type Taken } from './commits.ts'
import type { StoredOrder } from './orders.ts'
import type { JobsInMemory } from './queue.ts'
import { type Claimed, type ReleasedJob, startedAttempt } from './tokens.ts'

type CompletionDecision = {
  readonly end: AttemptEnd
  readonly step: Step | null
  readonly before: Order | null
}

// A full queue refuses requests, but not the results of attempts: the merchant would be called again.
const NEVER_REFUSED = { isBackground: true }
const stuck = (message: string): CompletionDecision => ({
  end: { type: 'stuck', message },
  step: null,
  before: null,
})

/** The result of an attempt that nobody knows. */
const LOST: Completion = { result: { type: 'retry', dueAt: 0 } }

type CompletionParts<Key> = {
  readonly queue: JobsInMemory
  readonly commits: Commits<Key>
  readonly mayRun: (ref: string, at: number) => (job: OrderJob) => boolean
}

export const createCompletions = <Key>({ queue, commits, mayRun }: CompletionParts<Key>) => {
  type Stored = StoredOrder<Key>
  const { change } = commits

  /** A decision that throws makes the job stuck: nobody waits for it, and a retry would throw again. */
  const decideCompletion = async (
    stored: Stored,
    { decide, result }: Completion,
    isTaken: boolean,
  ): Promise<CompletionDecision> => {
    if (decide === undefined) return { end: result, step: null, before: null }
    try {
      const before = await stored.order()
      const decision = decide(before, isTaken)
      if (E.isLeft(decision)) return stuck(decision.left.message)
      const { step: made, answer } = decision.right
      const end =
        answer.statusOverride === null
          ? result
          : ({ type: 'finished', status: answer.statusOverride } as const)
      return { end, step: isUnchanged(made) ? null : made, before }
    } catch (cause) {
      const error = toUnavailable(cause)
      if (error.code !== 'internal_error') throw cause
      return stuck(error.message)
    }
  }

  /** Undefined: it has ended otherwise, or was claimed again. */
  const findClaimed = ({ ref, jobs }: Stored, started: Claimed): OrderJob | undefined => {
    const current = queue.claimOf({ ref, n: started.n })
    return current === undefined || current === started.claim
      ? findStarted(jobs, started)
      : undefined
  }

  const endClaim = (ref: string, { n, claim }: Claimed): void => {
    if (queue.claimOf({ ref, n }) === claim) queue.end({ ref, n })
  }

  const complete: JobQueue['complete'] = (job, completion) => async () => {
    const { orderRef } = job
    const started = startedAttempt(job)
    const end = (fault: string | null) =>
      change<CompletionResult>(
        orderRef,
        async (stored, isTaken) => {
          const found = stored && findClaimed(stored, started)
          if (!stored || !found) return { change: null, answer: 'lost' }
          const decided =
            fault === null ? await decideCompletion(stored, completion, isTaken) : stuck(fault)
          return completed(stored, found, started, decided, completion)
        },
        NEVER_REFUSED,
      )
    const ended = await end(null)
    const fault = E.isLeft(ended)
      ? ended.left.code === 'internal_error'
        ? ended.left.message
        : null
      : ended.right === TAKEN
        ? 'ReferenceTaken'
        : null
    const answer = fault === null ? ended : await end(fault)
    // Also if another attempt has ended it: this one does not run any more.
    if (E.isRight(answer)) endClaim(orderRef, started)
    return E.map((as: CompletionResult | Taken) => (as === TAKEN ? 'stuck' : as))(answer)
  }

  const completed = (
    stored: Stored,
    job: OrderJob,
    started: StartedAttempt,
    { end, step: made, before }: CompletionDecision,
    { result, report: answered }: Completion,
  ): Decided<CompletionResult> => {
    // A resend takes the result as it is. The job ends first, so that its step does not revoke it.
    const own = job.resendOf !== null && end !== 'lost' && end.type !== 'stuck' ? result : end
    const ended = endAttempt(stored.jobs, job, started, own)
    const mayRunNow = mayRun(stored.ref, made?.order.context.updatedAt ?? 0)
    const jobs = made
      ? applyEffects(ended, made.effects, made.order, (each) => each.n !== job.n && mayRunNow(each))
      : ended
    const state =
      end !== 'lost' && end.type === 'stuck'
        ? 'stuck'
        : jobs.list.find(({ n }) => n === job.n)?.state
    return {
      change: {
        step: made,
        before,
        jobs,
        work: made ? workOf(stored.jobs.count, made) : new Map(),
        ended: {
          job,
          attempt: started,
          outcome: end === 'lost' ? 'lost' : outcomeOf(result),
          report: answered ?? null,
        },
      },
      answer: state === undefined || state === 'pending' || state === 'queued' ? 'retry' : state,
    }
  }

  const releaseOne = async (
    job: ReleasedJob,
    as: ReleasedAs,
  ): Promise<E.Either<Unavailable, unknown>> => {
    const started = startedAttempt(job)
    const ref = job.orderRef
    const released = await change<Stored | null>(
      ref,
      async (stored) => {
        const found = stored && findClaimed(stored, started)
        if (!stored || !found) return { change: null, answer: null }
        if (as === 'started') {
          const decided = { end: 'lost', step: null, before: null } as const
          const { change: lost } = completed(stored, found, started, decided, LOST)
          return { change: lost, answer: null }
        }
        if (!found.isRevoked) return { change: null, answer: stored }
        return { change: ofJobs(stopRevoked(stored.jobs, found)), answer: null }
      },
      NEVER_REFUSED,
    )
    endClaim(ref, started)
    if (E.isRight(released) && released.right !== null && released.right !== TAKEN)
      commits.enqueue(released.right)
    commits.report(queue.nextDueAt() ?? Number.NEGATIVE_INFINITY)
    return released
  }

  const release: JobQueue['release'] = (jobs, as) => async () => {
    const released = await Promise.all(jobs.map((job) => releaseOne(job, as)))
    return released.find(E.isLeft) ?? E.right(undefined)
  }

  return { complete, release }
}
