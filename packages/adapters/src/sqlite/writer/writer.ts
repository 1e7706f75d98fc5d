// Writes orders and their effects to SQLite, many calls in one commit. It takes plain data and contains no rules, so that it
// can run in another thread than the decisions.
import { createCheckValue } from '../../encryption/key-check-values.ts'
import { sqliteAttempts } from '../queries/attempts.ts'
import type { Database } from '../schema/database.ts'
import { type FreeBytes, freeBytesOf, logSpace } from '../wal/log-space.ts'
import type { Batch, CommandInput, CommandName, Commands, Written } from './commands.ts'
import { createOrderWriter } from './orders.ts'
import { createOutbox, type NoteDue, type OutboxOptions } from './outbox.ts'
import type { WriterJob } from './phases.ts'
import { createResend } from './resend.ts'
import { createRetention } from './retention.ts'
import { createSandboxWriter } from './sandbox-store.ts'
import { createTransactionRunner, type TransactionOptions } from './transaction.ts'

type WriterOptions = Omit<OutboxOptions, 'realNow'> &
  Pick<TransactionOptions, 'patience' | 'monotonicNow' | 'onCommit'> & { readonly freeBytes?: FreeBytes }

export type Writer = {
  readonly write: (batch: Batch) => Written
  /** Ends the leases of dead processes at once, so that the next claim takes over their jobs. */
  readonly reclaimFromDeadProcesses: () => void
}

type CommandHandlers = {
  readonly [Name in CommandName]: (input: CommandInput<Name>) => WriterJob<ReturnType<Commands[Name]>>
}

export const sqliteWriter = (db: Database, options: WriterOptions): Writer => {
  const { dataKeys, patience, monotonicNow, onCommit, freeBytes = freeBytesOf } = options
  const attempts = sqliteAttempts(db, dataKeys)
  let nextDueAt = Number.POSITIVE_INFINITY
  const noteDue: NoteDue = (dueAt) => {
    if (dueAt !== null && dueAt < nextDueAt) nextDueAt = dueAt
  }
  const jobQueue = createOutbox(db, attempts, noteDue, { ...options, realNow: () => now })
  const resends = createResend(db, noteDue)
  const retention = createRetention(db)
  const sandbox = createSandboxWriter(db, dataKeys)
  // Key rotation deletes the record of a key that encrypts nothing any more. A server that still uses the key adds it again.
  const [first] = dataKeys.cipher.keyIds
  const registerKey = db.prepare('insert or ignore into master_keys (id, proof) values (?, ?)')
  const checkValue = createCheckValue(dataKeys.cipher)
  // The probe increments a change counter. Its only effect is that the merchants' caches are read again.
  const space = logSpace(db, freeBytes, monotonicNow)
  let hasRoom = true
  const probe = db.prepare('update merchant_changes set count = count + 1')
  let now = 0

  const handlers: CommandHandlers = {
    ...createOrderWriter(db, dataKeys, jobQueue),
    claim: (request) => () => jobQueue.claim(request),
    giveBack:
      ({ token, as }) =>
      () =>
        jobQueue.release(token, as),
    unpark:
      ({ key, at }) =>
      () =>
        jobQueue.retryStuckJob(key, at),
    resend: (input) => () => resends.resend(input),
    recover: (request) => () => resends.recover(request),
    dropDeliveries: (request) => () => retention.dropDeliveries(request),
    dropJournals: (request) => () => retention.dropJournals(request),
    ...sandbox,
    probe: () => () => {
      // A probe is smaller than the writes of orders, so it might fit where they do not.
      if (!hasRoom) throw new Error('database or disk is full')
      probe.run()
    },
  }

  const toJob = <Name extends CommandName>({
    name,
    input,
  }: {
    name: Name
    input: CommandInput<Name>
  }): WriterJob<unknown> => handlers[name](input)

  const runTransaction = createTransactionRunner(db, {
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
  })

  return {
    write: (batch) => {
      now = batch.now
      // Before the transaction, because the log cannot be emptied inside it.
      if (batch.commands.some(({ name }) => name === 'probe')) hasRoom = space.hasRoom()
      const outcomes = runTransaction(batch.commands.map((command) => toJob(command)))
      space.onCommit()
      return { outcomes, nextDueAt }
    },
    reclaimFromDeadProcesses: db.transaction(jobQueue.reclaimFromDeadProcesses).immediate,
  }
}
