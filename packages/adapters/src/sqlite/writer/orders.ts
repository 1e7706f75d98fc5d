// Writes orders, encrypted under their own data keys, with their journal lines and effects. A step is written only if the order
// has not changed since the decision. Each write runs in phases, see `phases.ts`.
import type { CompletionResult } from '@plazo/core'
import { PAYLOAD, PLACED, placeOfInput, placeOfSnapshot } from '../../rows/places.ts'
import { type DataKey, seal } from '../../sealing/sealer.ts'
import type { Database } from '../database.ts'
import { appendingLines, type JournalEnd, readingJournalEnd } from '../journal.ts'
import { UPDATE_ORDER } from '../order-rows.ts'
import type { Vault } from '../vault.ts'
import type { OrderWrite, PlaceWrite, Refused, SettleWrite, StepWrite } from './calls.ts'
import type { KeptWork, Outbox } from './outbox.ts'
import type { Phased } from './phases.ts'

/** The encrypted parts of a step. */
type Sealed = {
  readonly snapshot: Buffer
  /** One per journal line. */
  readonly inputs: readonly (Buffer | null)[]
  readonly works: readonly KeptWork[]
}

const NO_JOURNAL: JournalEnd = { revision: 0, last_line: null }

/** `call`: the number of the call within its batch. */
type OrderWriting = {
  readonly place: (write: PlaceWrite, call: number) => Phased<number | 'taken'>
  readonly step: (write: StepWrite, call: number) => Phased<'done' | Refused>
  readonly settle: (write: SettleWrite, call: number) => Phased<CompletionResult | Refused>
}

export const orderWriting = (db: Database, vault: Vault, entries: Outbox): OrderWriting => {
  const journalEnd = readingJournalEnd(db)
  const holderOf = db
    .prepare<[string, string], number>('select id from orders where merchant_ref = ? and held_reference = ?')
    .pluck()
  const insertOrder = db.prepare(
    'insert into orders (order_ref, merchant_ref, held_reference, revision, snapshot) values (?, ?, ?, ?, ?)',
  )
  const insertPlacement = db.prepare('insert into placements (order_id, placed, payload) values (?, ?, ?)')
  const updateOrder = db.prepare(UPDATE_ORDER)
  const setLastLine = db.prepare('update orders set last_line = ? where id = ?')
  const append = appendingLines(db)
  const beginWaiting = db.prepare('insert or replace into waiting (order_id, why, since) values (?, ?, ?)')
  const endWaiting = db.prepare('delete from waiting where order_id = ?')

  const isTaken = ({ merchantRef, asks }: OrderWrite, by: number | null): boolean => {
    if (asks === null) return false
    const holder = holderOf.get(merchantRef, asks)
    return holder !== undefined && holder !== by
  }

  /** The journal's end, if the order is still as the step was decided on and the reference is free. */
  const standing = (write: StepWrite): JournalEnd | Refused => {
    const end = journalEnd.get(write.id)
    if (end?.revision !== write.was) return 'moved'
    return isTaken(write, write.id) ? 'taken' : end
  }

  const sealAll = (write: OrderWrite, key: DataKey): Sealed => ({
    snapshot: seal(key, placeOfSnapshot(write.revision), write.snapshot),
    inputs: write.lines.map(({ seq, input }) => (input === null ? null : seal(key, placeOfInput(seq), input))),
    works: entries.seal(write, key),
  })

  // Under the current key. An erasure, which replaces the key, also changes the order's revision.
  const sealNext = (write: StepWrite): Sealed => sealAll(write, vault.current(write.id))

  function* writeEffects(id: number, write: OrderWrite, sealed: Sealed, call: number): Generator<undefined> {
    const { waits, effects } = write
    if (waits?.why === null) endWaiting.run(id)
    else if (waits !== null) beginWaiting.run(id, waits.why, waits.since)
    if (effects.length === 0) return
    yield
    entries.add(id, write, sealed.works, call)
  }

  function* writeNext(write: StepWrite, end: JournalEnd, sealed: Sealed, call: number): Generator<undefined> {
    const { id, revision, holds, lines } = write
    const lastLine = append(id, end, lines, sealed.inputs)
    yield
    updateOrder.run(revision, sealed.snapshot, holds, lastLine, id)
    yield* writeEffects(id, write, sealed, call)
  }

  function* placing(write: PlaceWrite, call: number): Generator<undefined, number | 'taken'> {
    if (isTaken(write, null)) return 'taken'
    yield
    const { dataKey, keep } = vault.draw(write.orderRef)
    const sealed = sealAll(write, dataKey)
    const placed = seal(dataKey, PLACED, write.placed)
    const payload = seal(dataKey, PAYLOAD, write.payload)
    yield
    const { orderRef, merchantRef, holds, revision } = write
    const id = Number(insertOrder.run(orderRef, merchantRef, holds, revision, sealed.snapshot).lastInsertRowid)
    yield
    keep(id)
    insertPlacement.run(id, placed, payload)
    yield
    setLastLine.run(append(id, NO_JOURNAL, write.lines, sealed.inputs), id)
    yield* writeEffects(id, write, sealed, call)
    return id
  }

  function* stepping(write: StepWrite, call: number): Generator<undefined, 'done' | Refused> {
    const end = standing(write)
    if (typeof end === 'string') return end
    yield
    const sealed = sealNext(write)
    yield
    yield* writeNext(write, end, sealed, call)
    return 'done'
  }

  function* settling(write: SettleWrite, call: number): Generator<undefined, CompletionResult | Refused> {
    const { token, step, fault } = write
    const entry = entries.held(token)
    if (entry === undefined) return 'lost'
    if (fault !== null) {
      entries.park(entry, fault, write)
      return 'stuck'
    }
    const end = step && standing(step)
    if (typeof end === 'string') return end
    yield
    const sealed = step && sealNext(step)
    yield
    const settled = entries.conclude(entry, write)
    if (step !== null && end !== null && sealed !== null) yield* writeNext(step, end, sealed, call)
    return settled
  }

  return {
    place: (write, call) => ({ about: write.orderRef, phases: () => placing(write, call) }),
    step: (write, call) => ({ about: write.orderRef, phases: () => stepping(write, call) }),
    settle: (write, call) => ({ about: write.orderRef, phases: () => settling(write, call) }),
  }
}
