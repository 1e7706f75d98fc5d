// The list of all orders: one search and filters, all in the address, so that a list can be sent to a
// colleague. It shows no shopper's data. A search for nothing else that finds one order leads to it.
import { setImmediate as endOfTurn } from 'node:timers/promises'
import {
  findOrders,
  type Order,
  type OrderFilter,
  type OrderPage,
  STATES_ON_WIRE,
} from '@plazo/core/internal'
import * as E from 'fp-ts/lib/Either.js'
import { type Context, Hono } from 'hono'
import { html } from 'hono/html'
import { orderCsv } from '../api/orders/order-export.ts'
import { readFilters } from '../api/orders/order-filters.ts'
import type { Markup } from '../http/page/page.ts'
import { orderStateWords, stateWords } from '../http/page/script/words.ts'
import { value } from '../http/route.ts'
import { breakOff } from '../http/stream.ts'
import { type ConsoleParts, card, countWords, orderOnPage, timeMarkup } from './frame.ts'

const PAGE_SIZE = 50

/** The texts of the query that say something, by name. */
type Texts = Readonly<Record<string, string>>

/** `state` is `checkout=…` or `cancellation=…`, because a page offers both as one choice. */
const textsIn = (c: Context): Texts => {
  const { state = '', ...others } = c.req.query()
  const all = { ...others, ...Object.fromEntries(new URLSearchParams(state)) }
  return Object.fromEntries(Object.entries(all).filter(([, text]) => text.trim() !== ''))
}

const queryOf = (texts: Texts): string => String(new URLSearchParams(texts))

const orderRow = (order: Order): Markup => {
  const { order_ref, order_ref_1, order_ref_2, ...view } = orderOnPage(order)
  return html`<tr data-row>
<th scope="row"><a href="orders/${order_ref}"><bdi>${order_ref_1 || order_ref.slice(0, 8)}</bdi></a> <bdi class="quiet">${order_ref_2}</bdi></th>
<td>${view.merchant}</td>
<td><span class="pill">${orderStateWords(view.state)}</span></td>
<td class="number">${view.amount.string}</td>
<td>${timeMarkup(view.created_at)}</td>
</tr>`
}

const table = (orders: readonly Order[]): Markup => html`<div class="scroll"><table class="stacked">
<thead><tr><th scope="col">Order</th><th scope="col">Merchant</th><th scope="col">State</th><th scope="col" class="number">Amount</th><th scope="col">Placed</th></tr></thead>
<tbody>${orders.map(orderRow)}</tbody>
</table></div>`

const input = (name: string, label: string, text = '', type = 'text'): Markup =>
  html`<div class="field"><label for="${name}">${label}</label><input id="${name}" name="${name}" type="${type}" value="${text}"></div>`

type Options = readonly (readonly [value: string, words: string])[]

const choice = (name: string, label: string, chosen = '', options: Options): Markup =>
  html`<div class="field"><label for="${name}">${label}</label>
<select id="${name}" name="${name}"><option value="">any</option>
${options.map(([each, words]) => html`<option value="${each}"${each === chosen && html` selected`}>${words}</option>`)}</select></div>`

const STATES: Options = (['checkout', 'cancellation'] as const).flatMap((region) =>
  STATES_ON_WIRE[region]
    .filter((name) => name !== 'none')
    .map((name): [string, string] => [`${region}=${name}`, stateWords(region, name)]),
)

const RISKS: Options = STATES_ON_WIRE.risk.map((name) => [name, stateWords('risk', name)])

const filters = (texts: Texts): Markup => {
  const { search, risk, merchant, since, until, failing } = texts
  const state = STATES.find(([each]) => queryOf(texts).split('&').includes(each))?.[0]
  return html`<section class="card"><form>
<input type="hidden" name="search" value="${search}">
<div class="columns">
${choice('state', 'State', state, STATES)}
${choice('risk', 'Risk', risk, RISKS)}
${input('merchant', 'Merchant', merchant)}
${input('since', 'Placed since (UTC)', since?.slice(0, 10), 'date')}
${input('until', 'Placed before (UTC)', until?.slice(0, 10), 'date')}
<label class="choice"><input type="checkbox" name="failing" value="true"${failing && html` checked`}> Failing deliveries</label>
</div>
<div class="actions"><button>Show</button></div>
</form></section>`
}

const NO_ORDER = html`<p role="status">No order found. A search finds either reference or the uuid by its beginning, and a merchant by its ref.</p>`

const olderLink = (texts: Texts, { next, lookedBackTo }: OrderPage): Markup | false =>
  next !== null &&
  html`<p>${lookedBackTo !== null && html`Looked back to ${timeMarkup(lookedBackTo)}. `}<a href="orders?${queryOf({ ...texts, from: String(next) })}" rel="next">Older orders</a></p>`

export const ordersPages = ({ host, show }: ConsoleParts) => {
  const { orders } = host.store

  const count = (filter: OrderFilter, from: number | null, page: OrderPage) =>
    // A first page that is not full has looked at as many orders as a count would.
    from !== null || (page.next !== null && page.lookedBackTo === null)
      ? value(orders.count(filter))
      : { count: page.orders.length, isExact: page.next === null }

  async function* csv(c: Context, filter: OrderFilter): AsyncGenerator<Uint8Array> {
    for await (const part of orderCsv(orders, filter)) {
      await endOfTurn()
      if (E.isLeft(part)) return breakOff(c)
      yield Buffer.from(part.right)
    }
  }

  return new Hono()
    .get('/orders', async (c) => {
      const { from: begin = '', ...texts } = textsIn(c)
      const filter = readFilters(texts)
      const from = /^\d{1,15}$/.test(begin) ? Number(begin) : null
      const isSearchOnly = Object.keys(textsIn(c)).join() === 'search'
      const sought = (isSearchOnly && filter.text?.value) || ''
      const [only, ...others] = (await value(findOrders(host.store, 2)(sought))).orders
      if (only !== undefined && others.length === 0)
        return c.redirect(`orders/${only.placed.orderRef}`, 303)
      const page = await value(orders.search(filter, from, PAGE_SIZE))
      const body = html`
<header><h1>Orders</h1> <span class="quiet">${countWords(await count(filter, from, page))}</span>
<span class="actions"><a class="button other" href="orders.csv?${queryOf(texts)}" download>Export CSV</a></span></header>
${filters(texts)}
${card('Newest first', html`${page.orders.length === 0 ? NO_ORDER : table(page.orders)}${olderLink(texts, page)}`)}`
      return show(c, { title: 'Orders', body })
    })
    .get('/orders.csv', async (c) => {
      const filter = readFilters(textsIn(c))
      return c.body(ReadableStream.from(csv(c, filter)), 200, {
        'content-type': 'text/csv; charset=utf-8',
        'content-disposition': 'attachment; filename="orders.csv"',
      })
    })
}
