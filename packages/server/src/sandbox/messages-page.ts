// The page of the SMS that the sandbox has sent: the demo merchant's newest, or those of one order.

import type { SandboxMessage } from '@plazo/adapters/sandbox'
import type { OrderView } from '@plazo/core/protocol'
import { type Markup, orderName, readableInstant } from '@plazo/server/internal'
import { html } from 'hono/html'
import { copyable, pageHead } from './layout.ts'

type SentMessage = { readonly message: SandboxMessage; readonly order: OrderView }

const messageItem =
  (root: string) =>
  ({ message: { at, to, text, code }, order }: SentMessage): Markup => {
    const instant = new Date(at).toISOString()
    return html`<li>
<div class="row"><span><strong>${to}</strong> <time class="when" datetime="${instant}">${readableInstant(instant)} UTC</time></span>
<a href="${root}?order=${order.order_ref}">${orderName(order)}</a></div>
<div class="row"><p class="bubble">${text}</p>
${copyable(code, html`<span class="badge code-badge">${code}</span>`)}</div>
</li>`
  }

type MessagesPage = {
  /** The way to the server's base URL. */
  readonly root: string
  /** The order that was asked for; null: the demo merchant's newest orders. */
  readonly order: OrderView | null
  /** Newest first. */
  readonly messages: readonly SentMessage[]
}

export const messagesPage = ({ root, order, messages }: MessagesPage): Markup => html`${pageHead(
  'SMS',
  order === null
    ? 'The sandbox sends no real SMS. Those of the demo merchant’s newest orders are here, the newest first.'
    : html`Those of the order <strong>${orderName(order)}</strong>, the newest first. <a href="messages">Show all</a>`,
)}
<section class="card" id="messages" aria-label="SMS that were sent">
${messages.length === 0 ? html`<p>${order === null ? 'No SMS yet. The first is sent when a shopper' : 'No SMS was sent for this order. The first is sent when the shopper'} submits their details. <a href="${root === '' ? './' : root}">Buy something</a></p>` : html`<ul class="rows">${messages.map(messageItem(root))}</ul>`}
</section>
<section class="card" aria-labelledby="of-order"><h2 id="of-order">Of one order</h2>
<form method="get"><label>The order’s uuid<input name="order_ref" required spellcheck="false" autocomplete="off" value="${order?.order_ref ?? ''}"></label>
<button>Show its SMS</button></form>
<p class="quiet">Programs get the same as JSON: <code>curl -s …/sandbox/messages?order_ref=</code> with the uuid.</p>
</section>`
