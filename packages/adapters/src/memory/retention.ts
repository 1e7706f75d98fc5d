// Deletes old, finished deliveries and journals from memory, as the SQL stores delete them from a
// database.
import { isOver, type JournalLine } from '@plazo/core'
import type { DroppedBatch, DropRequest, Retention } from '@plazo/core/ports'
import * as E from 'fp-ts/lib/Either.js'
import { isUnfinished, lastTriedAt, type MemoryJob } from './job-table.ts'
import { type MemoryOutbox, runOrUnavailable } from './outbox.ts'

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

const isBusy = (job: MemoryJob): boolean => isUnfinished(job) || job.state === 'stuck'

/** `journals`: in the order in which their orders were placed, with the order's reference. */
export const memoryRetention = (
  outbox: MemoryOutbox,
  journals: () => readonly (readonly [orderRef: string, journal: JournalLine[]])[],
): Retention => ({
  dropDeliveries: (request) =>
    runOrUnavailable(() => {
      const all = outbox.deliveries().map((job) => ({
        number: job.id,
        beganAt: job.madeAt,
        isOld: !isBusy(job) && !outbox.isBeingResent(job) && lastTriedAt(job) < request.before,
        drop: () => outbox.drop(job),
      }))
      return E.right(dropBatch(all, request))
    }),

  dropJournals: (request) =>
    runOrUnavailable(() => {
      const all = journals().flatMap(([orderRef, journal], index) => {
        const [first, last] = [journal[0], journal.at(-1)]
        if (first === undefined || last === undefined) return []
        return {
          number: index + 1,
          // Once its first lines were deleted, a journal's start says nothing about the age of
          // later orders.
          beganAt: first.seq === 1 ? first.at : 0,
          isOld:
            isOver(last.to) && last.at < request.before && !outbox.ofOrder(orderRef).some(isBusy),
          drop: () => void journal.splice(0),
        }
      })
      return E.right(dropBatch(all, request))
    }),
})
