// Writes orders and their effects to SQLite, many calls in one commit. It takes plain data and contains no rules, so that it
// can run in another thread than the decisions.
import { UnavailableError } from '@plazo/core'
import { createCheckValue } from '../../encryption/key-check-values.ts'
import { sqliteAttempts } from '../queries/attempts.ts'
import type { Database } from '../schema/database.ts'
import { type FreeBytes, freeBytesOf, logSpace } from '../wal/log-space.ts'
import type { Batch, BatchResult, Command, CommandInput, CommandName, CommandOf, Commands } from './commands.ts'
import { createOrderWriter, type OrderCommand } from './orders.ts'
import { createOutbox, type NoteDue, type OutboxOptions } from './outbox.ts'
import { createResend } from './resend.ts'
import { createRetention } from './retention.ts'
import { createSandboxWriter } from './sandbox-store.ts'
import { createTransactionRunner, type TransactionOptions } from './transaction.ts'

type WriterOptions = Omit<OutboxOptions, 'realNow'> &
  Pick<TransactionOptions, 'patience' | 'monotonicNow' | 'onCommit'> & { readonly freeBytes?: FreeBytes }

export type Writer = {
  readonly write: (batch: Batch) => BatchResult
  /** Ends the leases of dead processes at once, so that the next claim takes over their jobs. */
  readonly reclaimFromDeadProcesses: () => void
}

type MessageCommand = CommandOf<'addMessage'>

/** The commands that may read or write anything. */
type LoneName = Exclude<CommandName, (OrderCommand | MessageCommand)['name']>

type LoneHandlers = { readonly [Name in LoneName]: (input: CommandInput<Name>) => ReturnType<Commands[Name]> }

const isOrderCommand = (command: Command): command is OrderCommand =>
  command.name === 'place' || command.name === 'step' || command.name === 'complete'

const isMessageCommand = (command: Command): command is MessageCommand => command.name === 'addMessage'

/** The order that the command writes. Null: it may read or write anything. */
const orderOf = (command: Command): string | null =>
  isOrderCommand(command) || isMessageCommand(command) ? command.input.orderRef : null

export const sqliteWriter = (db: Database, options: WriterOptions): Writer => {
  const { dataKeys, patience, monotonicNow, onCommit, freeBytes = freeBytesOf } = options
  const attempts = sqliteAttempts(db, dataKeys)
  let nextDueAt = Number.POSITIVE_INFINITY
  const noteDue: NoteDue = (dueAt) => {
    if (dueAt !== null && dueAt < nextDueAt) nextDueAt = dueAt
  }
  const jobQueue = createOutbox(db, attempts, noteDue, { ...options, realNow: () => now })
  const { addMessages, ...sandbox } = createSandboxWriter(db, dataKeys)
  // Key rotation deletes the record of a key that encrypts nothing any more. A server that still uses the key adds it again.
  const [first] = dataKeys.cipher.keyIds
  const registerKey = db.prepare('insert or ignore into master_keys (id, proof) values (?, ?)')
  const checkValue = createCheckValue(dataKeys.cipher)
  // The probe increments a change counter. Its only effect is that the merchants' caches are read again.
  const space = logSpace(db, freeBytes, monotonicNow)
  let hasRoom = true
  const probe = db.prepare('update merchant_changes set count = count + 1')
  let now = 0

  const writeOrders = createOrderWriter(db, dataKeys, jobQueue)
  const lone: LoneHandlers = {
    claim: jobQueue.claim,
    release: jobQueue.release,
    retryStuckJob: jobQueue.retryStuckJob,
    ...createResend(db, noteDue),
    ...createRetention(db),
    ...sandbox,
    probe: () => {
      // A probe is smaller than the writes of orders, so it might fit where they do not.
      if (!hasRoom) throw new UnavailableError({ code: 'file_disk_full', message: 'database or disk is full' })
      probe.run()
    },
  }

  const runAlone = <Name extends LoneName>({ name, input }: { name: Name; input: CommandInput<Name> }): unknown =>
    lone[name](input)

  const runWave = (wave: readonly Command[]): readonly unknown[] => {
    const results = writeOrders(wave.filter(isOrderCommand))
    const messages = wave.filter(isMessageCommand)
    if (messages.length > 0) addMessages(messages.map(({ input }) => input))
    return wave.map((command) => {
      if (isOrderCommand(command)) return results.get(command.input)
      return isMessageCommand(command) ? undefined : runAlone(command)
    })
  }

  const runTransaction = createTransactionRunner<Command>(
    db,
    { orderOf, runWave },
    {
      patience,
      monotonicNow,
      onCommit,
      makeRoom: space.makeRoom,
      onDone: jobQueue.noteNextInQueues,
      onReset: () => {
        nextDueAt = Number.POSITIVE_INFINITY
        if (!db.inTransaction) return
        dataKeys.refreshIfChanged()
        registerKey.run(first, checkValue)
      },
    },
  )

  return {
    write: (batch) => {
      now = batch.now
      // Before the transaction, because the log cannot be emptied inside it.
      if (batch.commands.some(({ name }) => name === 'probe')) hasRoom = space.hasRoom()
      const outcomes = runTransaction(batch.commands)
      space.onCommit()
      return { outcomes, nextDueAt }
    },
    reclaimFromDeadProcesses: db.transaction(prepareReclaim(db)).immediate,
  }
}

const isProcessGone = (pid: number): boolean => {
  // Our own pid in an old claim belongs to an earlier process: this one has claimed nothing yet.
  if (pid === process.pid) return true
  try {
    process.kill(pid, 0)
    return false
  } catch (cause) {
    return cause instanceof Error && 'code' in cause && cause.code === 'ESRCH'
  }
}

// Without it, the jobs of a process that has died would wait until its leases expire.
const prepareReclaim = (db: Database): (() => void) => {
  const claimTokens = db.prepare<[], string>(`select token from outbox where state = 'claimed'`).pluck()
  const expireLease = db.prepare(`update outbox set lease_until = 0 where state = 'claimed' and token = ?`)
  return () => {
    const tokens = Map.groupBy(claimTokens.all(), (token) => Number.parseInt(token, 10))
    for (const [pid, ofProcess] of tokens) if (isProcessGone(pid)) for (const token of ofProcess) expireLease.run(token)
  }
}
