// A merchant's orders, page by page, so that a shop can compare its own list with plazo's. Contract
// §3.
import { ANY_ORDER, orderView } from '@plazo/core'
import type { FullStore } from '@plazo/core/ports'
import { OrderView } from '@plazo/core/protocol'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import * as t from 'io-ts'
import { confirmedOrder } from '../docs/openapi/examples.ts'
import { invalidValue } from '../http/request.ts'
import { answer, json, query, type Route, route } from '../http/route.ts'
import type { Services } from '../http/services.ts'

/** The orders on a page: each is decrypted. */
const ORDERS_LISTED = 100

export const listOrdersRoute = (
  store: Pick<FullStore, 'orders'>,
  access: Services['byMerchant'],
  baseUrl: string,
): Route =>
  route('GET /merchants/:ref/orders', 'listOrders', 'List a merchant’s orders', {
    access,
    description: `The newest first, at most ${ORDERS_LISTED}. The header Link leads to older ones.`,
    parameters: {
      reference: query('The beginning of either reference or of the uuid, in any case.'),
      from: query('Where a page begins, as in Link.'),
    },
    ok: answer('The orders.', json(t.readonlyArray(OrderView), { one: [confirmedOrder] }), {
      Link: 'If there are older ones: their address, with rel="next".',
    }),
    problems: { 400: 'Invalid from.' },
    handle: ({ ref }, _, c) => {
      const { reference = '', from = '' } = c.req.query()
      if (from !== '' && !/^\d{1,15}$/.test(from))
        return TE.left(invalidValue('from', from, 'a number from Link'))
      const text = reference === '' ? null : { value: reference, isWhole: false }
      const filter = { ...ANY_ORDER, merchantRef: ref, text }
      return pipe(
        store.orders.search(filter, from === '' ? null : Number(from), ORDERS_LISTED),
        TE.map(({ orders, next }) => {
          if (next !== null) {
            const sought = new URLSearchParams({
              ...(reference !== '' && { reference }),
              from: String(next),
            })
            const url = `${baseUrl}/merchants/${encodeURIComponent(ref)}/orders`
            c.header('link', `<${url}?${sought}>; rel="next"`)
          }
          return orders.map(orderView)
        }),
      )
    },
  })
