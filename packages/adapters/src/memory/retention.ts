// Deletes old, finished deliveries and journals from memory, as the SQL stores delete them from a database.
import {
  type DroppedBatch,
  type DropRequest,
  isOver,
  type JournalLine,
  type Retention,
  type Unavailable,
} from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { isUnfinished, type MemoryJob } from './job-table.ts'

type MemoryOrder = { readonly journal: JournalLine[]; readonly jobs: readonly MemoryJob[] }

type MemoryRetentionParts = {
  /** In the order in which they were placed. */
  readonly orders: () => readonly MemoryOrder[]
  readonly drop: (job: MemoryJob) => void
  readonly runOrUnavailable: <A>(run: () => E.Either<never, A>) => TaskEither<Unavailable, A>
}

/** `number`: ascending, from 1. The `next` of a batch is the number of the last item that it looked at. */
type NumberedItem<A> = { readonly number: number; readonly it: A }

const dropBatch = <A>(
  all: readonly NumberedItem<A>[],
  { after, before, rows }: DropRequest,
  beganAt: (it: A) => number,
  drop: (it: A) => boolean,
): DroppedBatch => {
  const candidates = all
    .filter(({ number }) => number > after)
    .slice(0, rows)
    .filter(({ it }) => beganAt(it) < before)
  const count = candidates.filter(({ it }) => drop(it)).length
  return { count, next: candidates.length < rows ? null : (candidates.at(-1)?.number ?? null) }
}

export const memoryRetention = ({ orders, drop, runOrUnavailable }: MemoryRetentionParts): Retention => ({
  dropDeliveries: (request) =>
    runOrUnavailable(() => {
      const jobs = orders()
        .flatMap((stored) => stored.jobs)
        .filter(({ queue, resendOf }) => queue !== 'work' && resendOf === null)
        .sort((a, b) => a.id - b.id)
      const hasResend = (job: MemoryJob): boolean =>
        orders().some((stored) => stored.jobs.some(({ resendOf }) => resendOf === job))
      const isDroppable = (job: MemoryJob): boolean =>
        !isUnfinished(job) &&
        job.state !== 'stuck' &&
        !hasResend(job) &&
        (job.attemptRecords.at(-1)?.startedAt ?? job.madeAt) < request.before
      return E.right(
        dropBatch(
          jobs.map((it) => ({ number: it.id, it })),
          request,
          ({ madeAt }) => madeAt,
          (job) => {
            if (!isDroppable(job)) return false
            drop(job)
            return true
          },
        ),
      )
    }),

  dropJournals: (request) =>
    runOrUnavailable(() => {
      const all = orders().map((it, index) => ({ number: index + 1, it }))
      return E.right(
        dropBatch(
          all.filter(({ it }) => it.journal.length > 0),
          request,
          // Once its first lines were deleted, a journal's start says nothing about the age of later orders.
          ({ journal: [first] }) => (first?.seq === 1 ? first.at : 0),
          ({ journal, jobs }) => {
            const last = journal.at(-1)
            const isBusy = jobs.some((job) => isUnfinished(job) || job.state === 'stuck')
            if (last === undefined || last.at >= request.before || isBusy || !isOver(last.to)) return false
            journal.length = 0
            return true
          },
        ),
      )
    }),
})
