// Each kind of list, filter, search and page that an operator or a merchant can ask the server for, as
// requests to the data of `many-orders.ts`.
import { manyOrder, SHOPS } from '../../harness/many-orders.ts'
import { basic, DEMO } from '../../harness/shop.ts'

/** `path`: of the nth request. Requests for different orders find no cache that is warm. */
export type MeasuredPage = { readonly name: string; readonly path: (n: number) => string }

const DAY = 86_400_000

// Spreads requests over the orders. Prime, so that they are all different.
const STRIDE = 7_919

const [failingShop = ''] = SHOPS
const shop = SHOPS.at(-1) ?? ''

export const headersOf = (path: string): Readonly<Record<string, string>> =>
  path.startsWith('/console')
    ? { accept: 'text/html', authorization: basic('operator', 'operator') }
    : { authorization: basic(DEMO.username, DEMO.password) }

/** `now`: when the last orders were placed. */
export const consolePages = (count: number, now: number): readonly MeasuredPage[] => {
  const orderAt = (n: number) => manyOrder((n * STRIDE) % count, count, now)
  const failing = Array.from({ length: Math.min(count, 20_000) }, (_, n) => n)
    .filter((n) => manyOrder(n, count, now).effects.length > 0)
    .map((n) => manyOrder(n, count, now).order.placed.orderRef)
  const instant = (daysAgo: number): string => new Date(now - daysAgo * DAY).toISOString()

  const filters = {
    merchant: { merchant: shop },
    confirmed: { checkout: 'confirmed' },
    placed: { since: instant(30), until: instant(29) },
    changed: { changed_since: instant(30) },
    failing: { failing: 'true' },
    'common beginning': { search: 'R-' },
  }
  const lists = Object.entries(filters)
  const list = (name: string, query: Readonly<Record<string, string>>): MeasuredPage => ({
    name: `orders: ${name}`,
    path: () => `/console/orders?${new URLSearchParams(query)}`,
  })
  const search = (name: string, text: (n: number) => string): MeasuredPage => ({
    name: `search: ${name}`,
    path: (n) => `/console/orders?${new URLSearchParams({ search: text(n) })}`,
  })

  return [
    { name: 'home', path: () => '/console' },
    { name: 'decisions', path: () => '/console/decisions' },
    {
      name: 'decisions: held of a merchant',
      path: () => `/console/decisions?kind=review&merchant=${shop}`,
    },
    { name: 'orders', path: () => '/console/orders' },
    { name: 'orders: a later page', path: (n) => `/console/orders?from=${(n * STRIDE) % count}` },
    ...lists.map(([name, query]) => list(name, query)),
    search('a reference', (n) => orderAt(n).order.context.references.first),
    search('the beginning of a reference', (n) =>
      orderAt(n).order.context.references.first.slice(0, -1).toLowerCase(),
    ),
    search('four digits of a uuid', (n) => orderAt(n).order.placed.orderRef.slice(0, 4)),
    search('nothing', (n) => `nothing-${n}`),
    { name: 'order', path: (n) => `/console/orders/${orderAt(n).order.placed.orderRef}` },
    {
      name: 'order: failing',
      path: (n) => `/console/orders/${failing[n % failing.length]}`,
    },
    { name: 'endpoints', path: () => '/console/endpoints' },
    { name: 'endpoint: failing', path: () => `/console/endpoints/${failingShop}/ipn` },
    {
      name: 'endpoint: preview of a recovery',
      path: () => `/console/endpoints/${failingShop}/ipn?recover=${instant(30).slice(0, 16)}`,
    },
    { name: 'merchants', path: () => '/console/merchants' },
    { name: 'a merchant’s orders', path: () => `/merchants/${shop}/orders?search=R-000012` },
  ]
}
