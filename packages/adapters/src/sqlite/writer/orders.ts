// Writes orders, encrypted under their own data keys, with their journal lines and effects. A step is written only if the order
// has not changed since the decision. Each write runs in phases, see `phases.ts`.
import type { CompletionResult } from '@plazo/core'
import { type DataKey, encrypt } from '../../encryption/cipher.ts'
import { AAD_ORDER_PAYLOAD, AAD_PLACED, aadForInput, aadForSnapshot } from '../../sql/associated-data.ts'
import type { DataKeys } from '../encryption/data-keys.ts'
import { UPDATE_ORDER } from '../order-cache.ts'
import { type JournalEnd, prepareAppend, prepareReadEnd } from '../queries/journal.ts'
import type { Database } from '../schema/database.ts'
import type { CompletionWrite, OrderWrite, PlaceWrite, StepWrite, WriteConflict } from './commands.ts'
import type { Outbox, StoredPayload } from './outbox.ts'
import type { Phased } from './phases.ts'

/** The encrypted parts of a step. */
type EncryptedStep = {
  readonly snapshot: Buffer
  /** One per journal line. */
  readonly inputs: readonly (Buffer | null)[]
  readonly payloads: readonly StoredPayload[]
}

const NO_JOURNAL: JournalEnd = { revision: 0, last_line: null }

type OrderWriter = {
  readonly place: (write: PlaceWrite) => Phased<number | 'taken'>
  readonly step: (write: StepWrite) => Phased<'done' | WriteConflict>
  readonly settle: (write: CompletionWrite) => Phased<CompletionResult | WriteConflict>
}

export const createOrderWriter = (db: Database, dataKeys: DataKeys, outbox: Outbox): OrderWriter => {
  const journalEnd = prepareReadEnd(db)
  const holderOf = db
    .prepare<[string, string], number>('select id from orders where merchant_ref = ? and held_reference = ?')
    .pluck()
  const insertOrder = db.prepare(
    'insert into orders (order_ref, merchant_ref, held_reference, revision, snapshot) values (?, ?, ?, ?, ?)',
  )
  const insertPlacement = db.prepare('insert into placements (order_id, placed, payload) values (?, ?, ?)')
  const updateOrder = db.prepare(UPDATE_ORDER)
  const setLastLine = db.prepare('update orders set last_line = ? where id = ?')
  const append = prepareAppend(db)
  const setOperatorTask = db.prepare('insert or replace into waiting (order_id, why, since) values (?, ?, ?)')
  const clearOperatorTask = db.prepare('delete from waiting where order_id = ?')

  const isTaken = ({ merchantRef, requestedReference }: OrderWrite, by: number | null): boolean => {
    if (requestedReference === null) return false
    const holder = holderOf.get(merchantRef, requestedReference)
    return holder !== undefined && holder !== by
  }

  /** The journal's end, if the order is still as the step was decided on and the reference is free. */
  const checkUnchanged = (write: StepWrite): JournalEnd | WriteConflict => {
    const end = journalEnd.get(write.id)
    if (end?.revision !== write.expectedRevision) return 'moved'
    return isTaken(write, write.id) ? 'taken' : end
  }

  const encryptStep = (write: OrderWrite, key: DataKey): EncryptedStep => ({
    snapshot: encrypt(key, aadForSnapshot(write.revision), write.snapshot),
    inputs: write.lines.map(({ seq, input }) => (input === null ? null : encrypt(key, aadForInput(seq), input))),
    payloads: outbox.encryptPayloads(write, key),
  })

  // Under the current key. An erasure, which replaces the key, also changes the order's revision.
  const encryptNextStep = (write: StepWrite): EncryptedStep => encryptStep(write, dataKeys.currentKey(write.id))

  function* writeEffects(id: number, write: OrderWrite, encrypted: EncryptedStep): Generator<undefined> {
    const { taskChange, effects } = write
    if (taskChange?.why === null) clearOperatorTask.run(id)
    else if (taskChange !== null) setOperatorTask.run(id, taskChange.why, taskChange.since)
    if (effects.length === 0) return
    yield
    outbox.add(id, write, encrypted.payloads)
  }

  function* writeNext(write: StepWrite, end: JournalEnd, encrypted: EncryptedStep): Generator<undefined> {
    const { id, revision, heldReference, lines } = write
    const lastLine = append(id, end, lines, encrypted.inputs)
    yield
    updateOrder.run(revision, encrypted.snapshot, heldReference, lastLine, id)
    yield* writeEffects(id, write, encrypted)
  }

  function* writeNewOrder(write: PlaceWrite): Generator<undefined, number | 'taken'> {
    if (isTaken(write, null)) return 'taken'
    yield
    const { dataKey, store } = dataKeys.createKey(write.orderRef)
    const encrypted = encryptStep(write, dataKey)
    const placed = encrypt(dataKey, AAD_PLACED, write.placed)
    const payload = encrypt(dataKey, AAD_ORDER_PAYLOAD, write.payload)
    yield
    const { orderRef, merchantRef, heldReference, revision } = write
    const id = Number(
      insertOrder.run(orderRef, merchantRef, heldReference, revision, encrypted.snapshot).lastInsertRowid,
    )
    yield
    store(id)
    insertPlacement.run(id, placed, payload)
    yield
    setLastLine.run(append(id, NO_JOURNAL, write.lines, encrypted.inputs), id)
    yield* writeEffects(id, write, encrypted)
    return id
  }

  function* writeStep(write: StepWrite): Generator<undefined, 'done' | WriteConflict> {
    const end = checkUnchanged(write)
    if (typeof end === 'string') return end
    yield
    const encrypted = encryptNextStep(write)
    yield
    yield* writeNext(write, end, encrypted)
    return 'done'
  }

  function* writeCompletion(write: CompletionWrite): Generator<undefined, CompletionResult | WriteConflict> {
    const { token, step, fault } = write
    const job = outbox.findClaimed(token)
    if (job === undefined) return 'lost'
    if (fault !== null) {
      outbox.markStuck(job, fault, write)
      return 'stuck'
    }
    const end = step && checkUnchanged(step)
    if (typeof end === 'string') return end
    yield
    const encrypted = step && encryptNextStep(step)
    yield
    const result = outbox.complete(job, write)
    if (step !== null && end !== null && encrypted !== null) yield* writeNext(step, end, encrypted)
    return result
  }

  return {
    place: (write) => ({ about: write.orderRef, phases: () => writeNewOrder(write) }),
    step: (write) => ({ about: write.orderRef, phases: () => writeStep(write) }),
    settle: (write) => ({ about: write.orderRef, phases: () => writeCompletion(write) }),
  }
}
