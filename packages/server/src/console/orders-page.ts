// The list of all orders: one search and filters, all in the address, so that a list can be sent to a
// colleague. It shows no shopper's data.
import { type Order, STATES_ON_WIRE } from '@plazo/core'
import type { OrderCount, OrderPage } from '@plazo/core/ports'
import type { StateOnWire } from '@plazo/core/protocol'
import { html } from 'hono/html'
import type { Markup } from '../http/page/page.ts'
import { stateWords } from '../http/page/script/words.ts'
import { card, orderOnPage, timeMarkup } from './frame.ts'
import { countWords } from './words.ts'

type Texts = Readonly<Record<string, string>>

type OrdersOnConsole = {
  readonly page: OrderPage
  readonly count: OrderCount
  /** The texts of the query, by name. */
  readonly texts: Texts
  /** The query without the page that it begins at. */
  readonly query: string
  /** The query of the next page; null after the last. */
  readonly nextQuery: string | null
}

const TONES: Readonly<Partial<Record<StateOnWire['checkout'], string>>> = {
  confirmed: 'good',
  reviewing: 'wait',
  expired: '',
  rejected: 'wrong',
  cancelled: 'wrong',
  conflicted: 'wrong',
  failed: 'wrong',
}

/** The states of an order as words. Risk and cancellation only if something happened there. */
const statePills = ({ checkout, risk, cancellation }: StateOnWire): Markup => html`
<span class="pill ${TONES[checkout] ?? 'busy'}">${stateWords('checkout', checkout)}</span>
${risk !== 'unassessed' && html`<span class="pill ${risk === 'high_risk' && 'wrong'}">${stateWords('risk', risk)}</span>`}
${cancellation !== 'none' && html`<span class="pill ${cancellation === 'unanswered' && 'wait'}">${stateWords('cancellation', cancellation)}</span>`}`

const orderRow = (order: Order): Markup => {
  const { order_ref, order_ref_1, order_ref_2, ...view } = orderOnPage(order)
  const { merchant, product, amount, state, created_at, updated_at } = view
  return html`<tr data-row>
<th scope="row"><a href="orders/${order_ref}"><bdi>${order_ref_1 || order_ref.slice(0, 8)}</bdi></a>
${order_ref_2 && html`<bdi class="quiet">${order_ref_2}</bdi>`}</th>
<td>${merchant}</td>
<td>${statePills(state)}</td>
<td class="number">${amount.string} <span class="quiet">${product}</span></td>
<td>${timeMarkup(created_at)}</td>
<td>${timeMarkup(updated_at)}</td>
</tr>`
}

const HEADS = ['Order', 'Merchant', 'State', 'Amount', 'Placed', 'Last change']

const table = (orders: readonly Order[]): Markup => html`<div class="scroll"><table class="stacked">
<thead><tr>${HEADS.map((head) => html`<th scope="col"${head === 'Amount' && html` class="number"`}>${head}</th>`)}</tr></thead>
<tbody>${orders.map(orderRow)}</tbody>
</table></div>`

const field = (name: string, label: string, control: Markup): Markup =>
  html`<div class="field"><label for="${name}">${label}</label>${control}</div>`

const input = (texts: Texts, name: string, label: string, type = 'text'): Markup =>
  field(
    name,
    label,
    html`<input id="${name}" name="${name}" type="${type}" value="${texts[name] ?? ''}" autocomplete="off" spellcheck="false">`,
  )

/** `options`: each value with its words. */
const choice = (
  texts: Texts,
  name: string,
  label: string,
  options: readonly (readonly [value: string, words: string])[],
): Markup =>
  field(
    name,
    label,
    html`<select id="${name}" name="${name}"><option value="">any</option>
${options.map(([value, words]) => html`<option value="${value}"${value === texts[name] && html` selected`}>${words}</option>`)}</select>`,
  )

const REGIONS = { checkout: 'State', risk: 'Risk', cancellation: 'Cancellation' } as const

const stateChoice = (texts: Texts, region: keyof typeof REGIONS): Markup =>
  choice(
    texts,
    region,
    REGIONS[region],
    STATES_ON_WIRE[region].map((name) => [name, stateWords(region, name)]),
  )

const MORE = {
  since: ['Placed since (UTC)', 'date'],
  until: ['Placed before (UTC)', 'date'],
  changed_since: ['Changed since (UTC)', 'date'],
} as const

/** The search of the bar belongs to this form, so that there is one. */
export const FILTERS_FORM = 'filters'

const isMore = (name: string): boolean => Object.hasOwn(MORE, name) || name === 'cancellation'

const filters = (texts: Texts): Markup => html`<form id="${FILTERS_FORM}" class="inside">
<div class="filters">
${stateChoice(texts, 'checkout')}
${stateChoice(texts, 'risk')}
${input(texts, 'merchant', 'Merchant')}
<label class="choice"><input type="checkbox" name="failing" value="true"${texts.failing && html` checked`}> Failing deliveries</label>
</div>
<details${Object.keys(texts).some(isMore) && html` open`}><summary>More filters</summary>
<div class="filters">
${stateChoice(texts, 'cancellation')}
${Object.entries(MORE).map(([name, [label, type]]) => input(texts, name, label, isDay(texts[name]) ? type : 'text'))}
</div></details>
<div class="actions"><button>Show</button>
${Object.keys(texts).length > 0 && html`<a href="orders">All orders</a>`}</div>
</form>`

// A field for days would lose an instant of the address.
const isDay = (text = ''): boolean => text === '' || /^\d{4}-\d{2}-\d{2}$/.test(text)

const end = ({ page, nextQuery }: OrdersOnConsole): Markup | false =>
  nextQuery !== null &&
  html`<p class="inside">${page.lookedBackTo !== null && html`Looked back to ${timeMarkup(new Date(page.lookedBackTo).toISOString())}. `}<a href="orders?${nextQuery}" rel="next">${page.lookedBackTo === null ? 'Older orders' : 'Go on looking'}</a></p>`

const noOrder = ({ texts, page, nextQuery }: OrdersOnConsole): Markup => {
  const { search } = texts
  const others = Object.keys(texts).some((name) => name !== 'search')
  return html`<div class="inside" role="status"><p><strong>${nextQuery === null ? 'No order found' : 'No order found so far'}${search && html`: <bdi>${search}</bdi>`}</strong></p>
${page.lookedBackTo === null && search && html`<p class="quiet">A search finds either reference or the uuid by its beginning, and a merchant by its ref.</p>`}
${others && search && html`<p><a href="orders?${new URLSearchParams({ search })}">Search all orders</a></p>`}</div>`
}

export const ordersPage = (found: OrdersOnConsole): Markup => {
  const { page, count, texts, query } = found
  const after = query === '' ? '' : `?${query}`
  return html`
<div class="title"><h1>Orders</h1> <span class="quiet">${countWords(count)}</span>
<span class="actions"><a href="orders.csv${after}" download>Export as CSV</a></span></div>
${card('Filters', filters(texts))}
${card(
  'Newest first',
  html`${page.orders.length === 0 ? noOrder(found) : table(page.orders)}${end(found)}`,
)}`
}
