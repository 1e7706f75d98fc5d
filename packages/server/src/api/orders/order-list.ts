// Every list of orders is asked for by one query: on the console, by merchants, and for an export. So
// the address of a list is all that is needed to see it again, or to go on.
import { type OrderFilter, orderView } from '@plazo/core'
import type { OrderPage } from '@plazo/core/ports'
import { OrderView, PAGE_LIMIT_MAX, PageLimit, textOf } from '@plazo/core/protocol'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as R from 'fp-ts/lib/ReadonlyRecord.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Context } from 'hono'
import * as t from 'io-ts'
import type { RequestError } from '../../http/problem.ts'
import { decode } from '../../http/request.ts'
import { answer, json, type Parameters, query, type Route, route } from '../../http/route.ts'
import type { Services } from '../../http/services.ts'
import { confirmedOrder } from '../docs/openapi/examples.ts'
import { codecOf, FILTERS, readFilters } from './order-filters.ts'

const PAGING = {
  from: [
    'Where a page begins; only from the link to the next page.',
    textOf('a number', '^[0-9]{1,15}$'),
  ],
  limit: [`At most this many, and at most ${PAGE_LIMIT_MAX}.`, PageLimit],
} as const

const parametersOf = (
  all: Readonly<Record<string, readonly [description: string, schema: t.Mixed]>>,
): Parameters =>
  R.map(([description, schema]: readonly [string, t.Mixed]) => query(description, { schema }))(all)

const MERCHANT_LIST = parametersOf({ ...FILTERS, ...PAGING })

const PAGE_DEFAULT = 50

const Paging = codecOf(PAGING)

type OrderQuery = {
  readonly filter: OrderFilter
  readonly from: number | null
  readonly limit: number
}

/** The members of a query that say something. Browsers send every field of a form. */
const givenIn = (c: Context): Readonly<Record<string, string>> =>
  R.filter((value: string) => value.trim() !== '')(c.req.query())

const readOrderQuery = (c: Context): E.Either<RequestError, OrderQuery> => {
  const texts = givenIn(c)
  return pipe(
    decode(Paging, texts),
    E.bindTo('paging'),
    E.bind('filter', () => readFilters(texts)),
    E.map(({ paging: { limit = PAGE_DEFAULT, from }, filter }) => ({
      filter,
      limit: Math.min(Number(limit), PAGE_LIMIT_MAX),
      from: from === undefined ? null : Number(from),
    })),
  )
}

/** The query of the same list, starting elsewhere; null: at its beginning. */
const queryFrom = (c: Context, from: number | null): string => {
  const { from: _, ...filters } = givenIn(c)
  return String(new URLSearchParams({ ...filters, ...(from !== null && { from: String(from) }) }))
}

/** The answer of a list in JSON. RFC 8288: a client follows the link as it is. */
const ORDERS = answer(
  'The orders, the most recently placed first. A page may have fewer than there are, or none, although Link leads to older ones.',
  json(t.readonlyArray(OrderView), { 'one order': [confirmedOrder] }),
  { Link: 'If there may be older ones: their address, with rel="next".' },
)

const answerOrders = (c: Context, url: string, { orders, next }: OrderPage): Response =>
  c.json(
    orders.map(orderView),
    200,
    next === null ? {} : { link: `<${url}?${queryFrom(c, next)}>; rel="next"` },
  )

/** Merchants list their orders. Contract §3. */
export const merchantOrdersRoute = ({
  host: { store },
  byMerchant,
  setting,
}: Pick<Services, 'host' | 'byMerchant' | 'setting'>): Route =>
  route('GET /merchants/:ref/orders', 'listOrders', 'List a merchant’s orders', {
    access: byMerchant,
    description: `The newest ${PAGE_DEFAULT}, newest first. The header Link leads to older ones. A page looks at up to 10,000 orders.`,
    parameters: MERCHANT_LIST,
    ok: ORDERS,
    problems: { 400: 'A filter, from or limit is invalid.' },
    handle: ({ ref }, _, c) =>
      pipe(
        TE.fromEither(readOrderQuery(c)),
        TE.chainW(({ filter, from, limit }) =>
          store.orders.search({ ...filter, merchantRef: ref }, from, limit),
        ),
        TE.map((page) =>
          answerOrders(c, `${setting.baseUrl}/merchants/${encodeURIComponent(ref)}/orders`, page),
        ),
      ),
  })
