// Deletes old finished data in small batches, so that the database does not grow without limit. Contract §7, RETAIN_….
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { Unavailable } from './unavailable.ts'

export type DropRequest = {
  /** Rows last changed before this instant (domain time) may be deleted. */
  readonly before: number
  /** `next` of the previous batch; 0 for the first batch. */
  readonly after: number
  /** About how many rows one commit deletes, and how many it examines. */
  readonly rows: number
}

/** `count`: the number of deliveries or journals deleted. `next`: the `after` of the next batch; null after the last. */
export type DroppedBatch = { readonly count: number; readonly next: number | null }

export type Retention = {
  /** Deletes finished deliveries with their attempts. Pending and stuck ones, and those being resent now, stay. */
  readonly dropDeliveries: (request: DropRequest) => TaskEither<Unavailable, DroppedBatch>
  /** Deletes whole journals of orders that are over. The orders themselves stay. */
  readonly dropJournals: (request: DropRequest) => TaskEither<Unavailable, DroppedBatch>
}
