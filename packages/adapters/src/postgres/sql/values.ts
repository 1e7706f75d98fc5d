// Values of statements. PostgreSQL refuses some texts and keys with errors that look like faults of
// the database, so they are recognized before they are sent.
import { createHash } from 'node:crypto'

/** The SQL that reads bytes from a column of JSON. The rows hold them as base64. */
export const bytes = (column: string): string => `decode(${column}, 'base64')`

/**
 * The condition by which a statement finds the rows of an order that it changes. With a plain
 * equation, a planner that takes the table for empty could read the whole index, because its sort
 * order allows a merge. If the number is in an array of one element, it can only be looked up.
 * True for the rows of `table` that belong to the order of the row `row`.
 */
export const belongsToOrder = (table: string, row: string): string =>
  `${table}.order_id = any (array[${row}.order_id])`

/** True if an order can have this reference. Anything else need not be looked up. */
export const isUuid = (text: string): boolean =>
  /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/.test(text)

/** Bytes. A digest cannot be mistaken for a JSON text. */
const PLAIN_MAX = 1_000

/**
 * The form in which a held `order_ref_1` is stored: JSON-encoded, so that any text can be stored. A
 * long one is replaced by its digest, because a PostgreSQL index accepts no entry larger than a
 * third of a page.
 */
export const encodeReference = (reference: string): string => {
  const text = JSON.stringify(reference)
  return Buffer.byteLength(text) <= PLAIN_MAX
    ? text
    : `sha256:${createHash('sha256').update(text).digest('hex')}`
}
