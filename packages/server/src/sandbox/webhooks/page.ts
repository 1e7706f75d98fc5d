// The page on which a merchant of the sandbox watches what its receivers get, from the newest
// request to the oldest.
import type { Inbox, InboxRequest } from '@plazo/core/protocol'
import { html } from 'hono/html'
import type { Markup } from '../../http/page/page.ts'
import { readableInstant } from '../../http/page/script/formats.ts'
import { DEMO_MERCHANT } from '../demo-merchant.ts'
import { copyable, pageHead, SANDBOX_TOOL_STYLE } from '../layout.ts'

export const INBOX_STYLE = `
  ${SANDBOX_TOOL_STYLE}
  .urls { display: grid; grid-template-columns: max-content minmax(0, 1fr); align-items: center; gap: .5rem 1rem; margin: 0 }
  dt { color: var(--soft); font-size: .875rem }
  dd { margin: 0 }
  #requests { list-style: none; margin: 0; padding: 0; display: grid; gap: .5rem }
  #requests > li { min-inline-size: 0; background: var(--card); border: 1px solid var(--edge); border-radius: .75rem; box-shadow: var(--shadow) }
  summary { display: flex; flex-wrap: wrap; gap: .25rem .75rem; align-items: center; padding: .625rem 1rem; cursor: pointer; min-block-size: 3rem; border-radius: .75rem; list-style: none }
  summary::-webkit-details-marker { display: none }
  summary::after { content: ""; inline-size: .4375rem; block-size: .4375rem; margin-inline: auto .25rem; flex: none; border: solid var(--soft); border-width: 0 2px 2px 0; rotate: -45deg }
  details[open] > summary::after { rotate: 45deg }
  summary:hover strong { color: var(--accent) }
  #requests > li { position: relative }
  .order { position: absolute; inset: .8125rem 2.75rem auto auto; display: flex; align-items: center; min-block-size: 1.5rem; max-inline-size: 15rem; font-size: .875rem; white-space: nowrap }
  .order bdi { overflow: hidden; text-overflow: ellipsis }
  .order code { margin-inline-start: .375rem; color: var(--soft) }
  @media (min-width: 40.01rem) { li:has(> .order) summary { padding-inline-end: 18.5rem; position: relative } li:has(> .order) summary::after { position: absolute; inset-inline-end: 1.25rem } }
  @media (max-width: 40rem) { .order { position: static; margin: 0 1rem .625rem } }
  details > div { padding: 0 1rem 1rem }
  details h3 { margin: .875rem 0 .25rem; font-size: .8125rem; color: var(--soft) }
  .facts { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: .125rem 1rem; margin: 0; font-size: .875rem }
  .good { background: var(--good-glow); color: var(--good) }
  .bad { background: var(--wrong-glow); color: var(--wrong) }
  pre { margin: 0; padding: .625rem .875rem; border-radius: .5rem; background: var(--code); color: var(--on-code); font-size: .8125rem; line-height: 1.55; white-space: pre-wrap; overflow-wrap: anywhere; max-block-size: 22rem; overflow: auto }
  @media (max-width: 40rem) { .urls, .facts { grid-template-columns: 1fr; gap: 0 } .urls dd { margin-block-end: .5rem } }
`

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
      drill,
    } = request
    const reference = referenceIn(body)
    const headerLines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
    return html`<li><details id="request-${id}">
<summary><time class="when" datetime="${at}">${readableInstant(at)}</time>
<strong>${event ?? (endpoint === 'ipn' ? 'IPN' : 'unknown event')}</strong>
<span class="badge ${signature === 'right' ? 'good' : 'bad'}">${SIGNATURES[signature]}</span>
<span class="badge ${status < 400 ? 'good' : 'bad'}">answered ${status}</span>
${drill && html`<span class="badge">drill: ${drill}</span>`}</summary>
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
