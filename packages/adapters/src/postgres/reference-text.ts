// The form in which a held `order_ref_1` is stored: JSON-encoded, so that any text can be stored. A long one is replaced by
// its digest, because a PostgreSQL index accepts no entry larger than a third of a page.
import { createHash } from 'node:crypto'

/** Bytes. A digest cannot be mistaken for a JSON text. */
const PLAIN_MAX = 1_000

export const encodeReference = (reference: string): string => {
  const text = JSON.stringify(reference)
  return Buffer.byteLength(text) <= PLAIN_MAX ? text : `sha256:${createHash('sha256').update(text).digest('hex')}`
}
