// Runs many jobs in one transaction, so that one flush pays for all of them. A job fails alone: if one fails, the transaction
// is rolled back and runs again with a savepoint per job. Savepoints from the start would copy every page that two jobs share.
// That is a quarter of the work, for a case that almost never happens.
import { errorMessage } from '@plazo/core'
import Sqlite from 'better-sqlite3'
import * as E from 'fp-ts/lib/Either.js'
import { isKeyMissing } from '../../encryption/cipher.ts'
import { createFileGuard, type Database } from '../schema/database.ts'
import { isOutOfSpace } from '../wal/log-space.ts'
import { runAlone, runTogether, type WriterJob, waveFrom } from './phases.ts'

/** `isPermanent`: the failure is permanent; every retry would fail again. */
export type Failure = { readonly message: string; readonly isPermanent: boolean }

/** Null: the job has not run and may be run later. */
export type Outcome = E.Either<Failure, unknown> | null

export type TransactionOptions = {
  /** After this many milliseconds a commit takes no more jobs, so that other processes get their turn. */
  readonly patience: number
  readonly monotonicNow: () => number
  /** Called before the first job, and after all jobs were rolled back. */
  readonly onReset: () => void
  /** All jobs are done, and the transaction is about to commit. */
  readonly onDone?: () => void
  /** Called after a write failed for lack of space. True: some was freed, and the same jobs may be tried again. */
  readonly makeRoom?: () => boolean
  /** For tests of crashes: called inside the transaction, right before it commits, and right after. */
  readonly onCommit?: ((moment: 'before' | 'after') => void) | undefined
}

// A full or failing disk is temporary, and so is a missing key. A decision that throws, or contradictory rows, would fail every
// time.
const isPermanentError = (cause: unknown): boolean =>
  !isKeyMissing(cause) && (!(cause instanceof Sqlite.SqliteError) || cause.code.startsWith('SQLITE_CONSTRAINT'))

export const toFailure = (cause: unknown): Failure => ({
  message: errorMessage(cause),
  isPermanent: isPermanentError(cause),
})

/** Runs the jobs in one transaction. No outcome counts before the transaction has ended. */
export const createTransactionRunner = (
  db: Database,
  options: TransactionOptions,
): ((jobs: readonly WriterJob<unknown>[]) => readonly Outcome[]) => {
  const { patience, monotonicNow, onReset, onDone, onCommit, makeRoom } = options
  const begin = db.prepare('begin immediate')
  const commit = db.prepare('commit')
  const rollback = db.prepare('rollback')
  const save = db.prepare('savepoint job')
  const release = db.prepare('release job')
  const undo = db.prepare('rollback to job')
  const fileGuard = createFileGuard(db)
  let hasFoundNoSpace = false

  // The wait for another process's commit does not count against `patience`.
  const beginTransaction = (): number => {
    fileGuard.assertSameFile()
    begin.run()
    onReset()
    return monotonicNow() + patience
  }

  /** Returns null if a job failed; the transaction is then rolled back. */
  const runBatch = (jobs: readonly WriterJob<unknown>[]): readonly Outcome[] | null => {
    const deadline = beginTransaction()
    const outcomes: Outcome[] = []
    try {
      while (outcomes.length < jobs.length) {
        if (outcomes.length > 0 && monotonicNow() > deadline) break
        const done = outcomes.length
        outcomes.push(...runTogether(jobs.slice(done, done + waveFrom(jobs, done))).map(E.right))
      }
      return outcomes
    } catch {
      if (db.inTransaction) rollback.run()
      return null
    }
  }

  const runInSavepoint = (job: WriterJob<unknown>): Outcome => {
    save.run()
    try {
      const outcome = E.right(runAlone(job))
      release.run()
      return outcome
    } catch (cause) {
      hasFoundNoSpace ||= isOutOfSpace(cause)
      if (db.inTransaction) {
        undo.run()
        release.run()
      }
      return E.left(toFailure(cause))
    }
  }

  const runBatchWithSavepoints = (jobs: readonly WriterJob<unknown>[]): readonly Outcome[] => {
    const deadline = beginTransaction()
    const outcomes: Outcome[] = []
    for (const [n, job] of jobs.entries()) {
      if (n > 0 && monotonicNow() > deadline) break
      outcomes.push(runInSavepoint(job))
      // After some errors (a full disk) SQLite ends the whole transaction. Then only this job has an outcome.
      if (!db.inTransaction) {
        onReset()
        return jobs.map((_, other) => (other === n ? (outcomes[n] ?? null) : null))
      }
    }
    return outcomes
  }

  const runOnce = (jobs: readonly WriterJob<unknown>[]): readonly Outcome[] => {
    hasFoundNoSpace = false
    try {
      const outcomes = runBatch(jobs) ?? runBatchWithSavepoints(jobs)
      if (db.inTransaction) {
        onDone?.()
        onCommit?.('before')
        commit.run()
        onCommit?.('after')
      }
      return outcomes
    } catch (cause) {
      hasFoundNoSpace ||= isOutOfSpace(cause)
      if (db.inTransaction) rollback.run()
      onReset()
      return jobs.map(() => E.left({ message: errorMessage(cause), isPermanent: false }))
    }
  }

  const isWritten = (outcome: Outcome): boolean => outcome !== null && E.isRight(outcome)

  return (jobs) => {
    const outcomes = runOnce(jobs)
    return hasFoundNoSpace && makeRoom?.() && !outcomes.some(isWritten) ? runOnce(jobs) : outcomes
  }
}
