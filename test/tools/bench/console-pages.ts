// Each kind of list, filter, search and page that an operator or a merchant can ask the server for, as
// requests to the data of `many-orders.ts`.
import { manyOrder, SHOPS } from '../../harness/many-orders.ts'
import { basic, DEMO } from '../../harness/shop.ts'

/** The path of the nth request. Requests for different orders find no cache that is warm. */
export type MeasuredPage = (n: number) => string

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

  const ordersWith = (query: Readonly<Record<string, string>>): string =>
    `/console/orders?${new URLSearchParams(query)}`
  const referenceAt = (n: number): string => orderAt(n).order.context.references.first
  const failingEndpoint = `/console/endpoints/${failingShop}/ipn`

  return [
    () => '/console',
    () => '/console/decisions',
    () => `/console/decisions?kind=review&merchant=${shop}`,
    () => '/console/orders',
    // A later page.
    (n) => ordersWith({ from: String((n * STRIDE) % count) }),
    () => ordersWith({ merchant: shop }),
    () => ordersWith({ checkout: 'confirmed' }),
    () => ordersWith({ since: instant(30), until: instant(29) }),
    () => ordersWith({ changed_since: instant(30) }),
    () => ordersWith({ failing: 'true' }),
    // A beginning that all references have, a reference, its beginning, a uuid's, and nothing.
    () => ordersWith({ search: 'R-' }),
    (n) => ordersWith({ search: referenceAt(n) }),
    (n) => ordersWith({ search: referenceAt(n).slice(0, -1).toLowerCase() }),
    (n) => ordersWith({ search: orderAt(n).order.placed.orderRef.slice(0, 4) }),
    (n) => ordersWith({ search: `nothing-${n}` }),
    (n) => `/console/orders/${orderAt(n).order.placed.orderRef}`,
    (n) => `/console/orders/${failing[n % failing.length]}`,
    () => '/console/endpoints',
    () => failingEndpoint,
    // The preview of a recovery.
    () => `${failingEndpoint}?recover=${instant(30).slice(0, 16)}`,
    () => '/console/merchants',
    () => `/merchants/${shop}/orders?search=R-000012`,
  ]
}
