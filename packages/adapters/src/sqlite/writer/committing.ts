// Many jobs in one commit: a flush is paid once for all of them. Each stands alone: where one fails, the transaction is
// undone and run again with a savepoint for each. Savepoints from the start would copy every page that two jobs share, a
// quarter of the work, for what almost never happens.
import { messageOf } from '@plazo/core'
import Sqlite from 'better-sqlite3'
import * as E from 'fp-ts/lib/Either.js'
import { isKeyMissing } from '../../sealing/sealer.ts'
import type { Database } from '../database.ts'
import { isOfSpace } from '../log-space.ts'
import { ownFile } from '../own-file.ts'
import { type Job, runAlone, runTogether, waveFrom } from './phases.ts'

/** `isOurs`: it would fail again, whenever it is tried. */
export type Failure = { readonly message: string; readonly isOurs: boolean }

/** Null: it has had no turn, and may come again. */
export type Outcome = E.Either<Failure, unknown> | null

export type CommittingOptions = {
  /** A commit takes no more jobs after so many milliseconds, so that other processes get their turn. */
  readonly patience: number
  readonly monotonicNow: () => number
  /** Nothing has been done: before the first job, and once all is undone. */
  readonly onNothing: () => void
  /** The n-th job is undone, and the others go on. */
  readonly onUndo: (n: number) => void
  /** All jobs are done, and the transaction is about to commit. */
  readonly onDone?: () => void
  /** A write has failed for want of space. True: there is some now, and the same may be tried again. */
  readonly makeRoom?: () => boolean
  /** For tests of crashes: called inside the transaction, right before it commits, and right after. */
  readonly onCommit?: ((moment: 'before' | 'after') => void) | undefined
}

// A full or failing disk passes, and so does a key that is missing; a decision that throws, or rows that contradict each
// other, would do so every time.
const isOurFault = (cause: unknown): boolean =>
  !isKeyMissing(cause) && (!(cause instanceof Sqlite.SqliteError) || cause.code.startsWith('SQLITE_CONSTRAINT'))

export const failureOf = (cause: unknown): Failure => ({ message: messageOf(cause), isOurs: isOurFault(cause) })

/** Runs them in one transaction; no outcome counts before it has ended. */
export const committing = (
  db: Database,
  options: CommittingOptions,
): ((jobs: readonly Job<unknown>[]) => readonly Outcome[]) => {
  const { patience, monotonicNow, onNothing, onUndo, onDone, onCommit, makeRoom } = options
  const begin = db.prepare('begin immediate')
  const commit = db.prepare('commit')
  const rollback = db.prepare('rollback')
  const save = db.prepare('savepoint job')
  const release = db.prepare('release job')
  const undo = db.prepare('rollback to job')
  const file = ownFile(db)
  let hasFoundNoSpace = false

  // The wait for another process's commit is not the jobs' own.
  const beginning = (): number => {
    file.check()
    begin.run()
    onNothing()
    return monotonicNow() + patience
  }

  /** `null`: a job has failed, and the transaction is undone. */
  const runTrusting = (jobs: readonly Job<unknown>[]): readonly Outcome[] | null => {
    const until = beginning()
    const outcomes: Outcome[] = []
    try {
      while (outcomes.length < jobs.length) {
        if (outcomes.length > 0 && monotonicNow() > until) break
        const done = outcomes.length
        outcomes.push(...runTogether(jobs.slice(done, done + waveFrom(jobs, done))).map(E.right))
      }
      return outcomes
    } catch {
      if (db.inTransaction) rollback.run()
      return null
    }
  }

  const attempt = (job: Job<unknown>, n: number): Outcome => {
    save.run()
    try {
      const outcome = E.right(runAlone(job))
      release.run()
      return outcome
    } catch (cause) {
      hasFoundNoSpace ||= isOfSpace(cause)
      onUndo(n)
      if (db.inTransaction) {
        undo.run()
        release.run()
      }
      return E.left(failureOf(cause))
    }
  }

  const runGuarded = (jobs: readonly Job<unknown>[]): readonly Outcome[] => {
    const until = beginning()
    const outcomes: Outcome[] = []
    for (const [n, job] of jobs.entries()) {
      if (n > 0 && monotonicNow() > until) break
      outcomes.push(attempt(job, n))
      // After some errors (a full disk) SQLite ends the whole transaction: only this job is answered.
      if (!db.inTransaction) {
        onNothing()
        return jobs.map((_, other) => (other === n ? (outcomes[n] ?? null) : null))
      }
    }
    return outcomes
  }

  const runOnce = (jobs: readonly Job<unknown>[]): readonly Outcome[] => {
    hasFoundNoSpace = false
    try {
      const outcomes = runTrusting(jobs) ?? runGuarded(jobs)
      if (db.inTransaction) {
        onDone?.()
        onCommit?.('before')
        commit.run()
        onCommit?.('after')
      }
      return outcomes
    } catch (cause) {
      hasFoundNoSpace ||= isOfSpace(cause)
      if (db.inTransaction) rollback.run()
      onNothing()
      return jobs.map(() => E.left({ message: messageOf(cause), isOurs: false }))
    }
  }

  const isWritten = (outcome: Outcome): boolean => outcome !== null && E.isRight(outcome)

  return (jobs) => {
    const outcomes = runOnce(jobs)
    return hasFoundNoSpace && makeRoom?.() && !outcomes.some(isWritten) ? runOnce(jobs) : outcomes
  }
}
