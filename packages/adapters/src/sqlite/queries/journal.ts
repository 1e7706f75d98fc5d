// Orders' journals in SQLite. All orders append to one table, so that a commit writes only to the end of it. Each line names
// the previous line of its order, and an order names its last line.
import { decodeState, type HistoryPage, type JournalLine } from '@plazo/core'
import { type Database, stablePlan } from '../schema/database.ts'

/** A line with its input still encrypted. */
type EncryptedLine = Omit<JournalLine, 'input'> & { readonly input: Buffer | null }

type LineRow = Omit<EncryptedLine, 'from' | 'to'> & { readonly from_state: string; readonly to_state: string }

/** Selects all lines of the order whose row number is bound. Statements about the journal begin with it. */
export const JOURNAL_LINES = stablePlan`
  with recursive lines (id, previous) as (
    select j.id, j.previous from orders o join journal j on j.id = o.last_line where o.id = ?
    union all
    select j.id, j.previous from lines l join journal j on j.id = l.previous)`

/** The end of an order's journal. `last_line`: its row number; null if the journal was deleted as old. */
export type JournalEnd = { readonly revision: number; readonly last_line: number | null }

/** @internal The driver's types have no name for it. Reads by the order's row number. */
export const prepareReadEnd = (db: Database) =>
  db.prepare<[number], JournalEnd>('select revision, last_line from orders where id = ?')

/** Reads by the order's row number. Oldest line first. */
export const prepareReadLines = (db: Database) => {
  const read = db.prepare<[number], LineRow>(`
    ${JOURNAL_LINES} select seq, at, event, detail, from_state, to_state, input
    from journal where id in (select id from lines) order by id`)
  return (orderId: number): readonly EncryptedLine[] =>
    read.all(orderId).map(({ from_state, to_state, ...line }) => ({
      ...line,
      from: decodeState(from_state),
      to: decodeState(to_state),
    }))
}

type HistoryRow = Omit<LineRow, 'input'> & { readonly previous: number | null }

/**
 * Reads `limit` lines of an order, by its row number, from the line `from` backwards, newest first. It reads only the lines of
 * the page, however long the journal is, because each line names the previous one.
 */
export const prepareReadHistory = (db: Database) => {
  const end = prepareReadEnd(db)
  const read = db.prepare<[number, number, number], HistoryRow>(stablePlan`
    with recursive lines (id, previous, n) as (
      select id, previous, 1 from journal where id = ? and order_id = ?
      union all
      select j.id, j.previous, l.n + 1 from lines l join journal j on j.id = l.previous where l.n < ?)
    select seq, at, event, detail, from_state, to_state, previous
    from journal where id in (select id from lines) order by id desc`)
  return (orderId: number, from: number | null, limit: number): HistoryPage => {
    const begin = from ?? end.get(orderId)?.last_line ?? null
    const rows = begin === null ? [] : read.all(begin, orderId, limit)
    return {
      lines: rows.map(({ from_state, to_state, previous: _previous, ...line }) => ({
        ...line,
        from: decodeState(from_state),
        to: decodeState(to_state),
      })),
      next: rows.at(-1)?.previous ?? null,
    }
  }
}
