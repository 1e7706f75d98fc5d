// An operator's view of an order: why it is where it is, the decisions that are possible now, its
// deliveries, money and history. It never shows the shopper's data. The link
// `cancellation_request_url` leads here. Interface §2.3.
import { agreementOf, explanationView, type Order, orderView, paidTotal } from '@plazo/core'
import type { Explanation } from '@plazo/core/explanation'
import { metaOf, nameOnWire, REGIONS } from '@plazo/core/machine'
import { addressOf } from '@plazo/core/ports'
import { type HistoryLine, money } from '@plazo/core/protocol'
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
import { MACHINE_MAP } from '../machine/machine-data.ts'
import { findOrderPath } from '../machine/order-path.ts'
import { decisionMarkup, type PossibleDecision } from './decisions.ts'
import { card, orderOnPage, refusalMarkup, timeMarkup } from './frame.ts'
import { deliveriesMarkup, type OrderDeliveries } from './order-deliveries.ts'

type OrderOnConsole = OrderDeliveries & {
  readonly order: Order
  readonly explanation: Explanation
  /** Newest first. */
  readonly newestLines: readonly HistoryLine[]
  readonly hasOlderLines: boolean
  readonly decisions: readonly PossibleDecision[]
}

export type OrderPageContext = {
  /** The page's own URL, and the server's base URL with a slash, relative to where it is shown. */
  readonly address: string
  readonly root: string
  /** Why the requested decision could not be made. */
  readonly refusal: readonly string[]
  /** What was done, and which order is next. */
  readonly notice: Markup | ''
  /** The next order of the queue, and the queue as a query. */
  readonly next: Markup | ''
  readonly query: string
  /** The decision whose consequences are shown. */
  readonly open: string
}

const REGION_TITLES = { checkout: 'Checkout', risk: 'Risk', cancellation: 'Cancellation' }

const lineId = (seq: number): string => `line-${seq}`

const historyItem = (line: HistoryLine): Markup => {
  const note = eventNote(line)
  return html`<li id="${lineId(line.seq)}">
${timeMarkup(line.at)}
<div><p><strong>${eventWords(line)}</strong>${note && html` <span>· ${note}</span>`}</p>
<p class="quiet">${line.seq} <code>${eventNames(line)}</code></p></div>
</li>`
}

// References are a merchant's own text, and may be written in any direction.
const reference = (text: string): Markup =>
  text === '' ? html`<span class="quiet">none</span>` : html`<bdi>${text}</bdi>`

export const orderTitle = ({ order }: OrderOnConsole): string => {
  const { order_ref, state } = orderView(order)
  return `${orderStateWords(state)}: order ${order_ref}`
}

/** The lines that lead here, as links to the history if it shows them. */
const becauseMarkup = (
  seqs: Explanation['where']['checkout']['because'],
  lines: readonly HistoryLine[],
): Markup | '' =>
  seqs.length === 0
    ? ''
    : html`<p class="quiet">Because of ${seqs.map((seq, index) => {
        const line = lines.find((each) => each.seq === seq)
        const words = line === undefined ? 'line' : eventWords(line)
        return html`${index > 0 && ' · '}<a href="#${lineId(seq)}">${words} (${seq})</a>`
      })}</p>`

const whyCard = ({ order, explanation, newestLines }: OrderOnConsole): Markup => {
  const { where, sentences } = explanationView(order, explanation, {
    language: 'en',
    isForMerchant: false,
  })
  const list = (texts: readonly string[]): Markup =>
    html`<ul>${texts.map((text) => html`<li>${text}</li>`)}</ul>`
  const status = REGIONS.map((region) => {
    const wire = nameOnWire(region, order.state)
    return html`<dt>${REGION_TITLES[region]}</dt>
<dd><strong>${stateWords(region, wire)}</strong>: ${metaOf(region, order.state).caption} <code class="quiet">${wire}</code>
${becauseMarkup(where[region].because, newestLines)}</dd>`
  })
  const since = where.checkout.since
  const isLate = orderView(order).late_by
  return card(
    'Why is it here?',
    html`<dl class="inside">
${status}
${isLate !== null && html`<dt>Late by</dt><dd>${isLate} min</dd>`}
${sentences.awaits.length > 0 && html`<dt>It waits</dt><dd>${list(sentences.awaits)}</dd>`}
<dt>By itself</dt><dd>${sentences.by_itself}</dd>
${sentences.may.length > 0 && html`<dt>Possible now</dt><dd>${list(sentences.may)}</dd>`}
</dl>`,
    since === null ? '' : html`<span class="quiet">since ${timeMarkup(since)}</span>`,
  )
}

// More would be a loop that says nothing new.
const CHIPS_SHOWN = 24

const pathCard = ({ newestLines }: OrderOnConsole, root: string, orderRef: string): Markup => {
  const steps = findOrderPath(MACHINE_MAP, newestLines.toReversed())
  const nameOf = (id: string | undefined) => MACHINE_MAP.states.find((each) => each.id === id)
  const passed = steps.flatMap(({ arrows }) =>
    arrows.flatMap((arrow) => nameOf(arrow.split(' ')[1]) ?? []),
  )
  const start = newestLines.at(-1)?.from.checkout ?? ''
  const chips = [{ region: 'checkout', name: start }, ...passed].filter(
    ({ region, name }, index, all) =>
      name !== '' && (region !== all[index - 1]?.region || name !== all[index - 1]?.name),
  )
  const current: Readonly<Record<string, string>> = newestLines[0]?.to ?? {}
  const isNow = ({ region, name }: (typeof chips)[number], index: number): boolean =>
    current[region] === name &&
    chips.findLastIndex((each) => each.region === region && each.name === name) === index
  return card(
    'Path',
    html`<ol class="inside path" role="list">${chips
      .map((chip, index) => ({ chip, isCurrent: isNow(chip, index) }))
      .slice(-CHIPS_SHOWN)
      .map(
        ({ chip, isCurrent }) =>
          html`<li${isCurrent && html` aria-current="step"`}>${chip.name.replaceAll('_', ' ')}</li>`,
      )}</ol>`,
    html`<a href="${root}machine/orders/${orderRef}">Whole statechart</a>`,
  )
}

const moneyCard = ({ order }: OrderOnConsole): Markup => {
  const { amount, reduced_from, refunded } = orderOnPage(order)
  const { product, instalmentCount } = agreementOf(order)
  const none = money(0, order.placed.currency, 'en').string
  return card(
    'Money',
    html`<dl class="inside">
<dt>Amount</dt><dd>${amount.string}${reduced_from && html`, reduced from ${reduced_from.string} by the merchant`}</dd>
<dt>Paid</dt><dd>${money(paidTotal(order.context), order.placed.currency, 'en').string}</dd>
<dt>Refunded</dt><dd>${refunded?.string ?? none}</dd>
<dt>Plan</dt><dd>${instalmentCount} ${instalmentCount === 1 ? 'payment' : 'payments'} <code class="quiet">${product}</code></dd>
</dl>`,
  )
}

const address = (url: string | null | undefined): Markup =>
  url == null ? html`<span class="quiet">none</span>` : html`<bdi>${addressOf(url)}</bdi>`

const factsCard = ({ order }: OrderOnConsole, root: string, here: string): Markup => {
  const view = orderOnPage(order)
  const { merchant, notifyUrl, returnUrl, eventsWebhook } = order.placed
  return card(
    'Order',
    html`<dl class="inside">
<dt>Reference</dt><dd>${reference(view.order_ref_1)}</dd>
<dt>Second reference</dt><dd>${reference(view.order_ref_2)}</dd>
<dt>Id</dt><dd><code>${view.order_ref}</code></dd>
<dt>Merchant</dt><dd><a href="${root}console/merchants/${encodeURIComponent(merchant.ref)}">${merchant.ref}</a>, country ${merchant.country ?? 'none'}</dd>
<dt>Offers</dt><dd>${merchant.products.join(', ')}</dd>
<dt>Optional fields</dt><dd>${merchant.optionalFields.join(', ') || 'none'}</dd>
<dt>Action events</dt><dd>${merchant.sendsActionEvents ? 'pushed' : 'not pushed'}</dd>
<dt>Placed</dt><dd>${timeMarkup(view.created_at)}</dd>
<dt>Last change</dt><dd>${timeMarkup(view.updated_at)}</dd>
<dt>IPN to</dt><dd>${address(notifyUrl)}</dd>
<dt>Events to</dt><dd>${address(eventsWebhook?.url)}</dd>
<dt>Shopper returns to</dt><dd>${address(returnUrl)}</dd>
</dl>`,
    html`<a href="${here}/erase">Erase the shopper…</a>`,
  )
}

export const orderPage = (
  shown: OrderOnConsole,
  { address: here, root, refusal, notice, next, query, open }: OrderPageContext,
): Markup => {
  const { order, newestLines, hasOlderLines, decisions, deliveries } = shown
  const view = orderOnPage(order)
  const { order_ref, order_ref_1, amount, merchant, state } = view
  return html`${refusalMarkup(refusal)}${notice}
<div class="title"><h1>Order ${order_ref_1 === '' ? order_ref : html`<bdi>${order_ref_1}</bdi>`}</h1>
<span class="pill busy">${orderStateWords(state)}</span>
<span class="quiet">${merchant} · ${amount.string}</span>
<span class="actions">${next && html`<span>${next}</span>`}<a href="${here}${query}">Refresh</a></span></div>
<div class="beside">
<div class="stack">
${whyCard(shown)}
${card(
  'Decisions',
  decisions.length === 0
    ? html`<p class="inside">No action is available in this state.</p>`
    : html`<div class="inside decisions">${decisions.map((each) => decisionMarkup(order, each, { address: here, query, isOpen: each.name === open }))}</div>`,
)}
${deliveries.length === 0 ? card('Deliveries', html`<p class="inside quiet">The shop was sent nothing yet.</p>`) : deliveriesMarkup(shown, here)}
${card(
  'What happened, newest first',
  html`<ol class="rows" reversed role="list">
${newestLines.map(historyItem)}
</ol>
${hasOlderLines && html`<p class="inside">For older lines, run <code>${PLAZO} orders show ${order_ref}</code>.</p>`}`,
)}
</div>
<div class="stack">
${pathCard(shown, root, order_ref)}
${moneyCard(shown)}
${factsCard(shown, root, here)}
</div>
</div>`
}
