// The page on which a merchant of the sandbox watches their webhooks: each delivery with its request
// and the answer to every attempt, and the URLs of a shop that answers as they choose.
import { type Markup, readableInstant } from '@plazo/server/internal'
import { html } from 'hono/html'
import { DEMO_MERCHANT } from '../demo-merchant.ts'
import { copyable, pageHead } from '../layout.ts'
import { answerChoice } from './answer-choice.ts'
import { fieldsIn, type SentAttempt, type SentWebhook } from './sent-webhooks.ts'

type WebhooksPage = {
  /** The way to the server's base URL. */
  readonly root: string
  readonly baseUrl: string
  readonly merchantRef: string
  /** How the demo shop answers at the URLs that are shown; empty: as usual. */
  readonly answer: string
  /** Newest last. */
  readonly webhooks: readonly SentWebhook[]
}

const part = (title: string, text: string): Markup => html`<h3>${title}</h3>
<pre tabindex="0" aria-label="${title}">${text}</pre>`

const signatureBadge = ({ isSignatureRight }: SentAttempt): Markup | '' => {
  if (isSignatureRight === null) return ''
  return isSignatureRight
    ? html`<span class="badge good">signature valid</span>`
    : html`<span class="badge bad">signature wrong</span>`
}

const answerBadge = ({ outcome, status, error }: SentAttempt): Markup => {
  if (outcome === null) return html`<span class="badge">in flight</span>`
  return html`<span class="badge ${outcome === 'accepted' ? 'good' : 'bad'}">${status === null ? (error ?? outcome) : `answered ${status}`}</span>`
}

const attemptMarkup = (attempt: SentAttempt): Markup => {
  const { n, startedAt, headers, request, response, errorReason } = attempt
  const headerLines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return html`<h3>Attempt ${n}, ${readableInstant(new Date(startedAt).toISOString())} ${signatureBadge(attempt)} ${answerBadge(attempt)}</h3>
${errorReason && html`<p>${errorReason}</p>`}
${part('Request', [`POST ${request?.url ?? ''}`, ...headerLines].join('\n'))}
${response && part('Answer', response)}`
}

const fieldLines = (body: string): string =>
  Object.entries(fieldsIn(body))
    .map(
      ([name, value]) => `${name} = ${typeof value === 'string' ? value : JSON.stringify(value)}`,
    )
    .join('\n')

/** `href`: of the page that shows an order of this merchant, up to its uuid. */
const webhookItem =
  (href: string) =>
  ({ id, event, orderRef, state, body, attempts }: SentWebhook): Markup => {
    const last = attempts.at(-1)
    const reference = String(fieldsIn(body ?? '').order_ref_1 ?? '')
    return html`<li><details id="${id}">
<summary>${last && html`<span class="when">${readableInstant(new Date(last.startedAt).toISOString())}</span>`}
<strong>${event === 'ipn' ? 'IPN' : event}</strong>
<span class="badge">${state}</span>
${last && answerBadge(last)}</summary>
<div>
<dl class="facts">
<dt>Order</dt><dd>${orderRef}</dd>
<dt>Webhook-Id</dt><dd>${id}</dd>
</dl>
${part('Body', body === null ? 'It is erased.' : fieldLines(body))}
${attempts.toReversed().map(attemptMarkup)}
</div>
</details>
<a class="order" href="${href}${orderRef}">${reference && html`<bdi>${reference}</bdi> `}<code>${orderRef.slice(0, 8)}</code></a></li>`
  }

const shopUrls = ({ baseUrl, merchantRef, answer }: WebhooksPage): Markup => {
  const merchant = merchantRef === DEMO_MERCHANT ? {} : { merchant: merchantRef }
  const urlOf = (receiver: string, query: Readonly<Record<string, string>>) =>
    `${baseUrl}/demo/${receiver}${Object.keys(query).length === 0 ? '' : `?${new URLSearchParams(query)}`}`
  return html`<section class="card" aria-label="The demo shop">
<p>You have no server yet? The demo shop receives for you. Put its URLs into your orders.</p>
<form>
<label for="answers">How does it answer an IPN?</label>
${answerChoice(`${baseUrl}/demo`, answer)}
${merchantRef !== DEMO_MERCHANT && html`<input type="hidden" name="merchant" value="${merchantRef}">`}
<button>Show its URLs</button>
</form>
<dl class="urls">
<dt>notify_url</dt><dd>${copyable(urlOf('notify', { ...merchant, ...(answer && { answer }) }))}</dd>
<dt>events_webhook.url</dt><dd>${copyable(urlOf('events', merchant))}</dd>
</dl>
</section>`
}

export const webhooksPage = (page: WebhooksPage): Markup => {
  const { root, merchantRef, webhooks } = page
  const href = `${root}${merchantRef === DEMO_MERCHANT ? '?order=' : 'machine/orders/'}`
  return html`${pageHead(`Webhooks of ${merchantRef}`, 'The newest 50 deliveries, each with its body, its attempts, the check of its signature, and the shop’s answers.')}
${shopUrls(page)}
<h2>Deliveries</h2>
<div id="webhooks">${
    webhooks.length === 0
      ? html`<p class="card">Nothing yet. Each webhook appears here as it is sent.</p>`
      : html`<ol id="requests" role="list">${webhooks.toReversed().map(webhookItem(href))}</ol>`
  }</div>`
}
