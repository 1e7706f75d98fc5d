// The list of all orders: one search and filters, all in the address, so that a list can be sent to a
// colleague. It shows no shopper's data. A search for nothing else that finds one order leads to it.
import { ANY_ORDER, type Order, type OrderFilter, STATES_ON_WIRE } from '@plazo/core'
import type { OrderPage } from '@plazo/core/ports'
import type { StateOnWire } from '@plazo/core/protocol'
import * as E from 'fp-ts/lib/Either.js'
import { type Context, Hono } from 'hono'
import { html } from 'hono/html'
import { value } from '../http/answers.ts'
import { yieldToEventLoop } from '../http/event-loop.ts'
import type { Markup } from '../http/page/page.ts'
import { orderStateWords, stateWords } from '../http/page/script/words.ts'
import { breakOff } from '../http/stream.ts'
import { orderCsv } from '../orders/order-export.ts'
import { readFilters } from '../orders/order-filters.ts'
import { card, orderOnPage, timeMarkup } from './frame.ts'
import type { ConsoleParts } from './handler.ts'
import { countWords } from './words.ts'

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

const TONES: Readonly<Partial<Record<StateOnWire['checkout'], string>>> = {
  confirmed: 'good',
  reviewing: 'wait',
  rejected: 'wrong',
  cancelled: 'wrong',
  conflicted: 'wrong',
  failed: 'wrong',
}

const orderRow = (order: Order): Markup => {
  const { order_ref, order_ref_1, order_ref_2, ...view } = orderOnPage(order)
  return html`<tr data-row>
<th scope="row"><a href="orders/${order_ref}"><bdi>${order_ref_1 || order_ref.slice(0, 8)}</bdi></a>
${order_ref_2 && html`<bdi class="quiet">${order_ref_2}</bdi>`}</th>
<td>${view.merchant}</td>
<td><span class="pill ${TONES[view.state.checkout]}">${orderStateWords(view.state)}</span></td>
<td class="number">${view.amount.string} <span class="quiet">${view.product}</span></td>
<td>${timeMarkup(view.created_at)}</td>
<td>${timeMarkup(view.updated_at)}</td>
</tr>`
}

const table = (orders: readonly Order[]): Markup => html`<div class="scroll"><table class="stacked">
<thead><tr><th scope="col">Order</th><th scope="col">Merchant</th><th scope="col">State</th><th scope="col" class="number">Amount</th><th scope="col">Placed</th><th scope="col">Last change</th></tr></thead>
<tbody>${orders.map(orderRow)}</tbody>
</table></div>`

const field = (name: string, label: string, control: Markup): Markup =>
  html`<div class="field"><label for="${name}">${label}</label>${control}</div>`

const input = (name: string, label: string, text = '', type = 'text'): Markup =>
  field(name, label, html`<input id="${name}" name="${name}" type="${type}" value="${text}">`)

type Options = readonly (readonly [value: string, words: string])[]

const choice = (name: string, label: string, chosen = '', options: Options): Markup =>
  field(
    name,
    label,
    html`<select id="${name}" name="${name}"><option value="">any</option>
${options.map(([each, words]) => html`<option value="${each}"${each === chosen && html` selected`}>${words}</option>`)}</select>`,
  )

const STATES: Options = (['checkout', 'cancellation'] as const).flatMap((region) =>
  STATES_ON_WIRE[region]
    .filter((name) => name !== 'none')
    .map((name): [string, string] => [`${region}=${name}`, stateWords(region, name)]),
)

const RISKS: Options = STATES_ON_WIRE.risk.map((name) => [name, stateWords('risk', name)])

/** The search of the bar belongs to this form, so that there is one. */
const FILTERS_FORM = 'filters'

const filters = (texts: Texts): Markup => {
  const [region] = ['checkout', 'cancellation'].filter((name) => texts[name] !== undefined)
  const state = region === undefined ? '' : `${region}=${texts[region]}`
  return html`<form id="${FILTERS_FORM}" class="inside">
<div class="filters">
${choice('state', 'State', state, STATES)}
${choice('risk', 'Risk', texts.risk, RISKS)}
${input('merchant', 'Merchant', texts.merchant)}
${input('since', 'Placed since (UTC)', texts.since?.slice(0, 10), 'date')}
${input('until', 'Placed before (UTC)', texts.until?.slice(0, 10), 'date')}
<label class="choice"><input type="checkbox" name="failing" value="true"${texts.failing && html` checked`}> Failing deliveries</label>
</div>
<div class="actions"><button>Show</button>
${Object.keys(texts).length > 0 && html`<a href="orders">All orders</a>`}</div>
</form>`
}

const noOrder = (search = ''): Markup =>
  html`<div class="inside" role="status"><p><strong>No order found</strong> <bdi>${search}</bdi></p>
<p class="quiet">A search finds either reference or the uuid by its beginning, and a merchant by its ref.</p></div>`

const olderLink = (texts: Texts, { next, lookedBackTo }: OrderPage): Markup | false =>
  next !== null &&
  html`<p class="inside">${lookedBackTo !== null && html`Looked back to ${timeMarkup(new Date(lookedBackTo).toISOString())}. `}<a href="orders?${queryOf({ ...texts, from: String(next) })}" rel="next">${lookedBackTo === null ? 'Older orders' : 'Go on looking'}</a></p>`

export const ordersPages = ({ host, show }: ConsoleParts) => {
  const { orders } = host.store

  /** The only order that is the text of the search, or else begins with it. */
  const findOnly = async (filter: OrderFilter, page: OrderPage): Promise<Order | undefined> => {
    const { text } = filter
    if (text === null) return undefined
    const whole = { ...ANY_ORDER, text: { ...text, isWhole: true } }
    const exact = await value(orders.search(whole, null, 2))
    if (exact.orders.length === 1) return exact.orders[0]
    return page.next === null && page.orders.length === 1 ? page.orders[0] : undefined
  }

  const count = (filter: OrderFilter, from: number | null, page: OrderPage) =>
    // A first page that is not full has looked at as many orders as a count would.
    from !== null || (page.next !== null && page.lookedBackTo === null)
      ? value(orders.count(filter))
      : { count: page.orders.length, isExact: page.next === null }

  async function* csv(c: Context, filter: OrderFilter): AsyncGenerator<Uint8Array> {
    for await (const part of orderCsv(orders, filter)) {
      await yieldToEventLoop()
      if (E.isLeft(part)) return breakOff(c)
      yield Buffer.from(part.right)
    }
  }

  return new Hono()
    .get('/orders', async (c) => {
      const { from: begin = '', ...texts } = textsIn(c)
      const filter = await value(async () => readFilters(texts))
      const from = /^\d{1,15}$/.test(begin) ? Number(begin) : null
      const page = await value(orders.search(filter, from, PAGE_SIZE))
      const only =
        queryOf(textsIn(c)) === queryOf({ search: texts.search ?? '' })
          ? await findOnly(filter, page)
          : undefined
      if (only !== undefined) return c.redirect(`orders/${only.placed.orderRef}`, 303)
      const query = queryOf(texts)
      const body = html`
<div class="title"><h1>Orders</h1> <span class="quiet">${countWords(await count(filter, from, page))}</span>
<span class="actions"><a class="button other" href="orders.csv${query && `?${query}`}" download>Export CSV</a></span></div>
${card('Filters', filters(texts))}
${card('Newest first', html`${page.orders.length === 0 ? noOrder(texts.search) : table(page.orders)}${olderLink(texts, page)}`)}`
      const search = texts.search ?? ''
      return show(c, { title: 'Orders', area: 'orders', body, search, searchForm: FILTERS_FORM })
    })
    .get('/orders.csv', async (c) => {
      const filter = await value(async () => readFilters(textsIn(c)))
      return c.body(ReadableStream.from(csv(c, filter)), 200, {
        'content-type': 'text/csv; charset=utf-8',
        'content-disposition': 'attachment; filename="orders.csv"',
      })
    })
}
