// The part of the store through which what is old and over is let go, a little at a time. Contract §7, RETAIN_….
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { Unavailable } from './unavailable.ts'

export type DropRequest = {
  /** What was last touched before this instant, domain time, may go. */
  readonly before: number
  /** Where the last batch ended; 0 begins. */
  readonly after: number
  /** About how many rows one commit deletes, and how many it looks at. */
  readonly rows: number
}

/** `count`: deliveries, or journals. `next`: where the next batch begins, null when all has been looked at. */
export type Dropped = { readonly count: number; readonly next: number | null }

export type Retention = {
  /** Finished deliveries go with their attempts; what is pending or stuck, or is just being sent again, stays. */
  readonly dropDeliveries: (request: DropRequest) => TaskEither<Unavailable, Dropped>
  /** The journals of orders that are over, whole ones; the order itself stays. */
  readonly dropJournals: (request: DropRequest) => TaskEither<Unavailable, Dropped>
}
