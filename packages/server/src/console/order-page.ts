// An operator's view of an order: its state, the decisions that are possible now, and its history.
// It never shows the shopper's data. The link `cancellation_request_url` leads here. Interface
// §2.3.
import { type Order, orderView, orderViewIn } from '@plazo/core'
import { metaOf, nameOnWire, REGIONS } from '@plazo/core/machine'
import type { HistoryLine } from '@plazo/core/protocol'
import { html } from 'hono/html'
import { PLAZO } from '../command-line/own-commands.ts'
import type { Markup } from '../http/page/page.ts'
import {
  eventNames,
  eventNote,
  eventWords,
  orderStateWords,
  stateWords,
} from '../http/page/script/words.ts'

/**
 * These pages are in English, and so are their amounts: the page's language decides, not the
 * shopper's.
 */
export const orderOnPage = orderViewIn('en')

type OrderOnConsole = {
  readonly order: Order
  /** Newest first. */
  readonly newestLines: readonly HistoryLine[]
  readonly hasOlderLines: boolean
  /** The decisions that the order allows now. */
  readonly decisions: readonly DecisionName[]
}

/** `confirmation`: of a decision that cannot be undone. */
const OFFERS = {
  approve: {
    title: 'Approve the order',
    description: 'The merchant is asked to confirm the order.',
    button: 'Approve',
    confirmation: null,
  },
  reject: {
    title: 'Reject the order',
    description:
      'The checkout ends. Any payment is refunded, and the merchant gets the event cancelled.',
    button: 'Reject',
    confirmation: 'Yes, reject it for good',
  },
  'request-cancellation': {
    title: 'Ask the merchant to cancel',
    description:
      'The merchant gets the event cancel. It is repeated for up to a week, until there is an answer.',
    button: 'Ask the merchant',
    confirmation: null,
  },
  cancel: {
    title: 'Cancel the order',
    description:
      'The order is cancelled at once, without waiting for the merchant. Any payment is refunded.',
    button: 'Cancel the order',
    confirmation: 'Yes, cancel it for good',
  },
}

export type DecisionName = keyof typeof OFFERS

const REGION_TITLES = { checkout: 'Checkout', risk: 'Risk', cancellation: 'Cancellation' }

/** `at`: an ISO instant. */
export const timeMarkup = (at: string): Markup =>
  html`<time datetime="${at}">${at.slice(0, 10)} ${at.slice(11, 19)} UTC</time>`

const offer = (address: string, name: DecisionName): Markup => {
  const { title, description, button, confirmation } = OFFERS[name]
  return html`<form method="post" action="${address}/${name}"${confirmation && html` class="final"`}>
<h3>${title}</h3>
<p>${description}</p>
${confirmation && html`<label><input type="checkbox" required> ${confirmation}</label>`}
<button>${button}</button>
</form>`
}

const historyItem = (line: HistoryLine): Markup => {
  const note = eventNote(line)
  return html`<li>
${timeMarkup(line.at)}
<div><p><strong>${eventWords(line)}</strong>${note && html` <span>· ${note}</span>`}</p>
<p class="quiet"><code>${eventNames(line)}</code></p></div>
</li>`
}

// References are a merchant's own text, and may be written in any direction.
const reference = (text: string): Markup =>
  text === '' ? html`<span class="quiet">none</span>` : html`<bdi>${text}</bdi>`

export const orderTitle = ({ order }: OrderOnConsole): string => {
  const { order_ref, state } = orderView(order)
  return `${orderStateWords(state)}: order ${order_ref}`
}

/**
 * `address`: the page's own URL, relative to where it is shown. `refusal`: why the requested
 * decision could not be made.
 */
export const orderPage = (
  { order, newestLines, hasOlderLines, decisions }: OrderOnConsole,
  address: string,
  refusal: readonly string[],
): Markup => {
  const view = orderOnPage(order)
  return html`${
    refusal.length > 0 &&
    html`<div role="alert"><p><strong>Nothing was done.</strong> ${refusal.join(' ')}</p></div>`
  }
<h1>Order ${view.order_ref_1 === '' ? view.order_ref : html`<bdi>${view.order_ref_1}</bdi>`}</h1>
<p><a href="${address}">Refresh</a>, <a href="${address.replace(/[^/]*$/, '')}../../console">needs a decision</a></p>

<h2>Status</h2>
<dl>
${REGIONS.map(
  (region) => html`<dt>${REGION_TITLES[region]}</dt>
<dd><strong>${stateWords(region, nameOnWire(region, order.state))}</strong>: ${metaOf(region, order.state).caption} <code class="quiet">${nameOnWire(region, order.state)}</code></dd>`,
)}
${view.late_by !== null && html`<dt>Late by</dt><dd>${view.late_by} min</dd>`}
</dl>

<h2>Actions</h2>
${
  decisions.length === 0
    ? html`<p>No action is available in this state.</p>`
    : html`<div class="decisions">${decisions.map((name) => offer(address, name))}</div>`
}

<h2>The order</h2>
<dl>
<dt>order_ref</dt><dd><code>${view.order_ref}</code></dd>
<dt>order_ref_1</dt><dd>${reference(view.order_ref_1)}</dd>
<dt>order_ref_2</dt><dd>${reference(view.order_ref_2)}</dd>
<dt>Merchant</dt><dd>${view.merchant}</dd>
<dt>Product</dt><dd>${view.product}</dd>
<dt>Amount</dt><dd>${view.amount.string}${view.reduced_from && html`, reduced from ${view.reduced_from.string} by the merchant`}</dd>
${view.refunded && html`<dt>Refunded</dt><dd>${view.refunded.string}</dd>`}
<dt>Placed</dt><dd>${timeMarkup(view.created_at)}</dd>
<dt>Last change</dt><dd>${timeMarkup(view.updated_at)}</dd>
</dl>

<h2>History, newest first</h2>
<ol reversed role="list">
${newestLines.map(historyItem)}
</ol>
${hasOlderLines && html`<p>For older lines, run <code>${PLAZO} orders show ${view.order_ref}</code>.</p>`}`
}
