// What a store asks of its database: orders with their journal, and jobs. Everything else that a
// store promises is written once, above these functions, so that an embedder implements only them.
import type { JournalLine, Order } from '@plazo/core'
import {
  type Capabilities,
  type DoEffect,
  type EndpointKind,
  type FinalStatus,
  type Outcome,
  type Report,
  type Store,
  toUnavailable,
  type Unavailable,
} from '@plazo/core/ports'
import * as E from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'

/** By these an order is found. A database that stores the rest as one text needs only them. */
export type OrderKeys = {
  readonly orderRef: string
  readonly merchantRef: string
  /** The `order_ref_1` that the order holds, or null: `heldReference` of the order (core). */
  readonly reference: string | null
}

/** One order as a database keeps it, with its journal and the columns that it is found by. */
export type OrderRow = OrderKeys & {
  readonly order: Order
  /** The merchant's request body, unchanged; null once the shopper is erased. */
  readonly payload: string | null
  readonly journal: readonly JournalLine[]
}

/** Instants are epoch milliseconds of domain time, except `leaseUntil`. */
export type JobRow = {
  /** Grows with every job that is added, so that it orders the jobs of a lane. */
  readonly id: number
  readonly effect: DoEffect
  readonly orderRef: string
  readonly merchantRef: string
  /** Good merchants of one account share one limit of deliveries in flight. */
  readonly account: string
  /** `queued`: an earlier job of its lane comes first. `claimed`: an attempt is in flight. */
  readonly state: 'queued' | 'pending' | 'claimed' | 'stuck'
  /** True: sends a finished delivery once more. It is in no lane, and is never retried. */
  readonly isResend: boolean
  readonly createdAt: number
  readonly dueAt: number
  /** The number of attempts started. */
  readonly attempts: number
  readonly firstAt: number | null
  /** The fencing token of the claim; null unless claimed. */
  readonly token: string | null
  /** Real time. */
  readonly leaseUntil: number
  /** A step revoked it while it was claimed. It ends with its attempt. */
  readonly isRevoked: boolean
  /** Why it is stuck. */
  readonly message: string | null
}

/** The attempts of deliveries, for a database that lists them. */
export type AttemptRows = {
  /** Returns the number of the attempt. */
  readonly start: (job: JobRow, at: number) => number
  readonly end: (job: JobRow, outcome: Outcome, report: Report | undefined) => void
  /** The attempt never started. */
  readonly undo: (job: JobRow) => void
}

/**
 * All functions are synchronous and throw if the database fails. Rows are JSON. `Row`: what is
 * stored of an order; other than `OrderRow` if the store above encrypts it.
 */
export type Rows<Row extends OrderKeys = OrderRow> = {
  readonly order: (orderRef: string) => Row | undefined
  /** The uuid of the merchant's order that holds this reference; at most one does. */
  readonly orderHolding: (merchantRef: string, reference: string) => string | undefined
  readonly putOrder: (row: Row) => void
  /** The jobs of one order, or of all orders, by ascending `id`. */
  readonly jobs: (orderRef?: string) => readonly JobRow[]
  readonly addJob: (job: Omit<JobRow, 'id'>) => void
  /** Replaces the job with this `id`. */
  readonly putJob: (job: JobRow) => void
  /** `as`: how the job ended, for a database that keeps a list of what was delivered. */
  readonly dropJob: (job: JobRow, as: FinalStatus) => void
  /**
   * Runs the function alone, and commits all that it wrote, or nothing if it throws. What it wrote
   * survives a crash once this returns.
   */
  readonly transaction: <A>(run: () => A) => A

  // A database that keeps no such fact leaves these two out. Every merchant is good then, and only
  // `perAccount` limits deliveries.

  /** What `noteGood` wrote last of the merchant and kind; false before. */
  readonly isGood?: (merchantRef: string, kind: EndpointKind) => boolean
  readonly noteGood?: (merchantRef: string, kind: EndpointKind, isGood: boolean) => void

  // Only for a database whose store also lists deliveries.

  readonly attempts?: AttemptRows
}

/** Rows on which a store can run. Each transaction commits before its result is returned. */
export type StoreRows = Omit<Rows, 'transaction'> & {
  readonly transaction: <A>(run: () => A) => A | Promise<A>
  /** The order's next row is encrypted under a new data key. Absent: rows are not encrypted. */
  readonly forgetKey?: (orderRef: string) => void
}

/** A store over rows, which reports its commits. */
export type RowsStore = Store &
  Pick<Capabilities, 'onCommitted'> & {
    /** Call it after the commit of a transaction of yours, in which plazo has written. */
    readonly notifyCommitted: () => void
  }

/** Runs in one transaction. `Unavailable` if the database fails, or if `run` throws. */
export const runInRows =
  <Err, A>(rows: StoreRows, run: () => E.Either<Err, A>): TaskEither<Err | Unavailable, A> =>
  async () => {
    try {
      return await rows.transaction(run)
    } catch (cause) {
      return E.left(toUnavailable(cause))
    }
  }
