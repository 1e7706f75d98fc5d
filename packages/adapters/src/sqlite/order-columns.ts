// How an order's values are stored in the columns of its row.
import type { OrderFacts } from '@plazo/core/ports'

/**
 * The column of `order_ref_1` holds it unchanged, except if it contains half of a surrogate pair.
 * For every such half SQLite would write U+FFFD, and different references would become equal. So
 * that text is stored as JSON.
 */
export const encodeReference = (reference: string): string =>
  reference.isWellFormed() ? reference : JSON.stringify(reference)

const SET_ORDER = 'revision = ?, snapshot = ?, held_reference = ?, last_line = ?'

/** The columns of an order's facts. */
export const FACTS = [
  ...['checkout', 'lasting', 'changed_at', 'risk', 'cancellation', 'placed_at'],
  ...['search_1', 'search_2'],
]

export const UPDATE_ORDER = `update orders set ${SET_ORDER}, ${FACTS.map((column) => `${column} = ?`).join(', ')} where id = ?`

/**
 * Without the details of the facts, because binding them is a large part of the cost.
 */
export const UPDATE_PROGRESS = `
  update orders set ${SET_ORDER}, checkout = ?, lasting = ?, changed_at = ? where id = ?`

/** The values of `FACTS`, in the same sequence. */
export const factValues = (facts: OrderFacts) => [
  ...[facts.checkout, facts.lasting, facts.changedAt, facts.risk, facts.cancellation],
  ...[facts.placedAt, facts.search1, facts.search2],
]

/** How many of the values `UPDATE_PROGRESS` sets. */
export const PROGRESS = 3
