// Pages show more of an order than its state: the body that its merchant placed, and the jobs that it still waits for.
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { OrderNotFound } from './order-store.ts'
import type { Unavailable } from './unavailable.ts'

export type PendingJob = {
  readonly key: string
  readonly lane: string
  /** Domain time, epoch milliseconds; it may lie in the past. */
  readonly dueAt: number
  /** Attempts that were begun. */
  readonly attempts: number
  /** `queued`: an earlier job of its lane comes first. `claimed`: an attempt is in flight. */
  readonly state: 'queued' | 'pending' | 'claimed' | 'stuck'
}

export type OrderInspection = {
  /** The order's unfinished jobs, the next one first; resends are not among them. */
  readonly pendingJobs: (orderRef: string) => TaskEither<OrderNotFound | Unavailable, readonly PendingJob[]>
  /** The merchant's request body as it was placed; null once the shopper is erased. */
  readonly payload: (orderRef: string) => TaskEither<OrderNotFound | Unavailable, string | null>
}
