// Writes the orders of a wave (writer.ts), each encrypted under its own data key, with their
// completed jobs, journal lines and effects. One kind of work is done for all orders before the
// next kind begins. The code of all kinds is larger than a processor's caches, and the code of one
// kind is not: this saves a third of the processor time (docs/decisions/0016).
import {
  AAD_ORDER_PAYLOAD,
  AAD_PLACED,
  aadForInput,
  aadForSnapshot,
  type DataKey,
  encrypt,
} from '../../encryption/cipher.ts'
import type { Conflict } from '../../sql/group-commit.ts'
import type {
  CompletionWrite as Completion,
  OrderWrite,
  PlaceWrite,
  StepWrite as Step,
} from '../../sql/order-writes.ts'
import type { DataKeys } from '../encryption/data-keys.ts'
import {
  encodeReference,
  FACTS,
  factValues,
  PROGRESS,
  UPDATE_ORDER,
  UPDATE_PROGRESS,
} from '../order-columns.ts'
import { type JournalEnd, prepareReadEnd } from '../queries/journal.ts'
import type { Database } from '../schema/database.ts'
import type { CommandOf, Commands } from './commands.ts'
import type { Outbox } from './outbox.ts'
import type { ClaimedRow } from './outbox-statements.ts'

type StepWrite = Step<number>
type CompletionWrite = Completion<number>

export type OrderCommand = CommandOf<'place'> | CommandOf<'step'> | CommandOf<'complete'>

/** The result of each command, by its input. */
type Results = Map<OrderCommand['input'], ReturnType<Commands[OrderCommand['name']]>>

/** Commands about different orders. If it throws, the transaction must be rolled back. */
type WriteOrders = (commands: readonly OrderCommand[]) => Results

/** The data that the commands write, and the results that are known before. */
type Checked = {
  /** New orders whose references are free. */
  readonly placements: PlaceWrite[]
  readonly jobs: { readonly job: ClaimedRow; readonly completion: CompletionWrite }[]
  /** Steps of orders that have not changed since the decision. */
  readonly steps: { readonly write: StepWrite; readonly end: JournalEnd }[]
  readonly results: Results
}

const NO_JOURNAL: JournalEnd = { revision: 0, last_line: null }

export const createOrderWriter = (
  db: Database,
  dataKeys: DataKeys,
  outbox: Outbox,
): WriteOrders => {
  const journalEnd = prepareReadEnd(db)
  const holderOf = db
    .prepare<[string, string], number>(
      'select id from orders where merchant_ref = ? and held_reference = ?',
    )
    .pluck()
  const insertOrder = db.prepare(
    `insert into orders (order_ref, merchant_ref, held_reference, revision, snapshot, ${FACTS.join(', ')})
     values (?, ?, ?, ?, ?${', ?'.repeat(FACTS.length)})`,
  )
  const insertPlacement = db.prepare(
    'insert into placements (order_id, placed, payload) values (?, ?, ?)',
  )
  const updateOrder = db.prepare(UPDATE_ORDER)
  const updateProgress = db.prepare(UPDATE_PROGRESS)
  const setLastLine = db.prepare('update orders set last_line = ? where id = ?')
  const appendLines = prepareAppend(db)
  const setOperatorTask = db.prepare(
    'insert or replace into operator_tasks (order_id, merchant_ref, why, since) values (?, ?, ?, ?)',
  )
  const clearOperatorTask = db.prepare('delete from operator_tasks where order_id = ?')

  const isTaken = ({ merchantRef, requestedReference }: OrderWrite, by: number | null): boolean => {
    if (requestedReference === null) return false
    const holder = holderOf.get(merchantRef, encodeReference(requestedReference))
    return holder !== undefined && holder !== by
  }

  /**
   * The journal's end, if the order is still as the step was decided on and the reference is free.
   */
  const checkUnchanged = (write: StepWrite): JournalEnd | Conflict => {
    const end = journalEnd.get(write.row)
    if (end?.revision !== write.expectedRevision) return 'changed'
    return isTaken(write, write.row) ? 'reference_taken' : end
  }

  /** False if a decision to change nothing was made on an outdated order. */
  const isCurrent = ({ decidedOn }: CompletionWrite): boolean =>
    decidedOn === null || journalEnd.get(decidedOn.row)?.revision === decidedOn.revision

  const checkPlacement = (write: PlaceWrite, { placements, results }: Checked): void => {
    if (isTaken(write, null)) results.set(write, 'reference_taken')
    else placements.push(write)
  }

  const checkStep = (write: StepWrite, { steps, results }: Checked): void => {
    const end = checkUnchanged(write)
    results.set(write, typeof end === 'string' ? end : 'done')
    if (typeof end !== 'string') steps.push({ write, end })
  }

  const checkCompletion = (
    completion: CompletionWrite,
    { jobs, steps, results }: Checked,
  ): void => {
    const job = outbox.findClaimed(completion.token)
    if (job === undefined) return void results.set(completion, 'lost')
    const { step } = completion
    const end = step && checkUnchanged(step)
    if (typeof end === 'string') return void results.set(completion, end)
    if (step === null && !isCurrent(completion)) return void results.set(completion, 'changed')
    jobs.push({ job, completion })
    if (step !== null && end !== null) steps.push({ write: step, end })
  }

  const checkAll = (commands: readonly OrderCommand[]): Checked => {
    const checked: Checked = { placements: [], jobs: [], steps: [], results: new Map() }
    for (const { name, input } of commands)
      if (name === 'place') checkPlacement(input, checked)
      else if (name === 'step') checkStep(input, checked)
      else checkCompletion(input, checked)
    return checked
  }

  const encryptOrder = (write: OrderWrite, key: DataKey) => ({
    write,
    snapshot: encrypt(key, aadForSnapshot(write.revision), write.snapshot),
    /** One per journal line. */
    inputs: write.lines.map(({ seq, input }) =>
      input === null ? null : encrypt(key, aadForInput(seq), input),
    ),
    payloads: outbox.encryptPayloads(write, key),
  })

  const encryptPlacement = (write: PlaceWrite) => {
    const { dataKey, store } = dataKeys.createKey(write.orderRef)
    return {
      ...encryptOrder(write, dataKey),
      write,
      placed: encrypt(dataKey, AAD_PLACED, write.placed),
      payload: encrypt(dataKey, AAD_ORDER_PAYLOAD, write.payload),
      storeKey: store,
    }
  }

  // Under the current key. An erasure, which replaces the key, also changes the order's revision.
  const encryptStep = ({ write, end }: Checked['steps'][number]) => ({
    ...encryptOrder(write, dataKeys.currentKey(write.row)),
    /** The order's row number. */
    id: write.row,
    /** The end of its journal before the write. */
    end,
  })

  type EncryptedPlacement = ReturnType<typeof encryptPlacement>
  type StoredOrder = ReturnType<typeof encryptStep>
  type JournaledOrder = StoredOrder & { readonly lastLine: number | null }

  const completeJobs = ({ jobs, results }: Checked): void => {
    for (const { job, completion } of jobs)
      results.set(completion, outbox.complete(job, completion))
  }

  const insertOrders = (
    placements: readonly EncryptedPlacement[],
    { results }: Checked,
  ): readonly StoredOrder[] => {
    const stored = placements.map((placement) => {
      const { orderRef, merchantRef, heldReference, revision, facts } = placement.write
      const { lastInsertRowid } = insertOrder.run(
        orderRef,
        merchantRef,
        heldReference && encodeReference(heldReference),
        revision,
        placement.snapshot,
        ...factValues(facts),
      )
      return { ...placement, id: Number(lastInsertRowid), end: NO_JOURNAL }
    })
    for (const { id, storeKey } of stored) storeKey(id)
    for (const { id, placed, payload } of stored) insertPlacement.run(id, placed, payload)
    for (const { id, write } of stored) results.set(write, { row: id })
    return stored
  }

  const appendJournals = (orders: readonly StoredOrder[]): readonly JournaledOrder[] =>
    orders.map((order) => ({
      ...order,
      lastLine: appendLines(order.id, order.end, order.write.lines, order.inputs),
    }))

  const setLastLines = (orders: readonly JournaledOrder[]): void => {
    for (const { id, lastLine } of orders) setLastLine.run(lastLine, id)
  }

  const updateOrders = (orders: readonly JournaledOrder[]): void => {
    for (const { id, write, snapshot, lastLine } of orders) {
      const { revision, heldReference, keepsDetails } = write
      const reference = heldReference && encodeReference(heldReference)
      const facts = factValues(write.facts)
      if (keepsDetails)
        updateProgress.run(revision, snapshot, reference, lastLine, ...facts.slice(0, PROGRESS), id)
      else updateOrder.run(revision, snapshot, reference, lastLine, ...facts, id)
    }
  }

  const writeOperatorTasks = (orders: readonly StoredOrder[]): void => {
    for (const { id, write } of orders)
      if (write.taskChange?.why === null) clearOperatorTask.run(id)
      else if (write.taskChange !== null)
        setOperatorTask.run(id, write.merchantRef, write.taskChange.why, write.taskChange.since)
  }

  const addEffects = (orders: readonly StoredOrder[]): void => {
    for (const { id, write, payloads } of orders)
      if (write.effects.length > 0) outbox.add(id, write, payloads)
  }

  return (commands) => {
    const checked = checkAll(commands)
    const placements = checked.placements.map(encryptPlacement)
    const steps = checked.steps.map(encryptStep)
    completeJobs(checked)
    const inserted = appendJournals(insertOrders(placements, checked))
    const changed = appendJournals(steps)
    setLastLines(inserted)
    updateOrders(changed)
    const orders = [...inserted, ...changed]
    writeOperatorTasks(orders)
    addEffects(orders)
    return checked.results
  }
}

/**
 * Call it inside a transaction. Returns the row number of the last line afterwards. Throws if the
 * lines do not continue from the end.
 */
const prepareAppend = (db: Database) => {
  const insert = db.prepare(
    `insert into journal (order_id, seq, at, event, detail, from_state, to_state, input, previous)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  return (
    orderId: number,
    end: JournalEnd,
    lines: OrderWrite['lines'],
    inputs: readonly (Buffer | null)[],
  ): number | null => {
    let { revision, last_line } = end
    for (const [n, { seq, at, event, detail, from, to }] of lines.entries()) {
      if (seq !== revision + 1)
        throw new Error(`The journal ends at line ${revision}: line ${seq} does not come next.`)
      const input = inputs[n] ?? null
      last_line = Number(
        insert.run(orderId, seq, at, event, detail, from, to, input, last_line).lastInsertRowid,
      )
      revision = seq
    }
    return last_line
  }
}
