// What the shop was sent about an order, and what it answered, attempt by attempt. An operator sees
// here what the shop's developer needs to find the fault. Addresses are shown without tokens.
import { deliveryView } from '@plazo/core'
import {
  type Attempt,
  addressOf,
  type Delivery,
  laneOfKey,
  type MerchantRequest,
} from '@plazo/core/ports'
import { html } from 'hono/html'
import { attemptWords } from '../deliveries/attempt-words.ts'
import type { Markup } from '../http/page/page.ts'
import { card, timeMarkup } from './frame.ts'

type Requests = ReadonlyMap<string, MerchantRequest>

export type OrderDeliveries = {
  /** Newest last. */
  readonly deliveries: readonly Delivery[]
  /** What they send, by their ids; erased ones are missing. */
  readonly requests: Requests
}

// A page of whole answers could be megabytes.
const CHARACTERS_SHOWN = 2_000

const GONE = html`<p class="quiet">It is gone: the shopper’s data was erased, or the delivery is older than deliveries are kept.</p>`

export const deliveryName = ({ event }: Delivery): string =>
  event === 'ipn' ? 'IPN' : `event ${event}`

/** The first unfinished delivery of a lane is sent; the others wait for it. */
const firstInLane = ({ id }: Delivery, deliveries: readonly Delivery[]): Delivery | undefined =>
  deliveries.find((each) => each.state === 'pending' && laneOfKey(each.id) === laneOfKey(id))

export const isQueued = (delivery: Delivery, deliveries: readonly Delivery[]): boolean =>
  delivery.state === 'pending' && firstInLane(delivery, deliveries)?.id !== delivery.id

const hasFailed = ({ state, attempts }: Delivery): boolean => {
  const isOpen = state === 'pending' || state === 'exhausted' || state === 'stopped'
  return isOpen && attempts.some(({ outcome }) => outcome === 'error' || outcome === 'lost')
}

/** The delivery that decides: the IPN before a cancel request, and this before any other event. */
export const failingDelivery = (deliveries: readonly Delivery[]): Delivery | undefined => {
  const failing = deliveries.filter(hasFailed)
  const named = ['ipn', 'cancel'].map((name) => failing.findLast(({ event }) => event === name))
  return (
    named.find((each) => each !== undefined) ?? failing.find(({ state }) => state !== 'stopped')
  )
}

/** The bodies of early answers are not read. */
export const isEqualAnswer = (one: Attempt, other: Attempt): boolean =>
  one.outcome === other.outcome &&
  one.status === other.status &&
  one.error === other.error &&
  (one.response === other.response || one.response === null || other.response === null)

/** Newest first, and equal answers in a row as one run. */
const runsOf = (attempts: readonly Attempt[]): readonly (readonly Attempt[])[] => {
  const runs: Attempt[][] = []
  for (const attempt of attempts.toReversed()) {
    const run = runs.at(-1)
    if (run?.[0] !== undefined && isEqualAnswer(run[0], attempt)) run.push(attempt)
    else runs.push([attempt])
  }
  return runs
}

const body = (text: string): Markup => html`<pre><bdi>${text.slice(0, CHARACTERS_SHOWN)}</bdi></pre>
${text.length > CHARACTERS_SHOWN && html`<p class="quiet">The first ${CHARACTERS_SHOWN} characters. The shop reads all that is stored by <code>GET …/deliveries/&lt;id&gt;</code>.</p>`}`

const pill = ({ outcome, status, error }: Attempt): Markup =>
  html`<span class="pill ${outcome === 'accepted' ? 'good' : outcome === null ? 'busy' : 'wrong'}">${status ?? (outcome === null ? 'now' : (error ?? outcome))}</span>`

const requestMarkup = (
  { id }: Delivery,
  { request }: Attempt,
  sent: MerchantRequest | undefined,
): Markup => {
  if (request === undefined || sent === undefined) return GONE
  const headers = {
    'Content-Type': sent.contentType,
    'Webhook-Id': id,
    ...(request.sent && { 'Webhook-Timestamp': request.sent.timestamp }),
    ...request.sent?.signatures,
  }
  return html`<pre>POST ${addressOf(request.url)}
${Object.entries(headers).map(([name, value]) => `${name}: ${value}\n`)}</pre>
${request.sent ? body(sent.body) : html`<p class="quiet">Nothing was sent.</p>`}`
}

/** `run`: equal answers, the newest first. */
const runItem = (delivery: Delivery, run: readonly Attempt[], sent?: MerchantRequest): Markup => {
  const { attempts: views } = deliveryView({ ...delivery, attempts: run })
  const [attempt, view, oldest] = [run[0], views[0], views.at(-1)]
  if (attempt === undefined || view === undefined || oldest === undefined) return html``
  const { trigger, duration_ms, response } = view
  const isMany = run.length > 1
  return html`<li>
<div>${timeMarkup(view.started_at)}${isMany && html`<p class="quiet">since ${timeMarkup(oldest.started_at)}</p>`}</div>
<div><p>${pill(attempt)}${isMany && ` × ${run.length}`} ${attemptWords(delivery.event, view)}</p>
<p class="quiet">attempt ${isMany && `${oldest.n} to `}${view.n}${trigger !== 'schedule' && `, by ${trigger}`}${duration_ms !== null && `, ${duration_ms} ms`}</p>
<details><summary>Request and answer</summary>
<h3>Request</h3>
${requestMarkup(delivery, attempt, sent)}
<h3>Answer</h3>
${response === null || response === '' ? html`<p class="quiet">No body here${view.status !== null && `, status ${view.status}`}.</p>` : body(response)}
</details></div>
</li>`
}

const STATE_PILLS: { readonly [state in Delivery['state']]: string } = {
  pending: 'wait',
  delivered: 'good',
  unsupported: 'wrong',
  exhausted: 'wrong',
  stopped: '',
  stuck: 'wrong',
}

/** Empty if its content is gone. */
export const resendMarkup = (delivery: Delivery, requests: Requests, root: string): Markup | '' => {
  const { id, orderRef, attempts, state } = delivery
  if (!requests.has(id)) return ''
  return html`<details class="decision"><summary class="button other">Resend…</summary>
<form method="post" action="${root}console/orders/${orderRef}/resend/${encodeURIComponent(id)}">
<p>${state === 'pending' ? 'The next attempt is made now. The schedule stays the same.' : 'It is sent once more, outside its schedule. The answer counts only while the order waits for it.'}</p>
<input type="hidden" name="attempts" value="${attempts.length}">
<button>Yes, resend the ${deliveryName(delivery)}</button>
</form></details>`
}

/** When it is sent, for a delivery that is not finished. */
const dueMarkup = (delivery: Delivery, deliveries: readonly Delivery[]): Markup | false => {
  if (delivery.dueAt === null) return false
  const first = firstInLane(delivery, deliveries)
  return first === undefined || first.id === delivery.id
    ? html`<p class="inside">Next attempt: ${timeMarkup(new Date(delivery.dueAt).toISOString())}</p>`
    : html`<p class="inside">It waits for the ${deliveryName(first)} of ${timeMarkup(new Date(first.dueAt ?? 0).toISOString())}.</p>`
}

const deliveryMarkup = (delivery: Delivery, { deliveries, requests }: OrderDeliveries): Markup => {
  const sent = requests.get(delivery.id)
  const runs = runsOf(delivery.attempts)
  const isUntried = runs.length === 0 && !isQueued(delivery, deliveries)
  return html`${dueMarkup(delivery, deliveries)}${sent === undefined && html`<div class="inside">${GONE}</div>`}
${isUntried && html`<p class="inside quiet">Not tried yet.</p>`}<p class="inside quiet wire"><code>${delivery.id}</code></p>
<ol class="rows" role="list">${runs.map((run) => runItem(delivery, run, sent))}</ol>`
}

const statePill = ({ state }: Delivery): Markup =>
  html`<span class="pill ${STATE_PILLS[state]}">${state}</span>`

/** The IPN, and the events folded. `causeId`: the delivery whose resend stands elsewhere. */
export const deliveriesMarkup = (
  shown: OrderDeliveries,
  root: string,
  causeId: string | undefined,
): Markup => {
  const newestFirst = shown.deliveries.toReversed()
  if (newestFirst.length === 0)
    return card('Deliveries', html`<p class="inside quiet">The shop was sent nothing yet.</p>`)
  const delivery = (each: Delivery): Markup =>
    card(
      html`${each.event === 'ipn' ? 'IPN' : each.event} ${statePill(each)}`,
      deliveryMarkup(each, shown),
      each.id === causeId ? '' : resendMarkup(each, shown.requests, root),
    )
  const events = newestFirst.filter(({ event }) => event !== 'ipn')
  const states = [...Map.groupBy(events, ({ state }) => state)]
  return html`${newestFirst.filter(({ event }) => event === 'ipn').map(delivery)}
${
  events.length > 0 &&
  html`<details class="card"${events.some(({ id }) => id === causeId) && html` open`}>
<summary>Events (${events.length}): ${states.map(([state, { length }]) => `${length} ${state}`).join(', ')}</summary>
${events.map(delivery)}
</details>`
}`
}
