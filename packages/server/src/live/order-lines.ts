// Reads the newest lines of an order's history for pages and streams that show its way. An order may have tens of thousands of
// lines, so only so many are read.
import {
  type FullStore,
  type HistoryLine,
  type HistoryPage,
  historyLine,
  type OrderNotFound,
  type Unavailable,
} from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'

const PAGE = 200

const LINES_MAX = 1_000

type NewestLines = { readonly lines: readonly HistoryLine[]; readonly isCut: boolean }

/** The lines after the one with number `after`, oldest first; the newest `LINES_MAX` of them. `isCut`: there are more. */
export const newestLines =
  (store: Pick<FullStore, 'history'>) =>
  (orderRef: string, after: number): TE.TaskEither<OrderNotFound | Unavailable, NewestLines> =>
  async () => {
    const lines: HistoryLine[] = []
    let from: number | null = null
    do {
      const page: E.Either<OrderNotFound | Unavailable, HistoryPage> = await store.history(orderRef, from, PAGE)()
      if (E.isLeft(page)) return page
      const fresh: HistoryPage['lines'] = page.right.lines.filter(({ seq }) => seq > after)
      lines.push(...fresh.map(historyLine))
      from = fresh.length < page.right.lines.length ? null : page.right.next
    } while (from !== null && lines.length < LINES_MAX)
    return E.right({ lines: lines.toReversed(), isCut: from !== null })
  }
