// What an order still waits for. A page of the sandbox shows what will happen next, and when.
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { EffectKind } from '../order/effects/effect.ts'
import type { OrderNotFound } from './order-store.ts'
import type { Unavailable } from './unavailable.ts'

export type PendingJob = {
  readonly key: string
  readonly lane: string
  readonly kind: EffectKind
  /** Domain time, epoch milliseconds; it may lie in the past. */
  readonly dueAt: number
  /** Attempts that were made. */
  readonly attempts: number
  /** `claimed`: an attempt is in flight. */
  readonly state: 'pending' | 'claimed' | 'stuck'
}

export type PendingJobs = {
  /** The order's unfinished jobs, the next one first. */
  readonly pendingJobs: (orderRef: string) => TaskEither<OrderNotFound | Unavailable, readonly PendingJob[]>
}
