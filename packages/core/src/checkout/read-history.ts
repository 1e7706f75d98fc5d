// An order's history a page at a time, oldest line first. Each page is of bounded size, however long the history is: an order
// may have tens of thousands of lines, and neither a server's memory nor its event loop may be taken by one of them.
import * as E from 'fp-ts/lib/Either.js'
import type * as T from 'fp-ts/lib/Task.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { OrderUnknown, ShownLine, Store } from '../ports/store.ts'
import type { Unavailable } from '../ports/unavailable.ts'

export const HISTORY_LINES = 200

/** Pages from the oldest line on; `read` reads one of them, when it is needed. */
export type OrderHistory = {
  readonly pages: number
  readonly read: (page: number) => TE.TaskEither<OrderUnknown | Unavailable, readonly ShownLine[]>
}

/**
 * Looks where the pages of a history begin, from its end back, since that is how stores keep it. Of a history of several pages
 * only the newest is kept; the others are read again, from the oldest on, as they are asked for.
 *
 * @param pause runs between two pages, so that a host can serve others meanwhile
 */
export const readHistory =
  (store: Pick<Store, 'history'>, pause: T.Task<void>) =>
  (orderRef: string): TE.TaskEither<OrderUnknown | Unavailable, OrderHistory> =>
  async () => {
    const newest = await store.history(orderRef, null, HISTORY_LINES)()
    if (E.isLeft(newest)) return newest
    const begins: (number | null)[] = [null]
    for (let { next } = newest.right; next !== null; ) {
      begins.push(next)
      await pause()
      const page = await store.history(orderRef, next, HISTORY_LINES)()
      if (E.isLeft(page)) return page
      next = page.right.next
    }
    return E.right({
      pages: begins.length,
      read: (page) => async () => {
        if (page === begins.length - 1) return E.right(newest.right.lines.toReversed())
        const read = await store.history(orderRef, begins[begins.length - 1 - page] ?? null, HISTORY_LINES)()
        return E.isLeft(read) ? read : E.right(read.right.lines.toReversed())
      },
    })
  }
