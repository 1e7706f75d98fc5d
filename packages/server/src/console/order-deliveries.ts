// What the shop was sent about an order, and what it answered, attempt by attempt. An operator sees
// here what the shop's developer needs to find the fault. Addresses are shown without tokens.
import { deliveryView } from '@plazo/core'
import { type Attempt, addressOf, type Delivery, type MerchantRequest } from '@plazo/core/ports'
import { html } from 'hono/html'
import { attemptWords } from '../deliveries/attempt-words.ts'
import type { Markup } from '../http/page/page.ts'
import { card, timeMarkup } from './frame.ts'

export type OrderDeliveries = {
  /** Newest first. */
  readonly deliveries: readonly Delivery[]
  /** What they send, by their ids; erased ones are missing. */
  readonly requests: ReadonlyMap<string, MerchantRequest>
}

/** The attempts that are shown at once; the earlier ones are folded. */
const ATTEMPTS_SHOWN = 3

// A page of whole answers could be megabytes.
const CHARACTERS_SHOWN = 2_000

const GONE = html`<p class="quiet">It is gone: the shopper’s data was erased, or the delivery is older than deliveries are kept.</p>`

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

const attemptItem = (delivery: Delivery, attempt: Attempt, sent?: MerchantRequest): Markup => {
  const view = deliveryView({ ...delivery, attempts: [attempt] }).attempts[0]
  if (view === undefined) return html``
  const { trigger, duration_ms, response } = view
  return html`<li>
<div>${timeMarkup(view.started_at)}</div>
<div><p>${pill(attempt)} ${attemptWords(delivery.event, view)}</p>
<p class="quiet">attempt ${view.n}${trigger !== 'schedule' && `, by ${trigger}`}${duration_ms !== null && `, ${duration_ms} ms`}</p>
<details><summary>Request and answer</summary>
<h3>Request</h3>
${requestMarkup(delivery, attempt, sent)}
<h3>Answer</h3>
${response === null || response === '' ? html`<p class="quiet">No body${view.status !== null && `, status ${view.status}`}.</p>` : body(response)}
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

/** `address`: the order's page. */
const resendMarkup = ({ id, attempts, state, event }: Delivery, address: string): Markup => html`
<details class="decision"><summary class="button other">Resend…</summary>
<form method="post" action="${address}/resend/${encodeURIComponent(id)}">
<p>${state === 'pending' ? 'The next attempt is made now. The schedule stays the same.' : 'It is sent once more, outside its schedule. The answer counts only while the order waits for it.'}</p>
<input type="hidden" name="attempts" value="${attempts.length}">
<button>Yes, resend the ${event === 'ipn' ? 'IPN' : `event ${event}`}</button>
</form></details>`

const deliveryCard = (
  delivery: Delivery,
  sent: MerchantRequest | undefined,
  address: string,
): Markup => {
  const { id, event, state, dueAt } = delivery
  const attempts = delivery.attempts.toReversed()
  const items = (some: readonly Attempt[]): readonly Markup[] =>
    some.map((attempt) => attemptItem(delivery, attempt, sent))
  const earlier = attempts.slice(ATTEMPTS_SHOWN)
  return card(
    html`${event === 'ipn' ? 'IPN' : html`Event ${event}`} <span class="pill ${STATE_PILLS[state]}">${state}</span>`,
    html`${dueAt !== null && html`<div class="inside"><p>Next attempt: ${timeMarkup(new Date(dueAt).toISOString())}</p></div>`}
${sent === undefined && html`<div class="inside">${GONE}</div>`}
<ol class="rows" reversed role="list">
${attempts.length === 0 ? html`<li><span class="quiet">Not tried yet.</span></li>` : items(attempts.slice(0, ATTEMPTS_SHOWN))}
</ol>
${earlier.length > 0 && html`<details class="inside"><summary>${earlier.length} earlier</summary><ol class="rows" role="list">${items(earlier)}</ol></details>`}
<p class="inside quiet"><code>${id}</code></p>`,
    sent === undefined ? '' : resendMarkup(delivery, address),
  )
}

/** `address`: the order's page, relative to where it is shown. */
export const deliveriesMarkup = (
  { deliveries, requests }: OrderDeliveries,
  address: string,
): readonly Markup[] =>
  deliveries.map((delivery) => deliveryCard(delivery, requests.get(delivery.id), address))
