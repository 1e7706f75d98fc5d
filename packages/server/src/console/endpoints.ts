// Which shops fail, and since when, so that an operator can tell them before their orders expire. The
// page of an endpoint has what it answered last, what the shop's developer must know of it, and its
// deliveries once more, after an operator has seen which.
import { setImmediate as endOfTurn } from 'node:timers/promises'
import {
  type Attempt,
  type Delivery,
  deliveryView,
  type Endpoint,
  previewRecovery,
  recoverDeliveries,
} from '@plazo/core/internal'
import { type Context, Hono } from 'hono'
import { html } from 'hono/html'
import { attemptWords } from '../api/deliveries/attempt-words.ts'
import { isFailing } from '../background/endpoint-alert.ts'
import type { Markup } from '../http/page/page.ts'
import { formBody, invalidValue } from '../http/request.ts'
import { value } from '../http/route.ts'
import {
  type ConsoleParts,
  card,
  countWords,
  merchantOf,
  see,
  timeMarkup,
  timeText,
} from './frame.ts'
import { requestText, runItem } from './order-deliveries.ts'

export const KIND_TITLES: Readonly<Record<Endpoint['kind'], string>> = {
  ipn: 'IPN',
  event: 'events',
}

const SHOWN_MAX = 100

/** `endpoint`: undefined if it was never called. */
export const healthPill = (endpoint: Endpoint | undefined, now: number): Markup => {
  if (endpoint === undefined) return html`<span class="pill">not called yet</span>`
  const { failingSince } = endpoint
  if (failingSince === null) return html`<span class="pill good">well</span>`
  const tone = isFailing(endpoint, now) ? 'wrong' : 'wait'
  return html`<span class="pill ${tone}">fails since ${timeMarkup(failingSince)}</span>`
}

const lastWell = ({ lastGoodAt }: Endpoint): Markup =>
  lastGoodAt === null ? html`never well` : html`last well ${timeMarkup(lastGoodAt)}`

const failedAttempts = ({ failures }: Endpoint): string =>
  countWords({ count: failures, isExact: true }, 'failed attempt')

/** True: orders of the shop have expired since it fails. */
const losesOrders = async (
  { store, terms }: ConsoleParts['host'],
  { merchantRef, kind, failingSince }: Endpoint,
): Promise<boolean> => {
  if (kind !== 'ipn' || failingSince === null) return false
  const placedFrom = failingSince - terms.rules.checkoutLifetime
  const expired = { merchantRef, isFailing: true, checkout: 'expired', placedFrom }
  const { orders } = await value(store.orders.search(expired, null, 1))
  return orders.length > 0
}

const lossNotice = (losing: readonly Endpoint[]): Markup =>
  html`<div class="notice wrong"><p><strong>${losing.length === 1 ? 'One shop loses' : `${losing.length} shops lose`} orders.</strong>
${losing.map(({ merchantRef }) => html`See the <a href="orders?merchant=${encodeURIComponent(merchantRef)}&amp;failing=true&amp;checkout=expired">expired orders</a> of <bdi>${merchantRef}</bdi>. `)}
Resending their IPNs does not help.</p></div>`

const table = (endpoints: readonly Endpoint[], now: number): Markup =>
  html`<section class="card scroll" role="region" aria-label="Failing endpoints" tabindex="0"><table class="stacked">
${endpoints.map((endpoint) => {
  const { merchantRef, kind } = endpoint
  return html`<tr data-row>
<th scope="row"><a href="endpoints/${encodeURIComponent(merchantRef)}/${kind}"><bdi>${merchantRef}</bdi> ${KIND_TITLES[kind]}</a></th>
<td>${healthPill(endpoint, now)}</td>
<td>${failedAttempts(endpoint)}</td>
<td>${lastWell(endpoint)}</td></tr>`
})}</table></section>`

// The last attempts are among these, because most deliveries have one.
const DELIVERIES_READ = 40
const ATTEMPTS_SHOWN = 8
// Of each delivery.
const RESPONSES_SHOWN = 2
const MAIL_ANSWER_MAX = 1_000
const DAY = 86_400_000

const minuteOf = (at: number): string => new Date(at).toISOString().slice(0, 16)

/** An attempt, and the delivery that it belongs to. */
type Tried = { readonly delivery: Delivery; readonly attempt: Attempt }

const readPage = async (
  { store, clock, terms }: ConsoleParts['host'],
  merchantRef: string,
  kind: Endpoint['kind'],
) => {
  // An order that is not confirmed expires, so only those of two lifetimes are looked at.
  const placedFrom = clock.now() - 2 * terms.rules.checkoutLifetime
  const confirming = { checkout: 'confirming', isFailing: true, placedFrom }
  const [both, deliveries, waiting, saveable] = await Promise.all([
    value(store.endpoints.list({ merchantRef, isFailing: false, limit: 2 })),
    value(
      store.deliveries.list({
        merchantRef,
        orderRef: null,
        state: null,
        before: null,
        limit: DELIVERIES_READ,
        responses: RESPONSES_SHOWN,
      }),
    ),
    value(store.endpoints.waiting(merchantRef, kind)),
    value(store.orders.count({ merchantRef, ...confirming })),
  ])
  const attempts = deliveries
    .filter(({ event }) => (event === 'ipn') === (kind === 'ipn'))
    .flatMap((delivery) => delivery.attempts.map((attempt): Tried => ({ delivery, attempt })))
    .toSorted((one, other) => other.attempt.startedAt - one.attempt.startedAt)
    .slice(0, ATTEMPTS_SHOWN)
  const orderRefs = new Set(attempts.map(({ delivery }) => delivery.orderRef))
  const requests = await Promise.all(
    [...orderRefs].map((orderRef) => value(store.inspection.requests(orderRef))),
  )
  return {
    merchantRef,
    kind,
    /** Undefined: it was never called. */
    endpoint: both.find((each) => each.kind === kind),
    attempts,
    /** What the attempts sent, by the ids of their deliveries. */
    requests: new Map(requests.flatMap((each) => [...each])),
    waiting: countWords({ count: waiting, isExact: true }, 'webhook'),
    saveable: countWords(saveable),
  }
}

type EndpointOnPage = Awaited<ReturnType<typeof readPage>>

/** What the shop's developer needs to find the fault. */
const mailText = (page: EndpointOnPage, { delivery, attempt }: Tried, baseUrl: string): string => {
  const { merchantRef, kind, endpoint, requests } = page
  const [view] = deliveryView({ ...delivery, attempts: [attempt] }).attempts
  return `Hello,

your shop ${merchantRef} does not accept our ${KIND_TITLES[kind]}.
Failing since: ${timeText(endpoint?.failingSince ?? attempt.startedAt)}

Your answer of ${timeText(attempt.startedAt)} (${view && attemptWords(delivery.event, view)}):
${attempt.response?.slice(0, MAIL_ANSWER_MAX) || 'no body'}

Our request:
${requestText(delivery, attempt, requests.get(delivery.id))}

To test, ask us for signed examples, with your credentials:
POST ${baseUrl}/merchants/${encodeURIComponent(merchantRef)}/deliveries/example
{"event": "${delivery.event}", "url": "<your address>"}
`
}

const mailCard = (page: EndpointOnPage, baseUrl: string): Markup | false => {
  const failed = page.attempts.find(({ attempt }) => attempt.outcome === 'error')
  if (failed === undefined) return false
  const text = mailText(page, failed, baseUrl)
  return card(
    'Tell the shop',
    html`<div class="stack"><textarea aria-label="The mail" rows="12" readonly>${text}</textarea></div>`,
    html`<a href="mailto:?body=${encodeURIComponent(text)}">Open as a mail</a>`,
  )
}

/** `preview`: what would be sent; undefined if nobody has asked. */
const recoverCard = (page: EndpointOnPage, since: string, preview: string | undefined): Markup => {
  const { merchantRef, kind, waiting, saveable } = page
  return card(
    'Send again',
    html`<dl><dt>Waiting</dt><dd>${waiting}</dd>
${kind === 'ipn' && html`<dt>Can be saved</dt><dd><a href="../../orders?merchant=${encodeURIComponent(merchantRef)}&amp;failing=true&amp;checkout=confirming">${saveable}</a></dd>`}</dl>
<form>
<p>All deliveries of the merchant that were last tried since then, and not accepted, are sent again.</p>
<div class="field"><label for="since">Last tried since, in UTC</label>
<input id="since" name="recover" type="datetime-local" value="${since}" required></div>
<button class="other">Show what would be sent</button>
</form>
${
  preview &&
  html`<form method="post" action="${kind}/recover">
<p role="status"><strong>${preview}</strong> would be sent again.</p>
<input type="hidden" name="since" value="${since}">
<button>Send them again</button>
</form>`
}`,
  )
}

/** An instant of a form, in UTC. */
const instantOf = (text: string): number => {
  const at = Date.parse(`${text}Z`)
  if (!Number.isNaN(at)) return at
  throw invalidValue('since', text, 'an instant such as 2026-01-31T12:00')
}

// The path has only these.
const kindOf = (c: Context) => c.req.param('kind') as Endpoint['kind']

const PATH = '/endpoints/:merchant/:kind{ipn|event}'

export const endpointPages = ({ host, merchants, baseUrl, show }: ConsoleParts) =>
  new Hono()
    .get('/endpoints', async (c) => {
      const query = { merchantRef: null, isFailing: true, limit: SHOWN_MAX }
      const failing = await value(host.store.endpoints.list(query))
      const areLosing = await Promise.all(failing.map((each) => losesOrders(host, each)))
      const losing = failing.filter((_, n) => areLosing[n])
      const body = html`
<header><h1>Endpoints</h1> <span class="quiet">where shops take IPNs and events, the longest failing first</span></header>
${losing.length > 0 && lossNotice(losing)}
${failing.length === 0 ? html`<p class="notice good">No endpoint fails.</p>` : table(failing, host.clock.now())}
<p class="quiet">The list of <a href="merchants">merchants</a> has all endpoints.</p>`
      return show(c, { title: 'Endpoints', body })
    })
    .get(PATH, async (c) => {
      const { ref } = await merchantOf(c, merchants)
      const kind = kindOf(c)
      const page = await readPage(host, ref, kind)
      const { endpoint, attempts, requests } = page
      const now = host.clock.now()
      const { recover, done } = c.req.query()
      const since = recover || minuteOf((endpoint?.failingSince ?? now - DAY) - 60_000)
      const preview =
        recover &&
        countWords(await value(previewRecovery(host.store)(ref, instantOf(recover))), 'webhook')
      const title = `${ref} ${KIND_TITLES[kind]}`
      const body = html`${done && html`<p class="notice good" role="status">The deliveries of <bdi>${ref}</bdi> are sent again now.</p>`}
<header><h1><bdi>${title}</bdi></h1>${healthPill(endpoint, now)}
${endpoint && html`<span class="quiet">${failedAttempts(endpoint)}, ${lastWell(endpoint)}</span>`}</header>
<div class="beside"><div class="stack">${card(
        'Last attempts',
        html`<ol class="rows" role="list">${attempts.length === 0 && html`<li>It was not called lately.</li>`}
${attempts.map(({ delivery, attempt }) => runItem(delivery, [attempt], requests.get(delivery.id)))}</ol>`,
      )}</div>
<div class="stack">${recoverCard(page, since, preview)}${mailCard(page, baseUrl)}</div></div>`
      return show(c, { title, body })
    })
    .post(`${PATH}/recover`, async (c) => {
      const { ref: merchantRef } = await merchantOf(c, merchants)
      const { since = '' } = await formBody(c, ['since'])
      const recovery = { merchantRef, since: instantOf(since), onProgress: () => endOfTurn() }
      await value(recoverDeliveries(host)(recovery))
      return see(c, `/endpoints/${encodeURIComponent(merchantRef)}/${kindOf(c)}?done=recover`)
    })
