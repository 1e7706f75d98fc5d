// The page on which a merchant of the sandbox watches what its receivers get, from the newest request to the oldest.
import type { Inbox, InboxRequest } from '@plazo/core'
import { html } from 'hono/html'
import { browserScript } from './browser-script.ts'
import type { Markup } from './page.ts'

export const INBOX_SCRIPTS = [browserScript(new URL('../browser/pages/webhook-inbox.ts', import.meta.url))]

export const INBOX_STYLE = `
  h2 { font-size: 1.125rem; margin: 1.5rem 0 .5rem }
  h3 { font-size: 1rem; margin: .75rem 0 .25rem }
  dl { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1rem; margin: .5rem 0 }
  dt { color: var(--quiet) }
  dd { margin: 0 }
  ol { list-style: none; margin: 0; padding: 0 }
  li { border: 1px solid var(--rule); border-radius: .5rem; margin: .5rem 0 }
  summary { display: flex; flex-wrap: wrap; gap: .25rem .75rem; align-items: baseline; padding: .75rem 1rem; cursor: pointer; min-block-size: 2.75rem }
  summary time { color: var(--quiet); font-variant-numeric: tabular-nums }
  details > div { padding: 0 1rem 1rem }
  .mark { border: 1px solid var(--line); border-radius: 1rem; padding: 0 .625rem; font-size: .875rem }
  .bad { border-color: var(--wrong); color: var(--wrong); font-weight: 600 }
  pre { white-space: pre-wrap; background: var(--shade); padding: .75rem; margin: .25rem 0; border-radius: .375rem }
  @media (max-width: 30rem) { dl { grid-template-columns: 1fr; gap: 0 } dd { margin-bottom: .5rem } }
`

const SIGNATURES: Readonly<Record<InboxRequest['signature'], string>> = {
  right: 'signed',
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

const requestItem = (request: InboxRequest): Markup => {
  const { id, at, endpoint, event, order_ref, delivery, signature, headers, body, status, response, drill } = request
  return html`<li><details id="request-${id}">
<summary><time datetime="${at}">${at.slice(11, 19)}</time>
<strong>${event ?? (endpoint === 'ipn' ? 'IPN' : 'unknown event')}</strong>
<span class="mark ${signature === 'right' ? '' : 'bad'}">${SIGNATURES[signature]}</span>
<span class="mark ${status < 400 ? '' : 'bad'}">answered ${status}</span>
${drill === null ? '' : html`<span class="mark">drill: ${drill}</span>`}</summary>
<div>
<dl>
<dt>Order</dt><dd>${order_ref ?? 'none of this merchant'}</dd>
<dt>Webhook-Id</dt><dd>${delivery ?? 'none'}</dd>
</dl>
<h3>Headers</h3>
<pre tabindex="0" aria-label="Headers">${Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n')}</pre>
<h3>Body</h3>
<pre tabindex="0" aria-label="Body">${readable(body)}${request.is_cut ? '\n…' : ''}</pre>
<h3>Response</h3>
<pre tabindex="0" aria-label="Response">${status}${response === '' ? '' : `\n${readable(response)}`}</pre>
</div>
</details></li>`
}

const urlList = ({ ipn_url, events_url }: Inbox): Markup =>
  ipn_url === null
    ? html`<p>You have no server yet? Receive here: you get two URLs, and put them into your orders.</p>
<form method="post"><button>Receive here</button></form>`
    : html`<p>Put these into your orders. The answers are those of a shop that accepts everything.</p>
<dl>
<dt>notify_url</dt><dd><code>${ipn_url}</code></dd>
<dt>events_webhook.url</dt><dd><code>${events_url}</code></dd>
</dl>`

export const inboxPage = (merchantRef: string, inbox: Inbox): Markup => html`<h1>Webhooks of ${merchantRef}</h1>
${urlList(inbox)}
<h2>Received</h2>
<p role="status" class="quiet" id="live">The last 200 requests, newest first.</p>
<div id="requests" data-last="${inbox.requests[0]?.id ?? 0}">${
  inbox.requests.length === 0
    ? html`<p>Nothing yet. Each webhook appears here as it comes.</p>`
    : html`<ol role="list">${inbox.requests.map(requestItem)}</ol>`
}</div>`
