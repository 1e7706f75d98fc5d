// Deletes old, finished deliveries and journals from memory, as the SQL stores delete them from a database.
import { type Dropped, type DropRequest, isOver, type JournalLine, type Retention, type Unavailable } from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { isUnfinished, type KeptEntry } from './kept-entry.ts'

type Kept = { readonly journal: JournalLine[]; readonly entries: readonly KeptEntry[] }

type MemoryRetentionParts = {
  /** In the order in which they were placed. */
  readonly orders: () => readonly Kept[]
  readonly drop: (entry: KeptEntry) => void
  readonly trying: <A>(run: () => E.Either<never, A>) => TaskEither<Unavailable, A>
}

/** `number`: ascending, from 1. The `next` of a batch is the number of the last item that it looked at. */
type Numbered<A> = { readonly number: number; readonly it: A }

const batch = <A>(
  all: readonly Numbered<A>[],
  { after, before, rows }: DropRequest,
  begunAt: (it: A) => number,
  drop: (it: A) => boolean,
): Dropped => {
  const looked = all
    .filter(({ number }) => number > after)
    .slice(0, rows)
    .filter(({ it }) => begunAt(it) < before)
  const count = looked.filter(({ it }) => drop(it)).length
  return { count, next: looked.length < rows ? null : (looked.at(-1)?.number ?? null) }
}

export const memoryRetention = ({ orders, drop, trying }: MemoryRetentionParts): Retention => ({
  dropDeliveries: (request) =>
    trying(() => {
      const entries = orders()
        .flatMap((kept) => kept.entries)
        .filter(({ kind, resendOf }) => kind !== 'work' && resendOf === null)
        .sort((a, b) => a.id - b.id)
      const isSentAgain = (entry: KeptEntry): boolean =>
        orders().some((kept) => kept.entries.some(({ resendOf }) => resendOf === entry))
      const mayGo = (entry: KeptEntry): boolean =>
        !isUnfinished(entry) &&
        entry.state !== 'stuck' &&
        !isSentAgain(entry) &&
        (entry.made.at(-1)?.startedAt ?? entry.madeAt) < request.before
      return E.right(
        batch(
          entries.map((it) => ({ number: it.id, it })),
          request,
          ({ madeAt }) => madeAt,
          (entry) => {
            if (!mayGo(entry)) return false
            drop(entry)
            return true
          },
        ),
      )
    }),

  dropJournals: (request) =>
    trying(() => {
      const all = orders().map((it, index) => ({ number: index + 1, it }))
      return E.right(
        batch(
          all.filter(({ it }) => it.journal.length > 0),
          request,
          // Once its first lines were deleted, a journal's start says nothing about the age of later orders.
          ({ journal: [first] }) => (first?.seq === 1 ? first.at : 0),
          ({ journal, entries }) => {
            const last = journal.at(-1)
            const isBusy = entries.some((entry) => isUnfinished(entry) || entry.state === 'stuck')
            if (last === undefined || last.at >= request.before || isBusy || !isOver(last.to)) return false
            journal.length = 0
            return true
          },
        ),
      )
    }),
})
