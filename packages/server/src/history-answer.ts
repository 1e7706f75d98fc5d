// Streams an order's history, so that a long one is never in memory as a whole: each page is read when the page before it has
// been sent. Contract §3.
import { historyLine, type OrderHistory, type PublicJournalLine } from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import type { Context } from 'hono'
import { streamBody } from './sliced-json.ts'

const encodeLines = (lines: readonly PublicJournalLine[]): string =>
  lines.map((line) => JSON.stringify(historyLine(line))).join(',')

// The status has been sent by then. Only a broken connection tells the client that the answer is incomplete.
const abortConnection = (c: Context): null => {
  const { outgoing } = (c.env ?? {}) as { readonly outgoing?: { readonly destroy: () => void } }
  if (outgoing === undefined) throw new Error('The history could not be read to its end.')
  outgoing.destroy()
  return null
}

/** The history as an array, oldest line first. */
export const streamHistory = (c: Context, history: OrderHistory): Response => {
  let page = 0
  let before = '['
  const next = async (): Promise<Uint8Array | null> => {
    if (page > history.pages) return null
    if (page === history.pages) {
      page += 1
      return Buffer.from(before === '[' ? '[]' : ']')
    }
    const read = await history.read(page)()
    if (E.isLeft(read)) return abortConnection(c)
    page += 1
    // Old lines may have been deleted in the meantime.
    if (read.right.length === 0) return next()
    const chunk = Buffer.from(`${before}${encodeLines(read.right)}`)
    before = ','
    return chunk
  }
  return c.body(streamBody(next), 200, { 'content-type': 'application/json' })
}
