// Joins the parts of a store. A host must provide `Store`. Everything else is a capability that it
// may leave out; the bundled server needs them all.
import type { Either } from 'fp-ts/lib/Either.js'
import type { Task } from 'fp-ts/lib/Task.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { Lane, MerchantRequest, QueueName } from '../order/effects/effect.ts'
import type { Order } from '../order/order.ts'
import type { JournalLine, Step } from '../order/step.ts'
import type { Deliveries } from './deliveries.ts'
import type { Endpoints } from './endpoints.ts'
import type { CommitListener, JobQueue, StuckJobs } from './job-queue.ts'
import type { OrderLists } from './order-lists.ts'
import type { OrderStore } from './order-store.ts'
import type { OrderNotFound, Unavailable } from './store-errors.ts'

/**
 * What a host must provide: orders, their jobs, and the jobs that are stuck. `storeContract` checks
 * an implementation.
 */
export type Store = OrderStore & JobQueue & StuckJobs

/**
 * What a store may offer in addition. A use case names the capability that it needs in its type.
 */
export type Capabilities = {
  /**
   * Calls the listener after each commit of this process that writes a step or may let a claim find
   * more, before the commit's callers are answered. Without it, workers find jobs only when they
   * poll `nextDueAt`, as they find those of other processes, and nobody counts steps.
   *
   * @returns a function that removes the listener
   */
  readonly onCommitted: (listener: CommitListener) => () => void
  /**
   * For a load balancer, which sends no requests to a server that cannot serve them. True if the
   * database answers and accepts writes. It writes nothing while other writes succeed. Never
   * rejects, and answers within a few seconds.
   */
  readonly takesWrites: Task<boolean>
  /** Merchants and operators list deliveries and resend them. */
  readonly deliveries: Deliveries
  /** Operators see which shops fail, and pause their deliveries. */
  readonly endpoints: Endpoints
  /** Merchants and operators find orders, and operators their tasks. */
  readonly orders: OrderLists
  /** What pages show of an order beyond its state. */
  readonly inspection: OrderInspection
  /** Deletes old finished data. */
  readonly retention: Retention
  /** Numbers for monitoring. Costs no more than `nextDueAt`, however many jobs are pending. */
  readonly queueStats: () => TaskEither<Unavailable, QueueStats>
  /**
   * Up to `limit` lines of an order's journal, the newest first, without the input that replays
   * them.
   *
   * @param from `next` of the previous page; null begins with the newest line. Lines written
   *   meanwhile do not shift the pages.
   */
  readonly history: (
    orderRef: string,
    from: number | null,
    limit: number,
  ) => TaskEither<OrderNotFound | Unavailable, HistoryPage>
}

/** A store with every capability. */
export type FullStore = Store & Capabilities

/**
 * What waits and what runs in each queue, for monitoring. `nextDueAt`: as in `JobQueue.nextDueAt`,
 * for each queue; it may lie in the past. `inFlight`: jobs that run in this process.
 */
export type QueueStats = {
  readonly nextDueAt: { readonly [kind in QueueName]: number | null }
  readonly inFlight: number
  readonly stuckCount: number
  /**
   * Merchants with deliveries in flight here whose last attempt of that kind was slow or failed; at
   * most 100, in no particular order.
   */
  readonly slowMerchants: readonly string[]
}

/** A line of the journal without the input that replays it. */
export type PublicJournalLine = Omit<JournalLine, 'input'>

/**
 * One page of an order's journal, newest line first. `next`: the `from` of the page of older lines;
 * null after the oldest. The value is opaque: only the store reads it.
 */
export type HistoryPage = {
  readonly lines: readonly PublicJournalLine[]
  readonly next: number | null
}

/** A job that is not finished, as pages and explanations show it. */
export type PendingJob = {
  readonly key: string
  readonly lane: string
  /** Domain time, epoch milliseconds; it may lie in the past. */
  readonly dueAt: number
  /** The number of attempts that have ended. */
  readonly attempts: number
  /** When the first attempt started, domain time; null before it has ended. Its schedule counts from there. */
  readonly firstAt: number | null
  /** The job is useless from this instant on. */
  readonly expiresAt: number | null
  /** `queued`: an earlier job of its lane comes first. An attempt of one that is due may be in flight. */
  readonly state: 'queued' | 'pending' | 'stuck'
}

/**
 * A job of an order that is not finished, with its resends. `isResend`: it sends a delivery again,
 * and has the `key` and `lane` of the delivery.
 */
export type UnfinishedJob = PendingJob & { readonly isResend: boolean }

/**
 * Pages show more of an order than its state: the body that its merchant placed, and the jobs that
 * it still waits for.
 */
export type OrderInspection = {
  /** The order's unfinished jobs, the next one first. */
  readonly pendingJobs: (
    orderRef: string,
  ) => TaskEither<OrderNotFound | Unavailable, readonly UnfinishedJob[]>
  /**
   * What the order's deliveries send, by their ids. Those whose content was erased are missing.
   */
  readonly requests: (
    orderRef: string,
  ) => TaskEither<OrderNotFound | Unavailable, ReadonlyMap<string, MerchantRequest>>
  /** The merchant's request body as it was placed; null once the shopper is erased. */
  readonly payload: (orderRef: string) => TaskEither<OrderNotFound | Unavailable, string | null>
}

/** One batch of a deletion of old data. */
export type DropRequest = {
  /** Rows last changed before this instant (domain time) may be deleted. */
  readonly before: number
  /** `next` of the previous batch; 0 for the first batch. */
  readonly after: number
  /** How many deliveries one commit examines. It deletes the old ones with their attempts. */
  readonly rows: number
}

/**
 * The result of deleting one batch of old data. `count`: the number of deliveries deleted.
 * `next`: the `after` of the next batch; null after the last.
 */
export type DroppedBatch = { readonly count: number; readonly next: number | null }

/**
 * Deletes what is old in small batches, so that the database does not grow without limit. Contract
 * §7, RETAIN_DELIVERIES.
 */
export type Retention = {
  /**
   * Deletes finished deliveries with their attempts. Pending and stuck ones, and those being resent
   * now, stay.
   */
  readonly dropDeliveries: (request: DropRequest) => TaskEither<Unavailable, DroppedBatch>
  /** Forgets the numbers that no code was sent to since this instant (domain time). */
  readonly dropCodeCounts: (before: number) => TaskEither<Unavailable, void>
}

/** The order still has pending or stuck effects in these lanes. */
export type StillPending = { readonly _tag: 'StillPending'; readonly lanes: readonly Lane[] }

/**
 * The port that erases a shopper's data. It is separate from the store, so that only code that may
 * erase has it.
 */
export type ShopperErasure = {
  /**
   * Commits the step that `decide` makes of an order with nothing pending, and destroys all other
   * data of its shopper: the merchant's payload, the journal's inputs, requests and answers,
   * messages, cards. After it returns, no other process can write this data back, and the keys that
   * encrypted it are destroyed. `already_erased`: it was erased before. Data added since then, for
   * example by a cancellation, is destroyed too.
   */
  readonly erase: <E>(
    orderRef: string,
    decide: (order: Order) => Either<E, Step>,
  ) => TaskEither<E | OrderNotFound | StillPending | Unavailable, 'erased' | 'already_erased'>
}
