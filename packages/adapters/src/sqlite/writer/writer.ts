// Writes orders and their effects to SQLite, many calls in one commit. It takes plain data and contains no rules, so that it
// can run in another thread than the decisions.
import { proofOfKey } from '../../sealing/key-proofs.ts'
import { sqliteAttempts } from '../attempts.ts'
import type { Database } from '../database.ts'
import { type FreeBytes, freeBytesOf, logSpace } from '../log-space.ts'
import type { Batch, Written } from './batch.ts'
import type { CallName, Calls, Given } from './calls.ts'
import { type CommittingOptions, committing } from './committing.ts'
import { makingDue } from './making-due.ts'
import { orderWriting } from './orders.ts'
import { type OutboxOptions, outbox } from './outbox.ts'
import type { Job } from './phases.ts'
import { resending } from './resending.ts'
import { dropping } from './retention.ts'
import { shelfWriting } from './shelf.ts'

type WriterOptions = Omit<OutboxOptions, 'realNow'> &
  Pick<CommittingOptions, 'patience' | 'monotonicNow' | 'onCommit'> & { readonly freeBytes?: FreeBytes }

export type Writer = {
  readonly write: (batch: Batch) => Written
  /** Ends the leases of dead processes at once, so that the next claim takes over their jobs. */
  readonly takeOverFromTheDead: () => void
}

type Jobs = { readonly [Name in CallName]: (given: Given<Name>, call: number) => Job<ReturnType<Calls[Name]>> }

export const sqliteWriter = (db: Database, options: WriterOptions): Writer => {
  const { vault, patience, monotonicNow, onCommit, freeBytes = freeBytesOf } = options
  const attempts = sqliteAttempts(db, vault)
  const due = makingDue()
  const entries = outbox(db, attempts, due, { ...options, realNow: () => now })
  const again = resending(db, due.noteDue)
  const old = dropping(db)
  const shelf = shelfWriting(db, vault)
  // Key rotation deletes the record of a key that encrypts nothing any more. A server that still uses the key adds it again.
  const [first] = vault.sealer.keyIds
  const use = db.prepare('insert or ignore into master_keys (id, proof) values (?, ?)')
  const proof = proofOfKey(vault.sealer)
  // The probe increments a change counter. Its only effect is that the merchants' caches are read again.
  const space = logSpace(db, freeBytes, monotonicNow)
  let hasRoom = true
  const probe = db.prepare('update merchant_changes set count = count + 1')
  let now = 0

  const jobs: Jobs = {
    ...orderWriting(db, vault, entries),
    claim: (request) => () => entries.claim(request),
    giveBack:
      ({ token, as }) =>
      () =>
        entries.giveBack(token, as),
    unpark:
      ({ key, at }) =>
      () =>
        entries.unpark(key, at),
    resend: (given) => () => again.resend(given),
    recover: (request) => () => again.recover(request),
    dropDeliveries: (request) => () => old.dropDeliveries(request),
    dropJournals: (request) => () => old.dropJournals(request),
    ...shelf,
    probe: () => () => {
      // A probe is smaller than the writes of orders, so it might fit where they do not.
      if (!hasRoom) throw new Error('database or disk is full')
      probe.run()
    },
  }

  const jobOf = <Name extends CallName>({ name, given }: { name: Name; given: Given<Name> }, n: number): Job<unknown> =>
    jobs[name](given, n)

  const commit = committing(db, {
    patience,
    monotonicNow,
    onCommit,
    makeRoom: space.makeRoom,
    onUndo: due.undo,
    onDone: entries.noteNextInQueues,
    onNothing: () => {
      due.begin()
      if (!db.inTransaction) return
      vault.heed()
      use.run(first, proof)
    },
  })

  return {
    write: (batch) => {
      now = batch.now
      due.offering(batch.offer)
      // Before the transaction, because the log cannot be emptied inside it.
      if (batch.calls.some(({ name }) => name === 'probe')) hasRoom = space.hasRoom()
      const outcomes = commit(batch.calls.map((call, n) => jobOf(call, n)))
      space.committed()
      return { outcomes, ...due.made() }
    },
    takeOverFromTheDead: db.transaction(entries.takeOverFromTheDead).immediate,
  }
}
