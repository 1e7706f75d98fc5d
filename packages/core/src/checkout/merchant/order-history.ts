// Reads an order's history page by page, oldest line first. An order may have tens of thousands of
// lines. Pages of bounded size keep such an order from filling the server's memory or blocking its
// event loop.
import * as E from 'fp-ts/lib/Either.js'
import type * as T from 'fp-ts/lib/Task.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import { detailForMerchants } from '../../order/journal-detail.ts'
import { ORDER_MODEL, type OrderModel } from '../../order/model.ts'
import { type Order, productCodeOf } from '../../order/order.ts'
import { stateOnWire } from '../../order/order-facts.ts'
import { isReduced, presentTotal, refundedTotal } from '../../order/reduction.ts'
import type { FullStore, HistoryPage, PublicJournalLine } from '../../ports/store.ts'
import type { OrderNotFound, Unavailable } from '../../ports/store-errors.ts'
import { money } from '../../protocol/language.ts'
import type { HistoryLine, OrderView } from '../../protocol/order-view.ts'
import { instantText } from '../../protocol/scalars.ts'

export const HISTORY_LINES = 200

/** The pages of a history; page 0 has the oldest lines. `read` reads one page when it is needed. */
export type OrderHistory = {
  readonly pages: number
  readonly read: (
    page: number,
  ) => TE.TaskEither<OrderNotFound | Unavailable, readonly PublicJournalLine[]>
}

/**
 * Finds where the pages of a history begin. It starts at the newest line, because stores read in
 * that order. Only the newest page stays in memory; the others are read again when they are
 * requested.
 *
 * @param pause runs between two pages, so that a host can serve other requests meanwhile
 *
 * @example
 * ```ts
 * const history = await readHistory(host.store, async () => {})(orderRef)()
 * if (history._tag === 'Right') console.log(await history.right.read(0)()) // the oldest lines
 * ```
 */
export const readHistory =
  (store: Pick<FullStore, 'history'>, pause: T.Task<void>) =>
  (orderRef: string): TE.TaskEither<OrderNotFound | Unavailable, OrderHistory> =>
  async () => {
    const readPage = (from: number | null) => store.history(orderRef, from, HISTORY_LINES)()
    const oldestFirst = ({ lines }: HistoryPage) => lines.toReversed()
    const newest = await readPage(null)
    if (E.isLeft(newest)) return newest
    const pageStarts: (number | null)[] = [null]
    for (let { next } = newest.right; next !== null; ) {
      pageStarts.unshift(next)
      await pause()
      const page = await readPage(next)
      if (E.isLeft(page)) return page
      next = page.right.next
    }
    return E.right({
      pages: pageStarts.length,
      read: (page) => async () => {
        const from = pageStarts[page] ?? null
        return E.map(oldestFirst)(from === null ? newest : await readPage(from))
      },
    })
  }

/**
 * Converts an order to the form that merchants and operators see, without the shopper's data.
 * Contract §3.
 *
 * @example
 * ```ts
 * const order = await host.store.read(orderRef)()
 * if (order._tag === 'Right') console.log(orderView(order.right).state.checkout) // confirmed
 * ```
 */
export const orderView = (order: Order): OrderView => orderViewIn(order.placed.language)(order)

/**
 * Like `orderView`, with the amounts' texts in a language. `model`: the one of the host's terms.
 *
 * @example
 * ```ts
 * const inEnglish = orderViewIn('en', terms.model)
 * console.log(inEnglish(order).amount.string) // €99.00
 * ```
 */
export const orderViewIn =
  (language: string | null, model = ORDER_MODEL) =>
  (order: Order): OrderView => {
    const { placed, context, state } = order
    const refunded = refundedTotal(context)
    const amount = (value: number) => money(value, placed.currency, language)
    return {
      order_ref: placed.orderRef,
      order_ref_1: context.references.first,
      order_ref_2: context.references.second,
      merchant: placed.merchant.ref,
      state: stateOnWire(state, model),
      late_by: context.lateByMinutes,
      product: productCodeOf(order),
      amount: amount(presentTotal(order)),
      ...(isReduced(order) && { reduced_from: amount(placed.total) }),
      ...(refunded > 0 && { refunded: amount(refunded) }),
      created_at: instantText(placed.placedAt),
      updated_at: instantText(context.updatedAt),
    }
  }

/**
 * Converts a line of a journal to the form of the Order API, which names no operator. `model`: the
 * one of the host's terms.
 *
 * @example
 * ```ts
 * const lines = await host.store.journal(orderRef)()
 * if (lines._tag === 'Right') console.log(lines.right.map(historyLineIn(model)))
 * ```
 */
export const historyLineIn =
  (model: OrderModel) =>
  ({ seq, at, event, from, to, detail }: PublicJournalLine): HistoryLine => ({
    seq,
    at: instantText(at),
    event,
    from: stateOnWire(from, model),
    to: stateOnWire(to, model),
    detail: detailForMerchants(detail),
  })

/**
 * A line of an order's history in the form of the Order API, with the state names of `ORDER_MODEL`.
 * `historyLineIn` uses those of another model. An operator's name is only in the line's own
 * `detail`. Contract §3.
 *
 * @example
 * ```ts
 * const lines = await host.store.journal(orderRef)()
 * if (lines._tag === 'Right') console.log(lines.right.map(historyLine))
 * ```
 */
export const historyLine = historyLineIn(ORDER_MODEL)
