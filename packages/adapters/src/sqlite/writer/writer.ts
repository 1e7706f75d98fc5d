// Writes to SQLite, many commands in one transaction, so that one flush pays for all of them.
// Commands about different orders run together, in waves; any other command runs alone. A command
// fails alone: if one fails, the transaction is rolled back and runs again with a savepoint per
// command. Savepoints from the start would copy every page that two commands share. That is a
// quarter of the work, for a case that almost never happens.
//
// The commands are plain data and their handlers contain no rules, so they can run in another
// thread than the decisions.
import { statSync } from 'node:fs'
import { type Unavailable, UnavailableError } from '@plazo/core/ports'
import * as E from 'fp-ts/lib/Either.js'
import type { Outcome } from '../../sql/group-commit.ts'
import type { Committed } from '../../sql/order-writes.ts'
import type { DataKeys } from '../encryption/data-keys.ts'
import { type Database, WITHIN_TRANSACTION } from '../schema/database.ts'
import { sqliteUnavailable } from '../unavailable.ts'
import { keepLogSmall } from '../wal/write-ahead-log.ts'
import type { Batch, Command, CommandInput, CommandName, Commands } from './commands.ts'
import { createOrderWriter, type OrderCommand } from './orders.ts'
import { createOutbox } from './outbox.ts'
import { createResend } from './resend.ts'

export type Writer = (batch: Batch) => Committed<unknown>

export type TransactionOptions = {
  /**
   * After this many milliseconds a commit starts no more waves, so that other processes get their
   * turn.
   */
  readonly patience: number
  readonly monotonicNow: () => number
  /**
   * For tests of crashes: called inside the transaction, right before it commits, and right after.
   */
  readonly onCommit?: ((moment: 'before' | 'after') => void) | undefined
}

type WriterOptions = TransactionOptions & {
  readonly dataKeys: DataKeys
  /** Distinguishes this writer's claims from those of any other. */
  readonly boot: string
}

export const sqliteWriter = (db: Database, options: WriterOptions): Writer => {
  const { dataKeys, boot } = options
  const write = createTransactionRunner(db, createCommandHandlers(db, dataKeys, boot), options)
  const limitLogAfterCommit = keepLogSmall(db)
  return (batch) => {
    const result = write(batch)
    limitLogAfterCommit()
    return result
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
    const order = isOrderCommand(command) ? command.input.orderRef : null
    const joins =
      order !== null && orders.size > 0 && orders.size < COMMANDS_PER_WAVE && !orders.has(order)
    if (!joins) orders = new Set()
    if (order !== null) orders.add(order)
    if (joins) waves.at(-1)?.push(command)
    else waves.push([command])
  }
  return waves
}

const NOTHING_DUE = Number.POSITIVE_INFINITY

/**
 * Runs the commands of a batch in one transaction. No outcome counts before the transaction has
 * ended.
 */
export const createTransactionRunner = (
  db: Database,
  { begin, runWave, finish }: CommandHandlers,
  { patience, monotonicNow, onCommit }: TransactionOptions,
): Writer => {
  const beginImmediate = db.prepare('begin immediate')
  const commit = db.prepare('commit')
  const rollback = db.prepare('rollback')
  const save = db.prepare('savepoint command')
  const release = db.prepare('release command')
  const undo = db.prepare('rollback to command')
  const assertSameFile = createFileGuard(db)

  // The wait for another process's commit does not count against `patience`.
  const beginTransaction = (): number => {
    assertSameFile()
    beginImmediate.run()
    begin()
    return monotonicNow() + patience
  }

  /** Returns null if a command failed; the transaction is then rolled back. */
  const runInWaves = ({ commands, now }: Batch): readonly Outcome<unknown>[] | null => {
    const deadline = beginTransaction()
    const outcomes: Outcome<unknown>[] = []
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

  const runInSavepoint = (command: Command, now: number): Outcome<unknown> => {
    save.run()
    try {
      const [result] = runWave([command], now)
      release.run()
      return E.right(result)
    } catch (cause) {
      if (db.inTransaction) {
        undo.run()
        release.run()
      }
      return E.left(sqliteUnavailable(cause))
    }
  }

  const runOneByOne = ({ commands, now }: Batch): readonly Outcome<unknown>[] => {
    const deadline = beginTransaction()
    const outcomes: Outcome<unknown>[] = []
    for (const [n, command] of commands.entries()) {
      if (n > 0 && monotonicNow() > deadline) break
      const outcome = runInSavepoint(command, now)
      // After some errors (a full disk) SQLite ends the whole transaction. Then only this command
      // has an outcome.
      if (!db.inTransaction) return commands.map((_, other) => (other === n ? outcome : null))
      outcomes.push(outcome)
    }
    return outcomes
  }

  const run = (batch: Batch): Committed<unknown> => {
    try {
      const outcomes = runInWaves(batch) ?? runOneByOne(batch)
      if (!db.inTransaction) return { outcomes, nextDueAt: NOTHING_DUE }
      const nextDueAt = finish()
      onCommit?.('before')
      commit.run()
      onCommit?.('after')
      return { outcomes, nextDueAt }
    } catch (cause) {
      if (db.inTransaction) rollback.run()
      return {
        outcomes: batch.commands.map(() => E.left(transactionError(cause))),
        nextDueAt: NOTHING_DUE,
      }
    }
  }

  return (batch) => {
    // Otherwise its rollback below would be that of the embedding program's transaction.
    if (db.inTransaction)
      return {
        outcomes: batch.commands.map(() => E.left(WITHIN_TRANSACTION)),
        nextDueAt: NOTHING_DUE,
      }
    return run(batch)
  }
}

/**
 * Detects that the database file was deleted, or replaced by a backup, while it was open. SQLite
 * would keep writing to the old file, and all of that would be lost when the process ends. Throws
 * if the path now has another file or none.
 */
const createFileGuard = (db: Database): (() => void) => {
  const opened = db.memory ? undefined : statSync(db.name, { throwIfNoEntry: false })
  return () => {
    if (opened === undefined) return
    const now = statSync(db.name, { throwIfNoEntry: false })
    if (now?.ino !== opened.ino || now.dev !== opened.dev)
      throw new UnavailableError({
        code: 'file_replaced',
        message: 'The database’s file was removed or replaced. Restore it, or restart the server.',
      })
  }
}

type CommandHandlers = {
  /** Call it first in each transaction. */
  readonly begin: () => void
  /**
   * Runs commands about different orders, or a single one. Returns their results in the same order.
   * `now`: for leases.
   */
  readonly runWave: (wave: readonly Command[], now: number) => readonly unknown[]
  /**
   * Call it last. Returns when a claim may find more because of the transaction. Infinite: it finds
   * no more.
   */
  readonly finish: () => number
}

type OtherName = Exclude<CommandName, OrderCommand['name']>

type OtherHandlers = {
  readonly [Name in OtherName]: (
    input: CommandInput<Name>,
    now: number,
  ) => ReturnType<Commands[Name]>
}

const isOrderCommand = (command: Command): command is OrderCommand =>
  command.name === 'place' || command.name === 'step' || command.name === 'complete'

const createCommandHandlers = (db: Database, dataKeys: DataKeys, boot: string): CommandHandlers => {
  const outbox = createOutbox(db, dataKeys, boot)
  const writeOrders = createOrderWriter(db, dataKeys, outbox)
  // The probe increments a change counter. Its only effect is that the merchants' caches are read
  // again.
  const probe = db.prepare('update merchant_changes set count = count + 1')

  const others: OtherHandlers = {
    claim: outbox.claim,
    release: outbox.release,
    retryStuckJob: outbox.retryStuckJob,
    resend: createResend(db, outbox),
    write: (statements) =>
      statements.map(({ text, values }) => db.prepare(text).all(...values)).at(-1) ?? [],
    probe: () => void probe.run(),
  }

  const runOther = <Name extends OtherName>(
    { name, input }: { readonly name: Name; readonly input: CommandInput<Name> },
    now: number,
  ): unknown => others[name](input, now)

  return {
    begin: () => {
      outbox.begin()
      dataKeys.refreshIfChanged()
    },
    runWave: (wave, now) => {
      const results = writeOrders(wave.filter(isOrderCommand))
      return wave.map((command) =>
        isOrderCommand(command) ? results.get(command.input) : runOther(command, now),
      )
    },
    finish: outbox.finish,
  }
}
