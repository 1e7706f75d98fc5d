// The outbox: jobs that committed steps left behind, such as sending an SMS, calling a merchant or
// waiting for a deadline. A worker claims due jobs, runs them, and reports each result together
// with the step that the result causes.
import type { IO } from 'fp-ts/lib/IO.js'
import type { Task } from 'fp-ts/lib/Task.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { Report } from '../delivery/attempt.ts'
import type { EndpointKind } from '../delivery/endpoint.ts'
import type { EffectPayload, Lane } from '../order/effects/effect.ts'
import type { AttemptResult, FinalStatus } from './deliveries.ts'
import type { Decide } from './order-store.ts'
import type { Unavailable } from './store-errors.ts'

/** An effect whose attempt begins, as JSON. Instants are domain time, epoch milliseconds. */
export type Job = {
  /**
   * `<order_ref>:<revision>:<lane>`. Providers get it as the idempotency key, merchants as
   * `Webhook-Id`.
   */
  readonly key: string
  readonly orderRef: string
  readonly merchantRef: string
  /**
   * Jobs of one order in one lane run in the order in which they were created. Contract §6,
   * Ordering.
   */
  readonly lane: Lane
  readonly payload: EffectPayload
  /** The job is useless from this instant on, for example once a code has expired. */
  readonly expiresAt: number | null
  /** This attempt's number, from 1, unless another one of the same delivery ends first. */
  readonly attempt: number
  /**
   * A manual resend of a delivery, outside its lane and schedule. A failed resend does not exhaust
   * the delivery.
   */
  readonly isResend: boolean
  /** False: a delivery in a place for merchants that are not good. */
  readonly isGood?: boolean
  /** The `at` of the claim of its first attempt, and of this one. */
  readonly firstAt: number
  readonly startedAt: number
  /** Names this attempt. Only the store reads it. */
  readonly token: string
}

/** Whether the attempt of a job that is given back had started. */
export type ReleasedAs = 'started' | 'not_started'

/**
 * Decides the step that the result of a job causes. `statusOverride`: the job's final status
 * because of the step, in place of the result. Null keeps the result.
 */
export type CompletionDecide = Decide<
  { readonly message: string },
  { readonly statusOverride: FinalStatus | null }
>

/** How a job ended: its result, the step that this causes, and the merchant's answer. */
export type Completion = {
  readonly result: AttemptResult
  /** Decides the step that the result causes. Absent: the result causes none. */
  readonly decide?: CompletionDecide | undefined
  /** The merchant's answer. Only for deliveries. */
  readonly report?: Report | undefined
}

/** What a store has made of a completion. */
export type CompletionResult =
  | FinalStatus
  /** The job is pending again. */
  | 'retry'
  /** The job has ended by another result. Nothing was written. */
  | 'lost'
  /** The step could not be made. The job is stuck, and its lane continues. Contract §6, Stuck. */
  | 'stuck'

/** True if the result was written together with the step that it causes. */
export const wasApplied = (as: CompletionResult): as is FinalStatus | 'retry' =>
  as !== 'lost' && as !== 'stuck'

/** A merchant and a kind of its deliveries. */
export type EndpointRef = { readonly merchantRef: string; readonly kind: EndpointKind }

/**
 * A worker asks for the jobs that it can run. The rule of a claim (contract §6, Fairness): an account
 * has at most `perAccount` events and as many IPNs in flight at its good merchants, over all nodes. A
 * merchant that is not good has a place of its own for one event and one IPN, and at most
 * `capacity.notGood` such places are taken. Accounts with less in flight go first (good and other
 * merchants counted apart), then what has been due longest.
 *
 * A merchant is good for a kind of delivery if its last ended attempt of that kind was good
 * (`isGoodAttempt`). A merchant that was never called is not good yet. A store that keeps no such
 * fact treats every merchant as good.
 */
export type ClaimRequest = {
  /** Claims jobs due at or before this instant; domain time. */
  readonly at: number
  /** How many more jobs this node can run now. */
  readonly capacity: {
    /** Events and IPNs together. */
    readonly deliveries: number
    /** How many of these may be for merchants that are not good. */
    readonly notGood: number
    /** All other work, in the order in which it became due. */
    readonly internal: number
  }
  /** Null: nothing limits accounts and merchants, and every merchant counts as good. */
  readonly perAccount: number | null
  /** An attempt there has waited for three seconds: from now on the endpoint is not good. */
  readonly slow?: readonly EndpointRef[]
}

/** What one commit of this process has done. */
export type CommitReport = {
  /**
   * A claim may find more from this instant on, or earlier. Minus infinity: at once. Infinity: the
   * commit lets it find no more.
   */
  readonly nextDueAt: number
  /** How many steps of orders it has written. */
  readonly steps: number
}

/** Called after a commit. It must be quick and must not throw. */
export type CommitListener = (report: CommitReport) => void

/**
 * The outbox of all orders. One process at a time claims its jobs and completes them; if it dies,
 * another goes on, and makes its attempts again. Contract §6.
 */
export type JobQueue = {
  /**
   * Claims due jobs by the rule of `ClaimRequest`: first in, first out for each order and lane. A job
   * never runs while a job in a lane that it excludes is in flight. Writes nothing. Returns no jobs
   * in a process that is not the one that claims.
   *
   * @param request called when the claim runs, so that capacity freed since the call counts
   */
  readonly claim: (request: IO<ClaimRequest>) => TaskEither<Unavailable, readonly Job[]>
  /**
   * Ends an attempt and applies the step that its result causes, in one transaction. If another
   * step has revoked the job meanwhile, its status is `stopped`, with any result; its own
   * step does not stop it. The attempt is always recorded, with the outcome of the result
   * (`outcomeOf`) and the report, if there is one.
   */
  readonly complete: (job: Job, completion: Completion) => TaskEither<Unavailable, CompletionResult>
  /**
   * Returns claimed jobs unfinished, for example at shutdown. A started attempt counts as lost,
   * because nobody knows whether it arrived. A job that was not started looks as if it had never
   * been claimed.
   */
  readonly release: (
    jobs: readonly Pick<Job, 'orderRef' | 'token' | 'startedAt'>[],
    as: ReleasedAs,
  ) => TaskEither<Unavailable, void>
  /**
   * Lets another process start jobs, because this one claims nothing more. Those in flight go on.
   * Absent: no other process does. Never rejects.
   */
  readonly handOver?: Task<void>
  /** False while another process starts the jobs. Absent: none does. */
  readonly startsJobs?: () => boolean
  /**
   * When the next pending job is due that does not wait for another in its lane, or null. May lie
   * in the past. `after`: only jobs that are due later than this instant.
   */
  readonly nextDueAt: (after?: number) => TaskEither<Unavailable, number | null>
}

/** No job with that key is stuck. */
export type JobNotFound = { readonly _tag: 'JobNotFound' }

/**
 * A job whose result could not be applied. `message` is for the log, and may contain a shopper's
 * data.
 */
export type StuckJob = { readonly key: string; readonly orderRef: string; readonly message: string }

/**
 * Jobs whose result could not be applied because of an internal error. They wait for an operator.
 * Contract §6, Stuck.
 */
export type StuckJobs = {
  readonly stuckJobs: () => TaskEither<Unavailable, readonly StuckJob[]>
  /** Puts a stuck job back into its lane, due at `at`, after the cause has been fixed. */
  readonly retryStuckJob: (key: string, at: number) => TaskEither<JobNotFound | Unavailable, void>
}
