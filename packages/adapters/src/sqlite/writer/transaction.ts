// Runs many commands in one transaction, so that one flush pays for all of them. Commands about different orders run in waves. A
// command fails alone: if one fails, the transaction is rolled back and runs again with a savepoint per command. Savepoints from
// the start would copy every page that two commands share. That is a quarter of the work, for a case that almost never happens.
import { statSync } from 'node:fs'
import { type Unavailable, UnavailableError } from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import type { Database } from '../schema/database.ts'
import { sqliteUnavailable } from '../unavailable.ts'
import { isOutOfSpace } from '../wal/log-space.ts'

/** Null: the command has not run and may be run later. */
export type Outcome = E.Either<Unavailable, unknown> | null

type CommandRunner<Command> = {
  /** The order that the command reads and writes, and no other. Null: it may read or write anything, so it runs alone. */
  readonly orderOf: (command: Command) => string | null
  /** Runs commands about different orders, or one that runs alone. Returns their results in the same order. */
  readonly runWave: (wave: readonly Command[]) => readonly unknown[]
}

export type TransactionOptions = {
  /** After this many milliseconds a commit starts no more waves, so that other processes get their turn. */
  readonly patience: number
  readonly monotonicNow: () => number
  /** Called before the first command, and after all commands were rolled back. */
  readonly onReset: () => void
  /** All commands are done, and the transaction is about to commit. */
  readonly onDone?: () => void
  /** Called after a write failed for lack of space. True: some was freed, and the same commands may be tried again. */
  readonly makeRoom?: () => boolean
  /** For tests of crashes: called inside the transaction, right before it commits, and right after. */
  readonly onCommit?: ((moment: 'before' | 'after') => void) | undefined
}

// The transaction failed, not one of its commands: each of them may succeed in the next one.
const transactionError = (cause: unknown): Unavailable => {
  const error = sqliteUnavailable(cause)
  return error.code === 'internal_error' ? { ...error, code: 'unknown' } : error
}

// A third of this number gains nearly as much.
const COMMANDS_PER_WAVE = 48

/** A command that sees what an earlier one about the same order has written is in a later wave. */
const splitIntoWaves = <Command>(
  commands: readonly Command[],
  orderOf: CommandRunner<Command>['orderOf'],
): readonly (readonly Command[])[] => {
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

/** Runs the commands in one transaction. No outcome counts before the transaction has ended. */
export const createTransactionRunner = <Command>(
  db: Database,
  { orderOf, runWave }: CommandRunner<Command>,
  { patience, monotonicNow, onReset, onDone, onCommit, makeRoom }: TransactionOptions,
): ((commands: readonly Command[]) => readonly Outcome[]) => {
  const begin = db.prepare('begin immediate')
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
    begin.run()
    onReset()
    return monotonicNow() + patience
  }

  /** Returns null if a command failed; the transaction is then rolled back. */
  const runInWaves = (commands: readonly Command[]): readonly Outcome[] | null => {
    const deadline = beginTransaction()
    const outcomes: Outcome[] = []
    try {
      for (const wave of splitIntoWaves(commands, orderOf)) {
        if (outcomes.length > 0 && monotonicNow() > deadline) break
        outcomes.push(...runWave(wave).map(E.right))
      }
      return outcomes
    } catch {
      if (db.inTransaction) rollback.run()
      return null
    }
  }

  const runInSavepoint = (command: Command): Outcome => {
    save.run()
    try {
      const [result] = runWave([command])
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

  const runOneByOne = (commands: readonly Command[]): readonly Outcome[] => {
    const deadline = beginTransaction()
    const outcomes: Outcome[] = []
    for (const [n, command] of commands.entries()) {
      if (n > 0 && monotonicNow() > deadline) break
      outcomes.push(runInSavepoint(command))
      // After some errors (a full disk) SQLite ends the whole transaction. Then only this command has an outcome.
      if (!db.inTransaction) {
        onReset()
        return commands.map((_, other) => (other === n ? (outcomes[n] ?? null) : null))
      }
    }
    return outcomes
  }

  const runOnce = (commands: readonly Command[]): readonly Outcome[] => {
    hasFoundNoSpace = false
    try {
      const outcomes = runInWaves(commands) ?? runOneByOne(commands)
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
      return commands.map(() => E.left(transactionError(cause)))
    }
  }

  const isWritten = (outcome: Outcome): boolean => outcome !== null && E.isRight(outcome)

  return (commands) => {
    const outcomes = runOnce(commands)
    return hasFoundNoSpace && makeRoom?.() && !outcomes.some(isWritten) ? runOnce(commands) : outcomes
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
