// An `order_ref_1` as it stands among those that are held: as JSON writes it, so that any will do; a long one by its digest,
// as an index of PostgreSQL's takes no entry of more than a third of a page.
import { createHash } from 'node:crypto'

/** Bytes. A digest looks like no JSON. */
const PLAIN_MAX = 1_000

export const referenceText = (reference: string): string => {
  const text = JSON.stringify(reference)
  return Buffer.byteLength(text) <= PLAIN_MAX ? text : `sha256:${createHash('sha256').update(text).digest('hex')}`
}
