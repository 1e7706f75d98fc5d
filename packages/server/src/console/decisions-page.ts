// The list of orders that wait for an operator: how many of each kind, for how long, and each with
// its decisions, so that many orders are decided without leaving it. It shows no shopper's data.
import type { OperatorTask } from '@plazo/core'
import type { OperatorTaskCount, WaitingOrder } from '@plazo/core/ports'
import { html } from 'hono/html'
import type { Markup } from '../http/page/page.ts'
import { orderName } from '../http/page/script/formats.ts'
import { type Queue, queueQuery, TASK_NAMES, TASKS, type WaitingPage } from './decision-queue.ts'
import { decisionMarkup, type possibleDecisions } from './decisions.ts'
import { card, orderOnPage, timeMarkup } from './frame.ts'
import { durationWords, shortCount } from './words.ts'

type DecisionsOnPage = {
  readonly queue: Queue
  /** Of the kinds that have any. */
  readonly counts: readonly OperatorTaskCount[]
  readonly sections: readonly WaitingPage[]
  readonly decisionsOf: ReturnType<typeof possibleDecisions>
  /** What was done, and which order is next. */
  readonly notice: Markup | ''
  readonly now: number
}

const tile = ({ queue, counts, now }: DecisionsOnPage, kind: OperatorTask): Markup => {
  const { merchant } = queue
  const count = counts.find(({ task }) => task === kind)
  return html`<a class="tile" href="decisions${queueQuery({ kind, merchant })}"${kind === queue.kind && html` aria-current="page"`}>
<span>${TASKS[kind][0]}</span> <strong>${count === undefined ? '0' : shortCount(count)}</strong>
<span class="quiet">${count === undefined ? 'none' : `the oldest for ${durationWords(now - count.since)}`}</span></a>`
}

const row = (
  { queue, notice, decisionsOf, now }: DecisionsOnPage,
  kind: OperatorTask,
  { order, since, position }: WaitingOrder,
  isFirst: boolean,
): Markup => {
  const { order_ref, order_ref_1, order_ref_2, merchant, amount } = orderOnPage(order)
  const query = queueQuery({ ...queue, kind, after: position })
  const address = `orders/${order_ref}`
  return html`<li data-row class="waiting">
<div><p><a href="${address}${query}"${isFirst && notice && html` autofocus`}><strong><bdi>${orderName({ order_ref, order_ref_1 })}</bdi></strong></a>
<span class="quiet">${order_ref_2 && html`<bdi>${order_ref_2}</bdi> · `}${merchant} · ${amount.string}</span></p>
<p class="quiet">${durationWords(now - since)}, since ${timeMarkup(new Date(since).toISOString())}</p></div>
<div class="decisions">${decisionsOf(order).map((each) => decisionMarkup(order, each, { address, query, isOpen: false }))}</div>
</li>`
}

const section = (page: DecisionsOnPage, { kind, lines, next }: WaitingPage): Markup => {
  const [heading, words] = TASKS[kind]
  const { kind: onlyKind, merchant, after } = page.queue
  const isOnly = onlyKind !== null
  return card(
    heading,
    html`${lines.length === 0 ? html`<p class="inside">${isOnly && after !== null ? 'No more orders wait here.' : 'No order waits here.'}</p>` : html`<ol class="rows" role="list">${lines.map((line, index) => row(page, kind, line, index === 0))}</ol>`}
${isOnly && after !== null && html`<p class="inside"><a href="decisions${queueQuery({ kind, merchant })}">From the oldest</a></p>`}
${next !== null && html`<p class="inside"><a href="decisions${queueQuery({ kind, merchant, after: isOnly ? next : null })}" rel="next">${isOnly ? 'Later ones' : `All: ${heading.toLowerCase()}`}</a></p>`}`,
    html`<span class="quiet">Orders ${words}</span>`,
  )
}

const merchantFilter = ({ kind, merchant }: Queue): Markup => html`<form class="filter">
${kind !== null && html`<input type="hidden" name="kind" value="${kind}">`}
<label for="merchant">Merchant</label>
<input id="merchant" name="merchant" value="${merchant ?? ''}" autocomplete="off" spellcheck="false">
<button class="other">Show</button>
</form>`

export const decisionsPage = (page: DecisionsOnPage): Markup => {
  const { queue, sections, notice } = page
  const filled = sections.filter(({ kind, lines }) => lines.length > 0 || kind === queue.kind)
  return html`${notice}
<div class="title"><h1>Decisions</h1> <span class="quiet">oldest first, <kbd>j</kbd> and <kbd>k</kbd> to move</span>
${(queue.kind !== null || queue.merchant !== null) && html`<a href="decisions">All decisions</a>`}
<span class="actions">${merchantFilter(queue)}</span></div>
<nav class="tiles" aria-label="Kinds">${TASK_NAMES.map((kind) => tile(page, kind))}</nav>
${filled.length === 0 ? html`<p class="notice good"><strong>No order waits for a decision.</strong></p>` : filled.map((each) => section(page, each))}`
}
