// Every list of orders is asked for by one query: on the console, by merchants, and for an export. So
// the address of a list is all that is needed to see it again, or to go on.
import { OrderView, orderView, PAGE_LIMIT_MAX, PageLimit, textOf } from '@plazo/core/internal'
import * as t from 'io-ts'
import { decode } from '../../http/request.ts'
import { answer, json, type Route, route, value } from '../../http/route.ts'
import type { Services } from '../../http/services.ts'
import { confirmedOrder } from '../docs/openapi/examples.ts'
import { answerPage, codecOf, parametersOf, textsIn } from '../list-query.ts'
import { FILTERS, readFilters } from './order-filters.ts'

const PAGING = {
  from: [
    'Where a page begins; only from the link to the next page.',
    textOf('a number', /^[0-9]{1,15}$/u),
  ],
  limit: [`At most this many, and at most ${PAGE_LIMIT_MAX}.`, PageLimit],
} as const

const QUERY = { ...FILTERS, ...PAGING }

const PAGE_DEFAULT = 50

const Paging = codecOf(PAGING)

/** Merchants list their orders. Contract §3. */
export const merchantOrdersRoute = ({ host: { store }, byMerchant, setting }: Services): Route =>
  route('GET /merchants/:ref/orders', 'listOrders', 'List a merchant’s orders', {
    access: byMerchant,
    description: `The newest ${PAGE_DEFAULT}, newest first. The header Link leads to older ones. A page looks at up to 10,000 orders.`,
    parameters: parametersOf(QUERY),
    ok: answer(
      'The orders, the most recently placed first. A page may have fewer than there are, or none, although Link leads to older ones.',
      json(t.readonlyArray(OrderView), { 'one order': [confirmedOrder] }),
      { Link: 'If there may be older ones: their address, with rel="next".' },
    ),
    problems: { 400: 'A filter, from or limit is invalid, or a parameter is unknown.' },
    handle: async ({ ref }, _, c) => {
      const texts = textsIn(c, QUERY)
      const { limit = PAGE_DEFAULT, from } = decode(Paging, texts)
      const { orders, next } = await value(
        store.orders.search(
          { ...readFilters(texts), merchantRef: ref },
          from === undefined ? null : Number(from),
          Math.min(Number(limit), PAGE_LIMIT_MAX),
        ),
      )
      const url = `${setting.baseUrl}/merchants/${encodeURIComponent(ref)}/orders`
      const nextFrom = next === null ? null : { from: String(next) }
      return answerPage(c, url, orders.map(orderView), nextFrom)
    },
  })
