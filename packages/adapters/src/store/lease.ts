// Of all processes on one database, one at a time starts jobs: it has the lease. Each database gives it in
// its own way.
import type { OrderJob } from '@plazo/core/internal'
import type { DueRow } from './base.ts'

export type InFlight = Pick<DueRow, 'ref' | 'n'>

export const keyOf = ({ ref, n }: InFlight): string => `${ref} ${n}`

/** What processes that started jobs before may still have in flight. */
export type Former = {
  /** Jobs that one has said to have in flight. */
  readonly running: readonly InFlight[]
  /** Until this monotonic instant, every delivery that was due before may be. */
  readonly mayRunUntil: number
  /** Processes that had the lease have died one after another, perhaps of a job. */
  readonly isDeadly?: boolean
}

export const NO_FORMER: Former = { running: [], mayRunUntil: Number.NEGATIVE_INFINITY }

/** The right to start jobs. */
export type Lease = {
  /** Null: another process has it. Else this process has it, perhaps from now on. */
  readonly take: () => Promise<Former | null>
  /** Whether the process has it, as far as it knows without asking. */
  readonly isHeld: () => boolean
  /** Something is due that this process has no key for: another one that has it may go on. */
  readonly giveWay?: (running: () => readonly InFlight[]) => void
  /** Notes which job starts alone. Returns how many processes have died of it. */
  readonly suspect?: (job: InFlight) => Promise<number>
  /**
   * Gives it away, because this process starts nothing more. `running`: what it has in flight, which
   * the next process leaves alone until it has ended.
   */
  readonly handOver?: (running: () => readonly InFlight[]) => Promise<void>
}

type DueJob = InFlight &
  Pick<DueRow, 'queue' | 'dueAt'> &
  Partial<Pick<OrderJob, 'cause' | 'madeAt'>>

export type FormerJobs = ReturnType<typeof createFormerJobs>

/** Knows which jobs a former process may have in flight. */
export const createFormerJobs = () => {
  let keys: ReadonlySet<string> = new Set()
  let dueUntil = Number.NEGATIVE_INFINITY

  const has = ({ cause = null, madeAt = dueUntil, ...job }: DueJob): boolean =>
    keys.has(keyOf(job)) ||
    job.dueAt <= dueUntil ||
    // Somebody has asked again for one that may have been due before.
    (cause !== null && madeAt <= dueUntil)

  return {
    /**
     * `until`: what was due up to this instant may be in flight too. Returns true if any of
     * the others may start now.
     */
    set: (jobs: readonly InFlight[], until: number): boolean => {
      const isAnyFree = jobs.length < keys.size || until < dueUntil
      keys = new Set(jobs.map(keyOf))
      dueUntil = until
      return isAnyFree
    },
    has,
    /** This process must not start it meanwhile. Providers know a repetition of other work by its key. */
    delays: (job: DueJob): boolean => (job.queue === 'work' ? keys.has(keyOf(job)) : has(job)),
  }
}

/** Which process starts jobs, and since when, in epoch milliseconds. Null: not known. */
export type LeaseHolder = {
  readonly isHere: boolean
  readonly holder: string | null
  readonly since: number | null
}
