// Orders' journals in SQLite. All orders append to one table, so that a commit writes only to the
// end of it. Each line names the previous line of its order, and an order names its last line.
import type { JournalLine } from '@plazo/core'
import {
  type FullStore,
  type HistoryPage,
  type OrderNotFound,
  orderNotFound,
} from '@plazo/core/ports'
import * as E from 'fp-ts/lib/Either.js'
import { aadForInput } from '../../encryption/cipher.ts'
import { decodeStates } from '../../sql/decode-order-row.ts'
import type { DataKeys } from '../encryption/data-keys.ts'
import type { OrderReader } from '../order-reader.ts'
import { type Database, stablePlan } from '../schema/database.ts'
import { runOrUnavailable } from '../unavailable.ts'

type HistoryRow = Pick<JournalLine, 'seq' | 'at' | 'event' | 'detail'> & {
  readonly from_state: string
  readonly to_state: string
  readonly previous: number | null
}

type LineRow = Omit<HistoryRow, 'previous'> & { readonly input: Buffer | null }

/**
 * Selects all lines of the order whose row number is bound. Statements about the journal begin with
 * it.
 */
export const JOURNAL_LINES = stablePlan`
  with recursive lines (id, previous) as (
    select j.id, j.previous from orders o join journal j on j.id = o.last_line where o.id = ?
    union all
    select j.id, j.previous from lines l join journal j on j.id = l.previous)`

/** The end of an order's journal. `last_line`: its row number; null before the first line. */
export type JournalEnd = { readonly revision: number; readonly last_line: number | null }

/** @internal The driver's types have no name for it. Reads by the order's row number. */
export const prepareReadEnd = (db: Database) =>
  db.prepare<[number], JournalEnd>('select revision, last_line from orders where id = ?')

export const sqliteJournal = (
  db: Database,
  orders: OrderReader,
  dataKeys: DataKeys,
): Pick<FullStore, 'journal' | 'history'> => {
  // SQLite takes a negative limit as none.
  const readLines = db.prepare<[number, number], LineRow>(`
    ${JOURNAL_LINES} select seq, at, event, detail, from_state, to_state, input
    from journal where id in (select id from lines) order by id limit ?`)
  const readEnd = prepareReadEnd(db)
  // From one line backwards. It reads only the lines of the page, however long the journal is.
  const readPage = db.prepare<[number, number, number], HistoryRow>(stablePlan`
    with recursive lines (id, previous, n) as (
      select id, previous, 1 from journal where id = ? and order_id = ?
      union all
      select j.id, j.previous, l.n + 1 from lines l join journal j on j.id = l.previous where l.n < ?)
    select seq, at, event, detail, from_state, to_state, previous
    from journal where id in (select id from lines) order by id desc`)

  const toLine = (orderId: number, { input, ...line }: LineRow): JournalLine => ({
    ...decodeStates(line),
    input:
      input &&
      (JSON.parse(dataKeys.decrypt(orderId, aadForInput(line.seq), input)) as JournalLine['input']),
  })

  return {
    journal: (orderRef, limit = -1) =>
      runOrUnavailable(() => {
        const order = orders.read(orderRef)
        return E.fromNullable(orderNotFound)(
          order && readLines.all(order.row, limit).map((row) => toLine(order.row, row)),
        )
      }),

    history: (orderRef, from, limit) =>
      runOrUnavailable((): E.Either<OrderNotFound, HistoryPage> => {
        const order = orders.read(orderRef)
        if (order === undefined) return E.left(orderNotFound)
        const begin = from ?? readEnd.get(order.row)?.last_line ?? null
        const rows = begin === null ? [] : readPage.all(begin, order.row, limit)
        const lines = rows.map(({ previous: _previous, ...line }) => decodeStates(line))
        return E.right({ lines, next: rows.at(-1)?.previous ?? null })
      }),
  }
}
