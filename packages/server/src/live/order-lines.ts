// Reads lines of an order's history: the newest for pages that show its path, and the next ones for streams that must leave none
// out. An order may have tens of thousands of lines, so only so many are kept in memory.
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

export type NewestLines = { readonly lines: readonly HistoryLine[]; readonly isCut: boolean }

/** The lines after the one with number `after`, oldest first; the newest `LINES_MAX` of them. `isCut`: there are more. */
export const newestLines =
  (store: Pick<FullStore, 'history'>) =>
  (orderRef: string, after: number): TE.TaskEither<OrderNotFound | Unavailable, NewestLines> =>
  async () => {
    const lines: HistoryLine[] = []
    const pages = pagesBackTo(store, orderRef, after)
    for await (const page of pages) {
      if (E.isLeft(page)) return page
      lines.push(...page.right.lines.map(historyLine))
      if (page.right.hasOlder && lines.length >= LINES_MAX) return E.right({ lines: lines.toReversed(), isCut: true })
    }
    return E.right({ lines: lines.toReversed(), isCut: false })
  }

/** The lines that follow the one with number `after`, oldest first; at most `PAGE` of them. */
export const nextLines =
  (store: Pick<FullStore, 'history'>) =>
  (orderRef: string, after: number): TE.TaskEither<OrderNotFound | Unavailable, readonly HistoryLine[]> =>
  async () => {
    let oldest: HistoryPage['lines'] = []
    for await (const page of pagesBackTo(store, orderRef, after)) {
      if (E.isLeft(page)) return page
      oldest = [...oldest, ...page.right.lines].slice(-PAGE)
    }
    return E.right(oldest.toReversed().map(historyLine))
  }

type Page = { readonly lines: HistoryPage['lines']; readonly hasOlder: boolean }

/** The lines after the one with number `after`, newest first, because stores read in that order. */
async function* pagesBackTo(
  store: Pick<FullStore, 'history'>,
  orderRef: string,
  after: number,
): AsyncGenerator<E.Either<OrderNotFound | Unavailable, Page>> {
  let from: number | null = null
  do {
    const page: E.Either<OrderNotFound | Unavailable, HistoryPage> = await store.history(orderRef, from, PAGE)()
    if (E.isLeft(page)) return yield page
    const fresh: HistoryPage['lines'] = page.right.lines.filter(({ seq }) => seq > after)
    from = fresh.length < page.right.lines.length ? null : page.right.next
    yield E.right({ lines: fresh, hasOlder: from !== null })
  } while (from !== null)
}
