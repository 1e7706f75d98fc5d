// The console's list of orders and its exports. A search for nothing else that finds one order leads
// to it. Contract §9.
import { findOrders, type OrderFilter } from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Context } from 'hono'
import { wantsPage } from '../http/answers.ts'
import { breakOff } from '../http/chunked-json.ts'
import { yieldToEventLoop } from '../http/event-loop.ts'
import type { KnownError } from '../http/problem.ts'
import { answer, HTML, type Route, route, text } from '../http/route.ts'
import type { Services } from '../http/services.ts'
import { EXPORT_FORMATS, orderPages } from '../orders/order-export.ts'
import {
  answerOrders,
  CONSOLE_LIST,
  EXPORT,
  givenIn,
  ORDERS,
  type OrderQuery,
  queryFrom,
  readOrderQuery,
} from '../orders/order-list.ts'
import { FILTERS_FORM, ordersPage } from './orders-page.ts'

export const consoleOrdersRoutes = ({
  host: { store },
  merchants,
  byOperator,
  showConsole,
  setting,
}: Services): readonly Route[] => {
  const { orders } = store

  /** Amounts are read in the currency of the merchant, if the query names one. */
  const readQuery = (c: Context): TE.TaskEither<KnownError, OrderQuery> => {
    const { merchant } = givenIn(c)
    return pipe(
      merchant === undefined ? TE.right(null) : merchants.find(merchant),
      TE.chainEitherKW((found) => readOrderQuery(c, found?.currency ?? null)),
    )
  }

  /** The only order that a search finds. Null if there are filters, or several orders. */
  const onlyHit = (c: Context): TE.TaskEither<KnownError, string | null> => {
    const { search, ...filters } = givenIn(c)
    if (search === undefined || Object.keys(filters).length > 0) return TE.right(null)
    return pipe(
      findOrders(store, 2)(search.trim()),
      TE.map(({ orders: [first, second] }) =>
        first === undefined || second !== undefined ? null : first.placed.orderRef,
      ),
    )
  }

  const showOrders = (
    c: Context,
    { filter, from, limit }: OrderQuery,
  ): TE.TaskEither<KnownError, Response> =>
    pipe(
      TE.Do,
      TE.bind('page', () => orders.search(filter, from, limit)),
      TE.bind('count', ({ page }) =>
        // A first page that is not full has looked at as many orders as a count would.
        from !== null || (page.next !== null && page.lookedBackTo === null)
          ? orders.count(filter)
          : TE.right({ count: page.orders.length, isExact: page.next === null }),
      ),
      TE.bind('unindexed', () => orders.unindexedCount()),
      TE.chainTaskK((found) => () => {
        const { from: _, ...texts } = givenIn(c)
        const { next } = found.page
        return showConsole(c, {
          title: 'Orders',
          area: 'orders',
          body: ordersPage({
            ...found,
            texts,
            query: queryFrom(c, null),
            nextQuery: next === null ? null : queryFrom(c, next),
          }),
          search: texts.search ?? '',
          searchForm: FILTERS_FORM,
        })
      }),
    )

  async function* exportText(
    c: Context,
    filter: OrderFilter,
    format: keyof typeof EXPORT_FORMATS,
  ): AsyncGenerator<Uint8Array> {
    const { head, line } = EXPORT_FORMATS[format]
    yield Buffer.from(head)
    for await (const page of orderPages(orders, filter)) {
      await yieldToEventLoop()
      if (E.isLeft(page)) return breakOff(c)
      yield Buffer.from(page.right.map(line).join(''))
    }
  }

  const exportRoute = (format: keyof typeof EXPORT_FORMATS): Route => {
    const { mediaType, name } = EXPORT_FORMATS[format]
    return route(`GET /console/orders.${format}`, `export_${format}`, `Export orders as ${name}`, {
      access: byOperator,
      errors: 'page',
      description: 'All orders that match the filters, newest first. It has any size.',
      parameters: EXPORT,
      ok: answer('A line for each order.', text(mediaType)),
      problems: { 400: 'A filter is invalid.' },
      handle: (_, __, c) =>
        pipe(
          readQuery(c),
          TE.map(({ filter }) =>
            c.body(ReadableStream.from(exportText(c, filter, format)), 200, {
              'content-type': `${mediaType}; charset=utf-8`,
              'content-disposition': `attachment; filename="orders.${format}"`,
            }),
          ),
        ),
    })
  }

  return [
    route('GET /console/orders', 'searchOrders', 'Search the orders of all merchants', {
      access: byOperator,
      errors: 'page',
      description:
        'A browser gets a page, other clients get JSON. A page looks at up to 10,000 orders.',
      parameters: CONSOLE_LIST,
      ok: { ...ORDERS, content: { ...ORDERS.content, ...HTML } },
      answers: {
        303: answer('For a browser whose search finds one order.', undefined, {
          Location: 'The order’s page.',
        }),
      },
      problems: { 400: 'A filter, from or limit is invalid.' },
      handle: (_, __, c) =>
        pipe(
          readQuery(c),
          TE.chain((query) => {
            if (!wantsPage(c))
              return pipe(
                orders.search(query.filter, query.from, query.limit),
                TE.map((page) => answerOrders(c, `${setting.baseUrl}/console/orders`, page)),
              )
            return pipe(
              onlyHit(c),
              TE.chain((orderRef) =>
                orderRef === null
                  ? showOrders(c, query)
                  : TE.right(c.redirect(`orders/${orderRef}`, 303)),
              ),
            )
          }),
        ),
    }),
    exportRoute('csv'),
    exportRoute('jsonl'),
  ]
}
