// Erases a shopper in SQLite. The rest of the order is encrypted under a new data key, which
// overwrites the old one. Everything else that the old key encrypted is removed. Then the write-ahead
// log is emptied, because it holds the earlier pages.
import type { Order, Step } from '@plazo/core'
import {
  encodePlaced,
  type OrderNotFound,
  orderNotFound,
  type ShopperErasure,
  type StillPending,
  type Unavailable,
  unavailable,
} from '@plazo/core/ports'
import * as E from 'fp-ts/lib/Either.js'
import { AAD_PLACED, aadForSnapshot, encrypt } from '../encryption/cipher.ts'
import { IS_DELIVERY } from '../sql/deliveries.ts'
import { type StoredOrder, toOrderWrite } from '../sql/order-writes.ts'
import type { Timers } from '../system/clock-and-ids.ts'
import type { DataKeys } from './encryption/data-keys.ts'
import { encodeReference, factValues, UPDATE_ORDER } from './order-columns.ts'
import type { OrderReader } from './order-reader.ts'
import { UNFINISHED } from './queries/due-jobs.ts'
import { JOURNAL_LINES, prepareReadEnd } from './queries/journal.ts'
import { assertOutsideTransaction, type Database } from './schema/database.ts'
import { sqliteUnavailable } from './unavailable.ts'
import { emptyLog } from './wal/write-ahead-log.ts'
import { prepareAppend } from './writer/orders.ts'

const TRIES = 50
const RETRY_MILLIS = 100

export const sqliteErasure = (
  db: Database,
  dataKeys: DataKeys,
  { read }: OrderReader,
  timers: Pick<Timers, 'after'>,
): ShopperErasure => {
  const hasPayload = db
    .prepare<[number], number>('select payload is not null from placements where order_id = ?')
    .pluck()
  const pending = db
    .prepare<[number, number], string>(`
      select lane from outbox where order_id = ? and state = 'stuck'
      union select coalesce(b.lane, r.lane) from outbox b left join outbox r on r.id = b.resend_of
        where b.order_id = ? and b.${UNFINISHED}
      order by lane`)
    .pluck()
  // An order may continue after its shopper was erased, and then hold new personal data.
  const hasNewData = db
    .prepare<[number, number, number], number>(`
      ${JOURNAL_LINES} select exists (select 1 from journal where id in (select id from lines) and input is not null)
        or exists (select 1 from outbox where order_id = ? and ${IS_DELIVERY} and (work is not null or message is not null))
        or exists (select 1 from attempts where report is not null
          and delivery_id in (select id from outbox where order_id = ? and ${IS_DELIVERY}))`)
    .pluck()
  const journalEnd = prepareReadEnd(db)
  const updateOrder = db.prepare(UPDATE_ORDER)
  const updatePlacement = db.prepare(
    'update placements set placed = ?, payload = null where order_id = ?',
  )
  const append = prepareAppend(db)
  const removals = [
    `${JOURNAL_LINES} update journal set input = null where id in (select id from lines)`,
    `update attempts set report = null where delivery_id in (select id from outbox where order_id = ? and ${IS_DELIVERY})`,
    `update outbox set work = null, message = null where order_id = ? and ${IS_DELIVERY}`,
    'delete from records where order_id = ?',
  ].map((sql) => db.prepare(sql))

  const eraseData = ({ row: id }: StoredOrder<number>, step: Step): void => {
    const { placed } = step.order
    const { dataKey, store } = dataKeys.createKey(placed.orderRef)
    store(id)
    const { revision, snapshot, heldReference, lines, facts } = toOrderWrite(step, null)
    updatePlacement.run(encrypt(dataKey, AAD_PLACED, encodePlaced(placed)), id)
    for (const removal of removals) removal.run(id)
    const end = journalEnd.get(id)
    if (end === undefined) throw new Error('The order does not exist.')
    const lastLine = append(id, end, lines, [])
    updateOrder.run(
      revision,
      encrypt(dataKey, aadForSnapshot(revision), snapshot),
      heldReference && encodeReference(heldReference),
      lastLine,
      ...factValues(facts),
      id,
    )
  }

  type ErasureResult<Err> = E.Either<
    Err | OrderNotFound | StillPending,
    'erased' | 'already_erased'
  >

  const eraseOrder = <Err>(
    orderRef: string,
    decide: (order: Order) => E.Either<Err, Step>,
  ): ErasureResult<Err> => {
    const stored = read(orderRef)
    if (stored === undefined) return E.left(orderNotFound)
    const isRepeated = hasPayload.get(stored.row) !== 1
    if (isRepeated && hasNewData.get(stored.row, stored.row, stored.row) !== 1)
      return E.right('already_erased')
    const decided = decide(stored.order)
    if (E.isLeft(decided)) return decided
    const lanes = pending.all(stored.row, stored.row)
    if (lanes.length > 0) return E.left({ _tag: 'StillPending', lanes })
    eraseData(stored, decided.right)
    return E.right(isRepeated ? 'already_erased' : 'erased')
  }

  // A server's read delays this only for a moment. A repeated erasure empties the log too.
  const destroyLog = async (): Promise<E.Either<Unavailable, void>> => {
    for (let tried = 1; ; tried++) {
      if (emptyLog(db)) return E.right(undefined)
      if (tried === TRIES)
        return unavailable(
          'file_locked',
          'The shopper is erased, but the write-ahead log is in use and cannot be emptied now. Run the command again.',
        )
      await new Promise<void>((resolve) => timers.after(RETRY_MILLIS, resolve))
    }
  }

  return {
    erase:
      <Err>(orderRef: string, decide: (order: Order) => E.Either<Err, Step>) =>
      async () => {
        try {
          assertOutsideTransaction(db)
          // Overwrites all freed content, including pages that would otherwise not be written.
          db.pragma('secure_delete = ON')
          const done = db.transaction(() => eraseOrder(orderRef, decide)).immediate()
          if (E.isLeft(done)) return done
          const emptied = await destroyLog()
          return E.isLeft(emptied) ? emptied : done
        } catch (cause) {
          return E.left(sqliteUnavailable(cause))
        } finally {
          // As for every other write.
          db.pragma('secure_delete = FAST')
        }
      },
  }
}
