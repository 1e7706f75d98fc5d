// The console's pages for endpoints: which shops fail, since when, what that costs, and what an
// operator can do.
import type { Endpoint } from '@plazo/core/ports'
import { html } from 'hono/html'
import type { Markup } from '../http/page/page.ts'
import {
  acceptedShare,
  acceptedText,
  type EndpointHealth,
  type JudgedEndpoint,
  judgeEndpoint,
} from './endpoint-health.ts'
import type { EndpointList, ListedEndpoint } from './endpoint-reader.ts'
import { card, timeMarkup } from './frame.ts'
import { durationWords } from './words.ts'

export const KIND_TITLES: Readonly<Record<Endpoint['kind'], string>> = {
  ipn: 'IPN',
  event: 'Events',
}

const instant = (at: number): Markup => timeMarkup(new Date(at).toISOString())

/** `endpoint`: undefined if it was never called. */
export const healthPill = (endpoint: JudgedEndpoint | undefined, now: number): Markup => {
  const { tone, words } = judgeEndpoint(endpoint, now)
  return html`<span class="pill ${tone}">${words}</span>`
}

const WIDTH = 98
const HEIGHT = 24

/** The share of accepted attempts on each of seven days, as a line. */
const sparkline = ({ days, failingSince }: EndpointHealth): Markup => {
  const shares = days.map(acceptedShare)
  const points = shares.flatMap((share, day) =>
    share === null
      ? []
      : [`${(day * WIDTH) / 6},${(HEIGHT - 2 - (share / 100) * (HEIGHT - 4)).toFixed(1)}`],
  )
  const text = shares.map((share) => (share === null ? 'none' : `${share.toFixed(0)} %`)).join(', ')
  if (points.length === 0) return html`<span class="quiet">–</span>`
  const [only] = points
  const line =
    points.length === 1
      ? html`<circle cx="${only?.split(',')[0] ?? ''}" cy="${only?.split(',')[1] ?? ''}" r="2"/>`
      : html`<polyline points="${points.join(' ')}"/>`
  return html`<svg class="${failingSince === null ? 'sparkline' : 'sparkline wrong'}" viewBox="-2 0 ${WIDTH + 4} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" role="img" aria-label="Accepted on each of the last seven days: ${text}">${line}</svg>`
}

const pathOf = ({ merchantRef, kind }: Endpoint): string =>
  `endpoints/${encodeURIComponent(merchantRef)}/${kind}`

const row = (endpoint: ListedEndpoint, now: number): Markup => {
  const [latest] = endpoint.addresses
  return html`<tr data-row>
<td><a href="${pathOf(endpoint)}"><bdi>${endpoint.merchantRef}</bdi> ${KIND_TITLES[endpoint.kind]}</a></td>
<td>${healthPill(endpoint, now)}</td>
<td>${latest === undefined || latest.lastAnswer === '' ? '–' : latest.lastAnswer}</td>
<td class="number">${acceptedText(endpoint.hour)}</td>
<td class="number">${acceptedText(endpoint.day)}</td>
<td class="number">${acceptedText(endpoint.week)}</td>
<td>${sparkline(endpoint)}</td>
<td class="number">${endpoint.lost}</td>
<td class="number">${endpoint.waiting}</td>
</tr>`
}

const HEADS = [
  ['Endpoint'],
  ['Health'],
  ['Last answer'],
  ['Accepted, 1 h', 'number'],
  ['24 h', 'number'],
  ['7 days', 'number'],
  ['Day by day'],
  ['Orders lost, 7 days', 'number'],
  ['Waiting', 'number'],
] as const

const table = (endpoints: readonly ListedEndpoint[], title: string, now: number): Markup =>
  html`<div class="scroll" role="region" aria-label="${title}" tabindex="0"><table>
<thead><tr>${HEADS.map(([head, kind]) => html`<th scope="col"${kind && html` class="${kind}"`}>${head}</th>`)}</tr></thead>
<tbody>${endpoints.map((endpoint) => row(endpoint, now))}</tbody>
</table></div>`

const lossNotice = (failing: readonly ListedEndpoint[], now: number): Markup | false => {
  const losing = failing.filter(({ lost }) => lost > 0)
  const lost = losing.reduce((sum, each) => sum + each.lost, 0)
  return (
    losing.length > 0 &&
    html`<div class="notice wrong"><p><strong>${losing.length === 1 ? 'One shop loses orders.' : `${losing.length} shops lose orders.`}</strong>
${losing.map(({ merchantRef, failingSince, addresses }) => html`<bdi>${merchantRef}</bdi> has failed for ${durationWords(now - (failingSince ?? now))}, last with ${addresses[0]?.lastAnswer ?? 'no answer'}. `)}
In seven days, ${lost} ${lost === 1 ? 'order' : 'orders'} ended because the shop did not answer. Such an order’s IPN cannot be recovered.</p></div>`
  )
}

export const endpointsPage = (
  { failing, others, isCut }: EndpointList,
  now: number,
): Markup => html`
<div class="title"><h1>Endpoints</h1><span class="quiet">where shops take IPNs and events</span></div>
${lossNotice(failing, now)}
${
  failing.length > 0
    ? card('Failing, the longest first', table(failing, 'Failing endpoints', now))
    : html`<p class="notice good">No endpoint fails.</p>`
}
${card(
  'All others',
  others.length === 0
    ? html`<p class="inside quiet">No other shop has been called yet.</p>`
    : table(others, 'Other endpoints', now),
)}
${isCut && html`<p class="quiet">There are more. Open one as <code>console/endpoints/&lt;merchant&gt;/ipn</code>.</p>`}`

export type EndpointOnPage = {
  readonly endpoint: ListedEndpoint
  /** Orders that wait for this IPN. */
  readonly saveable: string
  /** What a recovery since an instant would send; null: nobody has asked. */
  readonly recovery: Recovery | null
  readonly now: number
}

export type Recovery = {
  readonly since: string
  readonly count: string
  /** Some of the orders, with their uuids. */
  readonly orders: readonly { readonly orderRef: string; readonly reference: string }[]
}

const addressesTable = ({ addresses }: EndpointHealth): Markup =>
  html`<div class="scroll" role="region" aria-label="Addresses" tabindex="0"><table>
<thead><tr><th scope="col">Address</th><th scope="col">Last answer</th><th scope="col">At</th><th scope="col" class="number">Attempts</th><th scope="col" class="number">Accepted</th><th scope="col" class="number">Orders lost</th></tr></thead>
<tbody>${addresses.map(
    ({ address, lastAnswer, lastAt, lost, ...rate }) => html`<tr>
<td><code>${address === '' ? 'further addresses' : address}</code></td><td>${lastAnswer || '–'}</td><td>${instant(lastAt)}</td>
<td class="number">${rate.attempts}</td><td class="number">${acceptedText(rate)}</td><td class="number">${lost}</td>
</tr>`,
  )}</tbody>
</table></div>`

const oneOfSeveral = ({ addresses }: EndpointHealth): Markup | false => {
  const failing = addresses.filter(
    ({ attempts, failures }) => attempts > 0 && attempts === failures,
  )
  const [only] = failing
  return (
    only !== undefined &&
    failing.length < addresses.length &&
    html`<p class="inside">Only ${failing.length} of ${addresses.length} addresses fails each time: ${failing.map(({ address }) => html`<code>${address}</code> `)}</p>`
  )
}

const recoverCard = ({ recovery, endpoint, now }: EndpointOnPage, address: string): Markup => {
  const since = (endpoint.failingSince ?? now - 86_400_000) - 60_000
  const value = recovery?.since ?? new Date(since).toISOString().slice(0, 16)
  return card(
    'Recover',
    html`<form class="inside" action="${address}">
<p>All deliveries of the merchant that were last tried since then, and not accepted, are sent again.</p>
<div class="field"><label for="since">Last tried since, in UTC</label>
<input id="since" name="recover" type="datetime-local" value="${value}" required></div>
<button class="other">Show what would be sent</button>
</form>
${
  recovery &&
  html`<form class="inside" method="post" action="${address}/recover">
<p role="status"><strong>${recovery.count}</strong>${recovery.orders.length > 0 && html` for these orders, among others: `}
${recovery.orders.map(({ orderRef, reference }) => html`<a href="../../orders/${orderRef}"><bdi>${reference}</bdi></a> `)}</p>
<input type="hidden" name="since" value="${recovery.since}">
<button>Send them again</button>
</form>`
}`,
  )
}

/** What was done, by the name in the address. */
const DONE = new Map([['recover', 'has its deliveries sent again now.']])

/** `address`: the page's URL, relative to where it is shown. `done`: a name in `DONE`. */
export const endpointPage = (page: EndpointOnPage, address: string, done: string): Markup => {
  const { endpoint, saveable, now } = page
  const { merchantRef, kind, lastGoodAt, failingSince, failures, lost, waiting } = endpoint
  const orders = html`../../orders?merchant=${encodeURIComponent(merchantRef)}&amp;failing=true`
  const what = DONE.get(done)
  return html`${what !== undefined && html`<p class="notice good" role="status"><bdi>${merchantRef}</bdi> ${what}</p>`}
<div class="title"><h1><bdi>${merchantRef}</bdi> ${KIND_TITLES[kind]}</h1>${healthPill(endpoint, now)}
<span class="actions"><a href="../../endpoints">All endpoints</a></span></div>
<div class="beside">
<div class="stack">
${card('Addresses, last seven days', html`${oneOfSeveral(endpoint)}${endpoint.addresses.length === 0 ? html`<p class="inside quiet">None was called.</p>` : addressesTable(endpoint)}`)}
${recoverCard(page, address)}
</div>
<div class="stack">
${card(
  'Health',
  html`<dl class="inside">
<dt>Last good answer</dt><dd>${lastGoodAt === null ? 'none' : instant(lastGoodAt)}</dd>
<dt>Failing since</dt><dd>${failingSince === null ? 'it does not fail' : html`${instant(failingSince)}, ${failures} ${failures === 1 ? 'attempt' : 'attempts'}`}</dd>
<dt>Accepted</dt><dd>${acceptedText(endpoint.hour)} in an hour, ${acceptedText(endpoint.day)} in a day, ${acceptedText(endpoint.week)} in a week</dd>
<dt>Waiting</dt><dd>${waiting} ${waiting === 1 ? 'delivery' : 'deliveries'}</dd>
<dt>Orders lost</dt><dd>${lost} in seven days. Their IPNs were stopped and cannot be recovered.</dd>
${
  kind === 'ipn' &&
  html`<dt>Expired</dt><dd><a href="${orders}&amp;checkout=expired">All that expired without an answer</a></dd>
<dt>Can be saved</dt><dd><a href="${orders}&amp;checkout=confirming">${saveable}</a></dd>`
}
</dl>`,
)}
</div>
</div>`
}
