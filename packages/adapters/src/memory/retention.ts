// Deletes old, finished deliveries and journals from memory, as the SQL stores delete them from a
// database.
import { isOver } from '@plazo/core'
import type { DroppedBatch, DropRequest, OrderModel, Retention } from '@plazo/core/ports'
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

export const memoryRetention = (
  tables: MemoryTables,
  run: RunInTables,
  model: OrderModel,
): Retention => ({
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

  dropJournals: (request) =>
    run(() => {
      const all = tables.orders().flatMap((row, index) => {
        const [first, last] = [row.journal[0], row.journal.at(-1)]
        if (first === undefined || last === undefined) return []
        const isWaiting = tables.rows.jobs(row.orderRef).length > 0
        return {
          number: index + 1,
          // Once its first lines were deleted, a journal's start says nothing about the age of
          // later orders.
          beganAt: first.seq === 1 ? first.at : 0,
          isOld: isOver(last.to, model) && last.at < request.before && !isWaiting,
          drop: () => tables.rows.putOrder({ ...row, journal: [] }),
        }
      })
      return E.right(dropBatch(all, request))
    }),
})
