// The port that stores orders. A store commits each step as a whole, with its journal and its effects; otherwise a crash
// could lose an effect. `decide` is synchronous. A store may call it more than once, and commits the last result.
import type { Either } from 'fp-ts/lib/Either.js'
import type { IO } from 'fp-ts/lib/IO.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { Report } from '../delivery/attempt.ts'
import type { EffectKind, EffectPayload, Lane } from '../order/effects/effect.ts'
import type { Order } from '../order/order.ts'
import type { JournalLine, Step } from '../order/step.ts'
import type { AttemptResult, Deliveries, FinalStatus } from './deliveries.ts'
import type { OperatorInbox } from './operator-inbox.ts'
import type { Retention } from './retention.ts'
import type { Unavailable } from './unavailable.ts'

export type OrderNotFound = { readonly _tag: 'OrderNotFound' }
/** Another order of the merchant holds the `order_ref_1`, and the second decision still requested it. */
export type ReferenceTaken = { readonly _tag: 'ReferenceTaken'; readonly reference: string }
/** No entry with that key is stuck. */
export type JobNotFound = { readonly _tag: 'JobNotFound' }

/**
 * Called with the stored order and `referenceIsTaken: false`. If another order of the merchant holds the reference that the
 * step requests (`heldReference`), called once more with true. It may be called more often, and its result may be discarded.
 * If it throws, its own caller gets `Unavailable`; for `complete`, the step could not be made.
 */
export type Decide<E, A> = (
  order: Order,
  referenceIsTaken: boolean,
) => Either<E, { readonly step: Step; readonly answer: A }>

/** An effect that a worker has claimed. Instants are domain time, epoch milliseconds. */
export type Job = {
  readonly key: string
  readonly orderRef: string
  readonly merchantRef: string
  readonly lane: Lane
  readonly work: EffectPayload
  readonly expiresAt: number | null
  /** This attempt's number, from 1. */
  readonly attempt: number
  /** A manual resend of a delivery, outside its lane and schedule. A failed resend does not exhaust the delivery. */
  readonly isResend: boolean
  /** The `at` of the entry's first claim, and of this claim. */
  readonly firstAt: number
  readonly startedAt: number
  /**
   * The fencing token of this claim. After a later claim of the entry it settles nothing. If the lease has ended but nobody has
   * taken the entry, the token still settles it.
   */
  readonly token: string
}

/** Whether the work on the entry had begun. */
export type ReleasedAs = 'started' | 'not_started'

export type CompletionResult =
  | FinalStatus
  /** The entry is pending again. */
  | 'retry'
  /** Another worker had taken the claim. Nothing was written. */
  | 'lost'
  /** The step could not be made. The entry is stuck, and its lane continues. Contract §6, Stuck. */
  | 'stuck'

/** True if the conclusion was written together with the step that it causes. */
export const wasApplied = (as: CompletionResult): as is FinalStatus | 'retry' => as !== 'lost' && as !== 'stuck'

/** Deliveries to merchants are counted separately from all other work. Contract §6, Fairness. */
export type QueueName = 'event' | 'ipn' | 'work'

export const queueNameOf = (kind: EffectKind): QueueName => (kind === 'event' || kind === 'ipn' ? kind : 'work')

export type ClaimRequest = {
  /** Claims entries due at or before this instant; domain time. */
  readonly at: number
  /** Real milliseconds until another worker may take the claim. */
  readonly lease: number
  /** How many more entries this node can run now: deliveries (events and IPNs together), and other work. */
  readonly capacity: { readonly deliveries: number; readonly internal: number }
  /**
   * How many events, and how many IPNs, of one account may be in flight on all nodes together. All merchants of an account
   * count together.
   */
  readonly perMerchant: number
  /** The limits of this node for each merchant within its account. Absent: `perMerchant` for every merchant. */
  readonly shares?: MerchantShares
}

/**
 * How many deliveries of one merchant may be in flight on all nodes together, by `merchantRef`. Events and IPNs count
 * separately. If another node has deliveries of the merchant in flight under a smaller share, the smaller share applies. A
 * share below `others` marks the merchant as slow while its deliveries are in flight (`Backlog.slowMerchants`). Contract §6,
 * Fairness.
 */
export type MerchantShares = {
  /** The share of merchants that are not listed. 0: none of their deliveries is claimed. */
  readonly others: number
  readonly event: ReadonlyMap<string, number>
  readonly ipn: ReadonlyMap<string, number>
}

export type CommitListener = (nextDueAt: number) => void

export type StuckJob = { readonly key: string; readonly orderRef: string; readonly message: string }

/**
 * Numbers for monitoring. `nextDueAt`: as in `Store.nextDueAt`, for each class; it may lie in the past. `inFlight`: entries
 * claimed by any node and not settled. `stuck`: the number of stuck entries.
 */
export type QueueStats = {
  readonly nextDueAt: { readonly [kind in QueueName]: number | null }
  readonly inFlight: number
  readonly stuckCount: number
  /** Merchants whose deliveries are in flight under a smaller share, on any node; at most 100, in no particular order. */
  readonly slowMerchants: readonly string[]
}

/** A line of the journal without the input that replays it. */
export type PublicJournalLine = Omit<JournalLine, 'input'>

/** `next`: the `from` of the page of older lines; null after the oldest. The value is opaque: only the store reads it. */
export type HistoryPage = { readonly lines: readonly PublicJournalLine[]; readonly next: number | null }

export type Store = {
  /** Stores a new order. An existing one stays, and the result is `Unavailable`. `payload`: the merchant's, unchanged. */
  readonly place: (step: Step, payload: string) => TaskEither<ReferenceTaken | Unavailable, void>
  readonly read: (orderRef: string) => TaskEither<OrderNotFound | Unavailable, Order>
  /** All lines of the journal, oldest first; there may be many. `history` reads a page. */
  readonly journal: (orderRef: string) => TaskEither<OrderNotFound | Unavailable, readonly JournalLine[]>
  /**
   * Up to `limit` lines of an order's journal, the newest first, without the input that replays them.
   *
   * @param from `next` of the previous page; null begins with the newest line. Lines written meanwhile do not shift the pages.
   */
  readonly history: (
    orderRef: string,
    from: number | null,
    limit: number,
  ) => TaskEither<OrderNotFound | Unavailable, HistoryPage>
  /** The order of the merchant that holds this `order_ref_1`. */
  readonly findByReference: (merchantRef: string, orderRef1: string) => TaskEither<OrderNotFound | Unavailable, Order>
  /** Calls `decide` with the stored order and commits order, journal and effects together. Returns after the commit. */
  readonly step: <E, A>(
    orderRef: string,
    decide: Decide<E, A>,
  ) => TaskEither<E | OrderNotFound | ReferenceTaken | Unavailable, A>
  /**
   * Claims due effects: first in, first out for each order and lane, each merchant in turn. Records an attempt for each claimed
   * delivery. `request` is called when the claim is made, so that capacity freed since the call counts. Claims whose lease has
   * ended are first given back as begun.
   */
  readonly claim: (request: IO<ClaimRequest>) => TaskEither<Unavailable, readonly Job[]>
  /**
   * Calls `listener` after each commit of this process that may let a claim find more, before the commit's callers are
   * answered, with the time from which a claim may find it: never later than that, but perhaps earlier. It is a hint. Workers
   * also poll, because other processes commit too.
   *
   * @returns a function that removes the listener
   */
  readonly onCommitted: (listener: CommitListener) => () => void
  /**
   * Writes a claimed entry's conclusion, a delivery's report, and the step it causes, in one transaction. The answer of
   * `decide` is the entry's ending because of that step, and replaces the conclusion; null keeps the conclusion. The entry is
   * written first, so a withdrawal by its own step does not stop it. The attempt is always completed, with `outcomeOf` the
   * conclusion and the report, if there is one.
   */
  readonly complete: (
    job: Pick<Job, 'key' | 'orderRef' | 'token'>,
    attemptResult: AttemptResult,
    decide: Decide<{ readonly message: string }, FinalStatus | null> | null,
    report: Report | null,
  ) => TaskEither<Unavailable, CompletionResult>
  /**
   * Gives claims back unfinished, for example when the node shuts down. An attempt that was begun is `lost`, because nobody
   * knows whether it arrived. An entry that was not begun looks as if it had never been claimed.
   */
  readonly release: (
    jobs: readonly Pick<Job, 'key' | 'orderRef' | 'token'>[],
    as: ReleasedAs,
  ) => TaskEither<Unavailable, void>
  /** When the next pending effect is due that does not wait for another in its lane, or null. */
  readonly nextDueAt: () => TaskEither<Unavailable, number | null>
  /** Costs no more than `nextDueAt`, however many entries are pending. */
  readonly queueStats: () => TaskEither<Unavailable, QueueStats>
  readonly stuckJobs: () => TaskEither<Unavailable, readonly StuckJob[]>
  /** Puts a stuck entry back into its lane, due immediately, after the cause has been fixed. Contract §6, Stuck. */
  readonly retryStuckJob: (key: string, at: number) => TaskEither<JobNotFound | Unavailable, void>
  readonly deliveries: Deliveries
  readonly orders: OperatorInbox
  readonly retention: Retention
}
