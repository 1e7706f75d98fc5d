// The console's list of orders and its export. A search for nothing else that finds one order leads
// to it. Contract §9.
import type { Order, OrderFilter } from '@plazo/core'
import type { OrderPage } from '@plazo/core/ports'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Context } from 'hono'
import { wantsPage } from '../http/answers.ts'
import { yieldToEventLoop } from '../http/event-loop.ts'
import type { KnownError } from '../http/problem.ts'
import { answer, HTML, type Route, route, text } from '../http/route.ts'
import { breakOff } from '../http/stream.ts'
import { orderCsv } from '../orders/order-export.ts'
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
import type { ConsoleServices } from './frame.ts'
import { FILTERS_FORM, ordersPage } from './orders-page.ts'

export const consoleOrdersRoutes = ({
  host: { store },
  byOperator,
  showConsole,
  setting,
}: ConsoleServices): readonly Route[] => {
  const { orders } = store

  const readQuery = (c: Context): TE.TaskEither<KnownError, OrderQuery> =>
    TE.fromEither(readOrderQuery(c))

  const redirectToOrder = (c: Context, { placed }: Order): Response =>
    c.redirect(`orders/${placed.orderRef}`, 303)

  const showList = (
    c: Context,
    { filter, from }: OrderQuery,
    page: OrderPage,
  ): TE.TaskEither<KnownError, Response> =>
    pipe(
      TE.Do,
      TE.bind('count', () =>
        // A first page that is not full has looked at as many orders as a count would.
        from !== null || (page.next !== null && page.lookedBackTo === null)
          ? orders.count(filter)
          : TE.right({ count: page.orders.length, isExact: page.next === null }),
      ),
      TE.chainTaskK((found) => () => {
        const { from: _, ...texts } = givenIn(c)
        return showConsole(c, {
          title: 'Orders',
          area: 'orders',
          body: ordersPage({
            ...found,
            page,
            texts,
            query: queryFrom(c, null),
            nextQuery: page.next === null ? null : queryFrom(c, page.next),
          }),
          search: texts.search ?? '',
          searchForm: FILTERS_FORM,
        })
      }),
    )

  /** A search for nothing else leads to the only order that is the text, or begins with it. */
  const showOrders = (c: Context, query: OrderQuery): TE.TaskEither<KnownError, Response> => {
    const { filter, from, limit } = query
    const { text } = filter
    const isSearchOnly = text !== null && Object.keys(givenIn(c)).length === 1
    const readWhole: TE.TaskEither<KnownError, readonly Order[]> = isSearchOnly
      ? pipe(
          orders.search({ ...filter, text: { ...text, isWhole: true } }, null, 2),
          TE.map((page) => page.orders),
        )
      : TE.right([])
    return pipe(
      readWhole,
      TE.chain(([whole, other]) =>
        whole !== undefined && other === undefined
          ? TE.right(redirectToOrder(c, whole))
          : pipe(
              orders.search(filter, from, limit),
              TE.chain((page) => {
                const [only] = page.orders
                const isOnly = isSearchOnly && page.next === null && page.orders.length === 1
                return isOnly && only !== undefined
                  ? TE.right(redirectToOrder(c, only))
                  : showList(c, query, page)
              }),
            ),
      ),
    )
  }

  async function* exportText(c: Context, filter: OrderFilter): AsyncGenerator<Uint8Array> {
    for await (const part of orderCsv(orders, filter)) {
      await yieldToEventLoop()
      if (E.isLeft(part)) return breakOff(c)
      yield Buffer.from(part.right)
    }
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
            return showOrders(c, query)
          }),
        ),
    }),
    route('GET /console/orders.csv', 'export_csv', 'Export orders as CSV', {
      access: byOperator,
      errors: 'page',
      description: 'All orders that match the filters, newest first. It has any size.',
      parameters: EXPORT,
      ok: answer('A line for each order.', text('text/csv')),
      problems: { 400: 'A filter is invalid.' },
      handle: (_, __, c) =>
        pipe(
          readQuery(c),
          TE.map(({ filter }) =>
            c.body(ReadableStream.from(exportText(c, filter)), 200, {
              'content-type': 'text/csv; charset=utf-8',
              'content-disposition': 'attachment; filename="orders.csv"',
            }),
          ),
        ),
    }),
  ]
}
