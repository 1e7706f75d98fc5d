// Reads lines of an order's history: the newest for pages that show its path, and the next ones for
// streams that must leave none out. An order may have tens of thousands of lines, so only so many
// are kept in memory.
import { historyLine, type Order, orderView } from '@plazo/core'
import type { FullStore, HistoryPage, OrderNotFound, Unavailable } from '@plazo/core/ports'
import { History, type HistoryLine, OrderView } from '@plazo/core/protocol'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import * as t from 'io-ts'
import type { ReadAfter } from '../../http/stream.ts'

const PAGE = 200

const LINES_MAX = 1_000

type HistoryStore = Pick<FullStore, 'history'>

type NewestLines = { readonly lines: readonly HistoryLine[]; readonly isCut: boolean }

export type OrderWithLines = { readonly order: Order; readonly newest: NewestLines }

export const withNewestLines =
  (store: HistoryStore) =>
  (order: Order): TE.TaskEither<OrderNotFound | Unavailable, OrderWithLines> =>
    pipe(
      newestLines(store)(order.placed.orderRef, 0),
      TE.map((newest) => ({ order, newest })),
    )

/** An order with its newest lines as JSON. `is_cut`: older lines are left out. */
export const LinesView = t.strict({ order: OrderView, history: History, is_cut: t.boolean })

export const linesView = ({ order, newest: { lines, isCut } }: OrderWithLines) => ({
  order: orderView(order),
  history: lines,
  is_cut: isCut,
})

/** For a stream: each of the next lines is an event. */
export const followLines =
  (store: HistoryStore) =>
  ({ placed }: Order): ReadAfter =>
  async (after) => {
    const next = await readBack(store, placed.orderRef, after, { oldest: PAGE })()
    return E.isLeft(next)
      ? null
      : next.right.lines.map((line) => ({ id: line.seq, type: 'line', data: line }))
  }

/**
 * The lines after the one with number `after`, oldest first; the newest `LINES_MAX` of them.
 * `isCut`: there are more.
 */
export const newestLines =
  (store: HistoryStore) =>
  (orderRef: string, after: number): TE.TaskEither<OrderNotFound | Unavailable, NewestLines> =>
    readBack(store, orderRef, after, { max: LINES_MAX })

/**
 * Reads page by page back to the line with number `after`, because stores read in that order.
 *
 * @param max it stops once it has so many lines
 * @param oldest only so many of the oldest lines stay in memory
 */
const readBack =
  (
    { history }: HistoryStore,
    orderRef: string,
    after: number,
    { max = Number.POSITIVE_INFINITY, oldest = Number.POSITIVE_INFINITY },
  ): TE.TaskEither<OrderNotFound | Unavailable, NewestLines> =>
  async () => {
    let lines: HistoryPage['lines'] = []
    for (let from: number | null = null; ; ) {
      const page: E.Either<OrderNotFound | Unavailable, HistoryPage> = await history(
        orderRef,
        from,
        PAGE,
      )()
      if (E.isLeft(page)) return page
      const fresh: HistoryPage['lines'] = page.right.lines.filter(({ seq }) => seq > after)
      from = fresh.length < page.right.lines.length ? null : page.right.next
      lines = [...lines, ...fresh].slice(-oldest)
      if (from === null || lines.length >= max)
        return E.right({ lines: lines.toReversed().map(historyLine), isCut: from !== null })
    }
  }
