// Deletes old, finished deliveries from memory, as the SQL stores delete them from a
// database.
import type { DroppedBatch, DropRequest, Retention } from '@plazo/core/ports'
import * as E from 'fp-ts/lib/Either.js'
import { lastTriedAt, type MemoryJob, type MemoryTables, type RunInTables } from './tables.ts'

/**
 * `number`: ascending, from 1. The `next` of a batch is the number of the last item that it looked
 * at.
 */
type Candidate = {
  readonly number: number
  readonly beganAt: number
  readonly isOld: boolean
  readonly drop: () => void
}

const dropBatch = (
  all: readonly Candidate[],
  { after, before, rows }: DropRequest,
): DroppedBatch => {
  const candidates = all
    .filter(({ number }) => number > after)
    .slice(0, rows)
    .filter(({ beganAt }) => beganAt < before)
  const old = candidates.filter(({ isOld }) => isOld)
  for (const { drop } of old) drop()
  return {
    count: old.length,
    next: candidates.length < rows ? null : (candidates.at(-1)?.number ?? null),
  }
}

const isBusy = ({ state }: MemoryJob): boolean =>
  state === 'queued' || state === 'pending' || state === 'claimed' || state === 'stuck'

export const memoryRetention = (tables: MemoryTables, run: RunInTables): Retention => ({
  dropDeliveries: (request) =>
    run(() => {
      const all = tables.deliveries().map((job) => ({
        number: job.id,
        beganAt: job.createdAt,
        isOld:
          !isBusy(job) &&
          !tables.isBeingResent(job) &&
          lastTriedAt(job, tables.attemptsOf(job)) < request.before,
        drop: () => tables.dropDelivery(job),
      }))
      return E.right(dropBatch(all, request))
    }),
})
