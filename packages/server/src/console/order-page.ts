// An operator's view of an order: its state, the decisions that are possible now, and its history.
// It never shows the shopper's data. The link `cancellation_request_url` leads here. Interface
// §2.3.
import { type Order, orderView, orderViewIn } from '@plazo/core'
import { metaOf, nameOnWire, REGIONS } from '@plazo/core/machine'
import type { HistoryLine } from '@plazo/core/protocol'
import { html } from 'hono/html'
import { PLAZO } from '../command-line/own-commands.ts'
import { card, refusalMarkup, timeMarkup } from '../http/page/console-page.ts'
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

const offer = (address: string, name: DecisionName): Markup => {
  const { title, description, button, confirmation } = OFFERS[name]
  return html`<form method="post" action="${address}/${name}">
<h3>${title}</h3>
<p>${description}</p>
${confirmation && html`<label class="choice"><input type="checkbox" required> ${confirmation}</label>`}
<button${confirmation && html` class="final"`}>${button}</button>
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
  const { order_ref, order_ref_1, order_ref_2, amount, reduced_from, refunded } = view
  const status = html`<dl class="inside">
${REGIONS.map(
  (region) => html`<dt>${REGION_TITLES[region]}</dt>
<dd><strong>${stateWords(region, nameOnWire(region, order.state))}</strong>: ${metaOf(region, order.state).caption} <code class="quiet">${nameOnWire(region, order.state)}</code></dd>`,
)}
${view.late_by !== null && html`<dt>Late by</dt><dd>${view.late_by} min</dd>`}
</dl>`
  const facts = html`<dl class="inside">
<dt>order_ref</dt><dd><code>${order_ref}</code></dd>
<dt>order_ref_1</dt><dd>${reference(order_ref_1)}</dd>
<dt>order_ref_2</dt><dd>${reference(order_ref_2)}</dd>
<dt>Merchant</dt><dd>${view.merchant}</dd>
<dt>Product</dt><dd>${view.product}</dd>
<dt>Amount</dt><dd>${amount.string}${reduced_from && html`, reduced from ${reduced_from.string} by the merchant`}</dd>
${refunded && html`<dt>Refunded</dt><dd>${refunded.string}</dd>`}
<dt>Placed</dt><dd>${timeMarkup(view.created_at)}</dd>
<dt>Last change</dt><dd>${timeMarkup(view.updated_at)}</dd>
</dl>`
  return html`${refusalMarkup(refusal)}
<div class="title"><h1>Order ${order_ref_1 === '' ? order_ref : html`<bdi>${order_ref_1}</bdi>`}</h1>
<span class="actions"><a href="${address}">Refresh</a> <a href="${address.replace(/[^/]*$/, '')}../../console">Needs a decision</a></span></div>
<div class="beside">
<div class="stack">
${card('Status', status)}
${card(
  'Actions',
  decisions.length === 0
    ? html`<p class="inside">No action is available in this state.</p>`
    : html`<div class="inside columns">${decisions.map((name) => offer(address, name))}</div>`,
)}
${card(
  'History, newest first',
  html`<ol class="rows" reversed role="list">
${newestLines.map(historyItem)}
</ol>
${hasOlderLines && html`<p class="inside">For older lines, run <code>${PLAZO} orders show ${order_ref}</code>.</p>`}`,
)}
</div>
${card('The order', facts)}
</div>`
}
