// Orders' journals in SQLite. All orders append to one table, so that a commit writes only to the
// end of it. Each line names the previous line of its order, and an order names its last line.

import type { JournalPage } from '../../sql/dialect.ts'
import type { Bind } from '../../sql/order-conditions.ts'
import type { Database } from '../schema/database.ts'

/** The end of an order's journal. `last_line`: its row number; null before the first line. */
export type JournalEnd = { readonly revision: number; readonly last_line: number | null }

/** @internal The driver's types have no name for it. Reads by the order's row number. */
export const prepareReadEnd = (db: Database) =>
  db.prepare<[number], JournalEnd>('select revision, last_line from orders where id = ?')

/**
 * The condition that the line in the row `j` is in the page. `from`: the row number of a line. Reads
 * only the lines of the page, however long the journal is.
 */
export const isInPage = ({ orderId, from, count }: JournalPage, bind: Bind): string => `j.id in (
  with recursive lines (id, previous, n) as (
    select id, previous, 1 from journal
    where id = coalesce(${bind(from)}, (select last_line from orders where id = ${bind(orderId)})) and order_id = ${bind(orderId)}
    union all
    select p.id, p.previous, l.n + 1 from lines l join journal p on p.id = l.previous where l.n < ${bind(count)})
  select id from lines)`
