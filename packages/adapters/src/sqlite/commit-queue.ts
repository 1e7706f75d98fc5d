// Many callers' work in one commit: what waits when the event loop turns runs in one transaction, and nobody is answered
// before the commit. A flush is paid once for all of them. Each job stands alone: where one fails, the transaction is
// undone and run again with a savepoint for each. Savepoints from the start would copy every page that two jobs share,
// a quarter of the work, for what almost never happens.

import type { Unavailable } from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import { type Pending, systemTimers, type Timers } from '../system/timers.ts'
import type { Database } from './database.ts'
import { type Job, runAlone, runTogether, waveFrom } from './phases.ts'
import { type Ranked, requestsFirst } from './requests-first.ts'

export type CommitQueue = {
  /** Runs the job in the next commit. A job that throws fails alone; `Left` when the commit could not be made. */
  readonly run: <A>(job: Job<A>) => Promise<E.Either<Unavailable, A>>
  /** The same for work nobody waits for at a screen: it waits a moment for a commit to share, and lets a burst go first. */
  readonly runSoon: <A>(job: Job<A>) => Promise<E.Either<Unavailable, A>>
  /** Ends once all that waits has been committed. */
  readonly close: () => Promise<void>
}

type Waiting = Ranked & {
  readonly job: Job<unknown>
  readonly resolve: (result: E.Either<Unavailable, unknown>) => void
}

type Results = readonly E.Either<Unavailable, unknown>[]

export type CommitQueueOptions = {
  /** How many jobs may wait; beyond it a caller is told to come back. */
  readonly capacity?: number
  /** A commit takes no more jobs after so many milliseconds, so that other processes get their turn. */
  readonly patience?: number
  /** For tests of crashes: called inside the transaction, right before it commits, and right after. */
  readonly onCommit?: (moment: 'before' | 'after') => void
  readonly timers?: Timers
  /** Told of each commit, and of how many jobs shared it. */
  readonly committed?: (jobs: number) => void
}

// A flush costs about a millisecond on a common disk, in milliseconds: requests that come in a burst are gathered for one,
// and background work waits for a commit to share.
const GATHERING = 1
const SOON = 4
const QUIET = 20

const unavailable = (message: string): E.Either<Unavailable, never> => E.left({ _tag: 'Unavailable', message })

const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))

export const commitQueue = (db: Database, options: CommitQueueOptions = {}): CommitQueue => {
  const { capacity = 10_000, patience = 12, onCommit, timers = systemTimers, committed } = options
  const begin = db.prepare('begin immediate')
  const commit = db.prepare('commit')
  const rollback = db.prepare('rollback')
  const save = db.prepare('savepoint job')
  const release = db.prepare('release job')
  const undo = db.prepare('rollback to job')

  const next = requestsFirst(timers.monotonicNow)

  // In the order they came.
  let waiting: Waiting[] = []
  let isScheduled = false
  let later: Pending | undefined
  let isClosed = false
  let gathered = 0
  let gatherUntil = 0
  let urgentUntil = 0

  const leave = (jobs: readonly Waiting[]): void => {
    const leaving = new Set(jobs)
    waiting = waiting.filter((job) => !leaving.has(job))
  }

  /** `null`: a job has failed, and the transaction is undone. */
  const runTrusting = (batch: readonly Waiting[], until: number): Results | null => {
    const jobs = batch.map(({ job }) => job)
    const results: E.Either<Unavailable, unknown>[] = []
    try {
      while (results.length < jobs.length) {
        if (results.length > 0 && timers.monotonicNow() > until) break
        const done = results.length
        results.push(...runTogether(jobs.slice(done, done + waveFrom(jobs, done))).map(E.right))
      }
      return results
    } catch {
      if (db.inTransaction) rollback.run()
      return null
    }
  }

  const attempt = ({ job }: Waiting): E.Either<Unavailable, unknown> => {
    save.run()
    try {
      const result = E.right(runAlone(job))
      release.run()
      return result
    } catch (cause) {
      if (db.inTransaction) {
        undo.run()
        release.run()
      }
      return unavailable(messageOf(cause))
    }
  }

  /** `null`: a job has ended the transaction and is answered; the others wait for the next. */
  const runGuarded = (jobs: readonly Waiting[], until: number): Results | null => {
    const results: E.Either<Unavailable, unknown>[] = []
    for (const job of jobs) {
      if (results.length > 0 && timers.monotonicNow() > until) break
      const result = attempt(job)
      // After some errors (a full disk) SQLite ends the whole transaction: the others run again, without this job.
      if (!db.inTransaction) {
        leave([job])
        job.resolve(result)
        return null
      }
      results.push(result)
    }
    return results
  }

  const commitTogether = (jobs: readonly Waiting[]): void => {
    let results: Results | null
    try {
      begin.run()
      // From here on: the wait for another process's commit is not the jobs' own.
      results = runTrusting(jobs, timers.monotonicNow() + patience)
      if (results === null) {
        begin.run()
        results = runGuarded(jobs, timers.monotonicNow() + patience)
      }
      if (results === null) return
      onCommit?.('before')
      commit.run()
      onCommit?.('after')
    } catch (cause) {
      if (db.inTransaction) rollback.run()
      leave(jobs)
      for (const { resolve } of jobs) resolve(unavailable(messageOf(cause)))
      return
    }
    leave(jobs.slice(0, results.length))
    for (const [index, result] of results.entries()) jobs[index]?.resolve(result)
    committed?.(results.length)
  }

  const turn = (): void => {
    // While each turn of the event loop still brings more, a moment's wait makes one commit of two.
    if (waiting.length > gathered && timers.monotonicNow() < gatherUntil) {
      gathered = waiting.length
      timers.soon(turn)
      return
    }
    later?.cancel()
    later = undefined
    commitTogether(next(waiting))
    isScheduled = false
    if (waiting.length > 0) schedule()
  }

  const schedule = (): void => {
    if (isScheduled) return
    isScheduled = true
    gathered = 0
    gatherUntil = timers.monotonicNow() + GATHERING
    timers.soon(turn)
  }

  const scheduleUrgently = (): void => {
    urgentUntil = timers.monotonicNow() + QUIET
    schedule()
  }

  // Where no request has come of late, there is none to wait for.
  const scheduleSoon = (): void => {
    if (timers.monotonicNow() > urgentUntil) schedule()
    else if (!isScheduled) later ??= timers.after(SOON, schedule)
  }

  const enqueue = <A>(job: Job<A>, isRequest: boolean): Promise<E.Either<Unavailable, A>> =>
    new Promise((resolve) => {
      if (isClosed) return resolve(unavailable('The store is closed.'))
      if (waiting.length >= capacity) return resolve(unavailable(`${waiting.length} steps are waiting already.`))
      waiting.push({ job, isRequest, resolve: resolve as Waiting['resolve'] })
      if (isRequest) scheduleUrgently()
      else scheduleSoon()
    })

  return {
    run: (job) => enqueue(job, true),
    runSoon: (job) => enqueue(job, false),
    close: async () => {
      isClosed = true
      if (waiting.length > 0) schedule()
      while (waiting.length > 0 || isScheduled) await new Promise<void>((resolve) => timers.soon(resolve))
    },
  }
}
