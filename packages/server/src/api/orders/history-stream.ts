// A history may have tens of thousands of lines, so it is never in memory as a whole: a page of it is
// read when the client has taken the page before. Contract §3.
import { setImmediate as endOfTurn } from 'node:timers/promises'
import { historyLine, type OrderHistory } from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import type { Context } from 'hono'
import { breakOff } from '../../http/stream.ts'

async function* encodeHistory(
  c: Context,
  { pages, read }: OrderHistory,
): AsyncGenerator<Uint8Array> {
  let before = '['
  for (let page = 0; page < pages; page++) {
    await endOfTurn()
    const lines = await read(page)()
    if (E.isLeft(lines)) return breakOff(c)
    // Old lines may have been deleted in the meantime.
    if (lines.right.length === 0) continue
    yield Buffer.from(
      before + lines.right.map((line) => JSON.stringify(historyLine(line))).join(','),
    )
    before = ','
  }
  yield Buffer.from(before === '[' ? '[]' : ']')
}

/** The lines as an array, oldest first. */
export const streamHistory = (c: Context, history: OrderHistory): Response =>
  c.body(ReadableStream.from(encodeHistory(c, history)), 200, {
    'content-type': 'application/json',
  })
