// Writes to SQLite, many commands in one transaction, so that one flush pays for all of them. Commands about different orders run
// in waves. A command fails alone: if one fails, the transaction is rolled back and runs again with a savepoint per command.
// Savepoints from the start would copy every page that two commands share. That is a quarter of the work, for a case that almost
// never happens.
import { statSync } from 'node:fs'
import { type Unavailable, UnavailableError } from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import type { DataKeys } from '../encryption/data-keys.ts'
import type { Database } from '../schema/database.ts'
import { sqliteUnavailable } from '../unavailable.ts'
import { type FreeBytes, freeBytesOf, isFull, isOutOfSpace, type LogSpace, logSpace } from '../wal/log-space.ts'
import { type CommandHandlers, createCommandHandlers, orderOf } from './command-handlers.ts'
import type { Batch, BatchResult, Command, Outcome } from './commands.ts'

export type Writer = (batch: Batch) => BatchResult

export type TransactionOptions = {
  /** After this many milliseconds a commit starts no more waves, so that other processes get their turn. */
  readonly patience: number
  readonly monotonicNow: () => number
  /** For tests of crashes: called inside the transaction, right before it commits, and right after. */
  readonly onCommit?: ((moment: 'before' | 'after') => void) | undefined
}

type WriterOptions = TransactionOptions & {
  readonly dataKeys: DataKeys
  /** Distinguishes this writer's claims from those of any other. */
  readonly boot: string
  readonly freeBytes?: FreeBytes
}

export const sqliteWriter = (db: Database, options: WriterOptions): Writer => {
  const { dataKeys, boot, monotonicNow, freeBytes = freeBytesOf } = options
  const space = logSpace(db, freeBytes, monotonicNow)
  const write = createTransactionRunner(db, createCommandHandlers(db, dataKeys, boot, freeBytes), space, options)
  return (batch) => {
    // Before the transaction, because the log cannot be emptied inside it.
    if (batch.commands.some(({ name }) => name === 'probe') && isFull(db, freeBytes)) space.makeRoom()
    return write(batch)
  }
}

// The transaction failed, not one of its commands: each of them may succeed in the next one.
const transactionError = (cause: unknown): Unavailable => {
  const error = sqliteUnavailable(cause)
  return error.code === 'internal_error' ? { ...error, code: 'unknown' } : error
}

// A third of this number gains nearly as much.
const COMMANDS_PER_WAVE = 48

/** A command that sees what an earlier one about the same order has written is in a later wave. */
const splitIntoWaves = (commands: readonly Command[]): readonly (readonly Command[])[] => {
  const waves: Command[][] = []
  let orders = new Set<string>()
  for (const command of commands) {
    const order = orderOf(command)
    const joins = order !== null && orders.size > 0 && orders.size < COMMANDS_PER_WAVE && !orders.has(order)
    if (!joins) orders = new Set()
    if (order !== null) orders.add(order)
    if (joins) waves.at(-1)?.push(command)
    else waves.push([command])
  }
  return waves
}

const NOTHING_DUE = Number.POSITIVE_INFINITY

const isWritten = (outcome: Outcome): boolean => outcome !== null && E.isRight(outcome)

/** Runs the commands of a batch in one transaction. No outcome counts before the transaction has ended. */
export const createTransactionRunner = (
  db: Database,
  { begin, runWave, finish }: CommandHandlers,
  space: LogSpace,
  { patience, monotonicNow, onCommit }: TransactionOptions,
): Writer => {
  const beginImmediate = db.prepare('begin immediate')
  const commit = db.prepare('commit')
  const rollback = db.prepare('rollback')
  const save = db.prepare('savepoint command')
  const release = db.prepare('release command')
  const undo = db.prepare('rollback to command')
  const assertSameFile = createFileGuard(db)
  let hasFoundNoSpace = false

  // The wait for another process's commit does not count against `patience`.
  const beginTransaction = (): number => {
    assertSameFile()
    beginImmediate.run()
    begin()
    return monotonicNow() + patience
  }

  /** Returns null if a command failed; the transaction is then rolled back. */
  const runInWaves = ({ commands, now }: Batch): readonly Outcome[] | null => {
    const deadline = beginTransaction()
    const outcomes: Outcome[] = []
    try {
      for (const wave of splitIntoWaves(commands)) {
        if (outcomes.length > 0 && monotonicNow() > deadline) break
        outcomes.push(...runWave(wave, now).map(E.right))
      }
      return outcomes
    } catch {
      if (db.inTransaction) rollback.run()
      return null
    }
  }

  const runInSavepoint = (command: Command, now: number): Outcome => {
    save.run()
    try {
      const [result] = runWave([command], now)
      release.run()
      return E.right(result)
    } catch (cause) {
      hasFoundNoSpace ||= isOutOfSpace(cause)
      if (db.inTransaction) {
        undo.run()
        release.run()
      }
      return E.left(sqliteUnavailable(cause))
    }
  }

  const runOneByOne = ({ commands, now }: Batch): readonly Outcome[] => {
    const deadline = beginTransaction()
    const outcomes: Outcome[] = []
    for (const [n, command] of commands.entries()) {
      if (n > 0 && monotonicNow() > deadline) break
      const outcome = runInSavepoint(command, now)
      // After some errors (a full disk) SQLite ends the whole transaction. Then only this command has an outcome.
      if (!db.inTransaction) return commands.map((_, other) => (other === n ? outcome : null))
      outcomes.push(outcome)
    }
    return outcomes
  }

  const runOnce = (batch: Batch): BatchResult => {
    hasFoundNoSpace = false
    try {
      const outcomes = runInWaves(batch) ?? runOneByOne(batch)
      if (!db.inTransaction) return { outcomes, nextDueAt: NOTHING_DUE }
      const nextDueAt = finish()
      onCommit?.('before')
      commit.run()
      onCommit?.('after')
      return { outcomes, nextDueAt }
    } catch (cause) {
      hasFoundNoSpace ||= isOutOfSpace(cause)
      if (db.inTransaction) rollback.run()
      return { outcomes: batch.commands.map(() => E.left(transactionError(cause))), nextDueAt: NOTHING_DUE }
    }
  }

  return (batch) => {
    const first = runOnce(batch)
    const result = hasFoundNoSpace && space.makeRoom() && !first.outcomes.some(isWritten) ? runOnce(batch) : first
    space.onCommit()
    return result
  }
}

type FileIdentity = { readonly dev: number; readonly ino: number }

const readFileIdentity = (path: string): FileIdentity | undefined => statSync(path, { throwIfNoEntry: false })

/**
 * Detects that the database file was deleted, or replaced by a backup, while it was open. SQLite would keep writing to the old
 * file, and all of that would be lost when the process ends. Throws if the path now has another file or none.
 */
const createFileGuard = (db: Database): (() => void) => {
  const opened = db.memory ? undefined : readFileIdentity(db.name)
  return () => {
    if (opened === undefined) return
    const now = readFileIdentity(db.name)
    if (now?.ino !== opened.ino || now.dev !== opened.dev)
      throw new UnavailableError({
        code: 'file_replaced',
        message: 'The database’s file was removed or replaced. Restore it, or restart the server.',
      })
  }
}
