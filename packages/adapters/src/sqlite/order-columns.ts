// How an order's values are stored in the columns of its row.
import type { StoredFacts } from '../store/base.ts'

/**
 * The column of `order_ref_1` holds it unchanged, except if it contains half of a surrogate pair.
 * For every such half SQLite would write U+FFFD, and different references would become equal. So
 * that text is stored as JSON.
 */
export const encodeReference = (reference: string): string =>
  reference.isWellFormed() ? reference : JSON.stringify(reference)

/** The columns of an order's facts. */
export const FACTS = [
  ...['checkout', 'lasting', 'changed_at', 'risk', 'cancellation', 'placed_at'],
  ...['search_1', 'search_2', 'person'],
]

/** The values of `FACTS`, in the same sequence. */
export const factValues = (facts: StoredFacts) => [
  ...[facts.checkout, facts.lasting, facts.changedAt, facts.risk, facts.cancellation],
  ...[facts.placedAt, facts.search1, facts.search2, facts.person],
]

/** How many of them change with most steps. */
export const PROGRESS = 3
