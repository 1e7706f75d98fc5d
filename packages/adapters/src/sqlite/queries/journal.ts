// Orders' journals in SQLite. All orders append to one table, so that a commit writes only to the
// end of it. Each line names the previous line of its order, and an order names its last line.

import type { JournalPage } from '../../sql/dialect.ts'
import type { Bind } from '../../sql/order-conditions.ts'

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
