// Reads lines of an order's history: the newest for pages that show its path, and the next ones for
// streams that must leave none out. An order may have tens of thousands of lines, so only so many
// are kept in memory.
import { setImmediate as endOfTurn } from 'node:timers/promises'
import {
  type FullStore,
  History,
  type HistoryPage,
  historyLine,
  type Order,
  type OrderHistory,
  OrderView,
  orderView,
} from '@plazo/core/internal'
import * as E from 'fp-ts/lib/Either.js'
import type { Context } from 'hono'
import * as t from 'io-ts'
import { value } from '../../http/route.ts'
import { breakOff, type ReadAfter } from '../../http/stream.ts'

const LINES_MAX = 1_000

const PAGE = 200

type HistoryStore = Pick<FullStore, 'history'>

/** An order with its newest lines, oldest first. `is_cut`: older lines are left out. */
export const LinesView = t.strict({ order: OrderView, history: History, is_cut: t.boolean })
export type LinesView = t.TypeOf<typeof LinesView>

export const readLines =
  (store: HistoryStore) =>
  async (order: Order): Promise<LinesView> => {
    const { lines, next } = await value(store.history(order.placed.orderRef, null, LINES_MAX))
    return {
      order: orderView(order),
      history: lines.toReversed().map(historyLine),
      is_cut: next !== null,
    }
  }

/** For a stream: each of the next lines is an event. It reads back to them, as stores read. */
export const followLines =
  ({ history }: HistoryStore) =>
  ({ placed }: Order): ReadAfter =>
  async (after) => {
    let lines: HistoryPage['lines'] = []
    let from: number | null = null
    do {
      const page: E.Either<unknown, HistoryPage> = await history(placed.orderRef, from, PAGE)()
      if (E.isLeft(page)) return null
      const fresh: HistoryPage['lines'] = page.right.lines.filter(({ seq }) => seq > after)
      lines = [...lines, ...fresh].slice(-PAGE)
      from = fresh.length < page.right.lines.length ? null : page.right.next
    } while (from !== null)
    return lines
      .toReversed()
      .map((line) => ({ id: line.seq, type: 'line', data: historyLine(line) }))
  }

// A history is never in memory as a whole: a page of it is read when the client has taken the page
// before.
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
