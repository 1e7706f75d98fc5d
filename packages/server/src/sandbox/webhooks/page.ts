// The page on which a merchant of the sandbox watches what its receivers get, from the newest
// request to the oldest.
import { html } from 'hono/html'
import type { Markup } from '../../http/page/page.ts'
import { readableInstant } from '../../http/page/script/formats.ts'
import { DEMO_MERCHANT } from '../demo-merchant.ts'
import { copyable, pageHead } from '../layout.ts'
import type { Inbox, InboxRequest } from './protocol.ts'

const SIGNATURES: Readonly<Record<InboxRequest['signature'], string>> = {
  right: 'signature valid',
  wrong: 'signature wrong',
  missing: 'unsigned',
  unchecked: 'signature not checked',
}

/** Forms one parameter a line, JSON indented, and anything else as it came. */
const readable = (body: string): string => {
  try {
    return JSON.stringify(JSON.parse(body), null, 2)
  } catch {
    if (!/^[\w.%+-]+=/.test(body)) return body
    return [...new URLSearchParams(body)].map(([name, value]) => `${name} = ${value}`).join('\n')
  }
}

const part = (title: string, text: string): Markup => html`<h3>${title}</h3>
<pre tabindex="0" aria-label="${title}">${text}</pre>`

/** The shop's reference in a body; empty if it has none. */
const referenceIn = (body: string): string => {
  const inJson = /"order_ref_1":"((?:[^"\\]|\\.)*)"/.exec(body)?.[1]
  return inJson ?? new URLSearchParams(body).get('order_ref_1') ?? ''
}

/** `href`: of the page that shows an order of this merchant, up to its uuid. */
const requestItem =
  (href: string) =>
  (request: InboxRequest): Markup => {
    const {
      id,
      at,
      endpoint,
      event,
      order_ref,
      delivery,
      signature,
      headers,
      body,
      status,
      response,
    } = request
    const reference = referenceIn(body)
    const headerLines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
    return html`<li><details id="request-${id}">
<summary><time class="when" datetime="${at}">${readableInstant(at)}</time>
<strong>${event ?? (endpoint === 'ipn' ? 'IPN' : 'unknown event')}</strong>
<span class="badge ${signature === 'right' ? 'good' : 'bad'}">${SIGNATURES[signature]}</span>
<span class="badge ${status < 400 ? 'good' : 'bad'}">answered ${status}</span></summary>
<div>
<dl class="facts">
<dt>Order</dt><dd>${order_ref ?? 'none of this merchant'}</dd>
<dt>Webhook-Id</dt><dd>${delivery ?? 'none'}</dd>
</dl>
${part('Headers', headerLines.join('\n'))}
${part('Body', `${readable(body)}${request.is_cut ? '\n…' : ''}`)}
${part('Response', `${status}${response && `\n${readable(response)}`}`)}
</div>
</details>
${order_ref && html`<a class="order" href="${href}${order_ref}">${reference && html`<bdi>${reference}</bdi> `}<code>${order_ref.slice(0, 8)}</code></a>`}</li>`
  }

const urlList = ({ ipn_url, events_url }: Inbox): Markup =>
  ipn_url === null || events_url === null
    ? html`<p>You have no server yet? Receive here: you get two URLs, and put them into your orders. No order changes.</p>
<form method="post"><button class="main">Receive here</button></form>`
    : html`<p>Put these into your orders. The answers are those of a shop that accepts everything.</p>
<dl class="urls">
<dt>notify_url</dt><dd>${copyable(ipn_url)}</dd>
<dt>events_webhook.url</dt><dd>${copyable(events_url)}</dd>
</dl>`

/** `root`: the way to the server's base URL. */
export const inboxPage = (
  root: string,
  merchantRef: string,
  inbox: Inbox,
): Markup => html`${pageHead(`Webhooks of ${merchantRef}`, 'Each request that was received here, with its headers, its body, the check of its signature, and the response.')}
<section class="card" aria-label="URLs">${urlList(inbox)}</section>
<div>
<h2>Received</h2>
<p role="status" class="quiet" id="live">The last 200 requests, newest first.</p>
</div>
<div id="list" data-last="${inbox.requests[0]?.id ?? 0}">${
  inbox.requests.length === 0
    ? html`<p class="card">Nothing yet. Each webhook appears here as it comes.</p>`
    : html`<ol id="requests" role="list">${inbox.requests.map(requestItem(`${root}${merchantRef === DEMO_MERCHANT ? '?order=' : 'machine/orders/'}`))}</ol>`
}</div>`
