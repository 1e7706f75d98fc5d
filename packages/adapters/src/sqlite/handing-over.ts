// What the jobs of a commit make due, for whoever takes it: handed over once the commit is made, and only then.
import type { ClaimRequest, Entry, Taker } from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import type { CommitQueue } from './commit-queue.ts'
import { watched } from './phases.ts'

export type HandingOver = {
  readonly handOver: (taker: Taker | null) => void
  /** The same queue; what its jobs hand over and tell is told after their commit. */
  readonly through: (queue: CommitQueue) => CommitQueue
  /** Inside a job: as what a claim would take something that is due then; null: it is left to a claim. */
  readonly offer: (dueAt: number) => Pick<ClaimRequest, 'at' | 'lease'> | null
  /** `id`: of the row that was written claimed. */
  readonly hand: (id: number, entry: Entry) => void
  /** False: this job has not handed it over. */
  readonly takeBack: (id: number) => boolean
  /** A claim may find something from then on; null: it does not. */
  readonly tell: (dueAt: number | null) => void
}

type Made = { readonly taker: Taker | null; readonly entries: Map<number, Entry>; nextDueAt: number | null }

const nothing = (taker: Taker | null): Made => ({ taker, entries: new Map(), nextDueAt: null })

export const handingOver = (): HandingOver => {
  let taker: Taker | null = null
  // By the job that runs, and by those whose commit is not made yet.
  let made = nothing(null)
  let underway = 0

  const telling =
    (run: CommitQueue['run']): CommitQueue['run'] =>
    async (job) => {
      let mine = nothing(null)
      let running = mine
      const committed = await run(
        watched(job, {
          begun: () => {
            // Where a commit is undone and run again, what was handed over the first time is not.
            underway -= mine.entries.size
            mine = nothing(null)
            running = nothing(taker)
          },
          resumed: () => {
            made = running
          },
          ended: () => {
            mine = running
            underway += mine.entries.size
          },
        }),
      )
      underway -= mine.entries.size
      if (E.isRight(committed) && (mine.entries.size > 0 || mine.nextDueAt !== null))
        mine.taker?.take([...mine.entries.values()], mine.nextDueAt)
      return committed
    }

  return {
    handOver: (next) => {
      taker = next
    },
    through: (queue) => ({ ...queue, run: telling(queue.run), runSoon: telling(queue.runSoon) }),
    offer: (dueAt) => {
      const request = made.taker?.request(underway + made.entries.size) ?? null
      return request === null || dueAt > request.at ? null : request
    },
    hand: (id, entry) => {
      made.entries.set(id, entry)
    },
    takeBack: (id) => made.entries.delete(id),
    tell: (dueAt) => {
      if (dueAt !== null) made.nextDueAt = Math.min(dueAt, made.nextDueAt ?? dueAt)
    },
  }
}
