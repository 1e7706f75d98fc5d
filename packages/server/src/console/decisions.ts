// The list of orders that wait for an operator, each with its decisions, so that many orders are
// decided without leaving it. The list's place is in the address of each form, so that it comes back
// with the next order. A decision is offered with its consequences, which are a trial of it, and with
// the order's revision, so that a form decides only about the order that its reader saw.
import {
  type Consequences,
  type Host,
  LOOKED_AT_MAX,
  money,
  nameOnWire,
  type OperatorTask,
  type Order,
  REGIONS,
  tryDecision,
  type WaitingOrder,
} from '@plazo/core/internal'
import { Hono } from 'hono'
import { html } from 'hono/html'
import { DECISION_NAMES, DECISIONS, type DecisionName } from '../api/orders/decisions.ts'
import type { Markup } from '../http/page/page.ts'
import { countdown, orderName } from '../http/page/script/formats.ts'
import { jobWords, orderStateWords, stateWords } from '../http/page/script/words.ts'
import { UUID } from '../http/request.ts'
import { value } from '../http/route.ts'
import { type ConsoleParts, card, countWords, orderOnPage, timeMarkup } from './frame.ts'

/** A heading, and what follows “3 orders”. The most urgent first. */
export const TASKS: Readonly<Record<OperatorTask, readonly [heading: string, words: string]>> = {
  review: ['On hold', 'on hold. Approve or reject.'],
  unanswered: [
    'Cancel unanswered',
    'whose cancel request the shop has not answered in a week. Cancel, or ask again.',
  ],
  unsupported: [
    'Cancel unsupported',
    'whose shop does not support the event cancel. Cancel, or ask again.',
  ],
  asked: [
    'Asked to cancel',
    'whose shop was asked to cancel and has not decided. Wait, or cancel without the shop.',
  ],
}

export const TASK_NAMES = Object.keys(TASKS) as readonly OperatorTask[]

const LISTED = 20

const queryOf = (fields: Readonly<Record<string, string>>): string =>
  `?${new URLSearchParams(fields)}`

export const decisionPages = ({ host, show }: ConsoleParts) => {
  const { store, clock } = host
  const formsOf = decisionForms(host)

  /** `hasFocus`: its link. */
  const row = ({ order, since }: WaitingOrder, query: string, hasFocus: boolean): Markup => {
    const view = orderOnPage(order)
    const page = `orders/${view.order_ref}`
    return html`<li data-row class="actions">
<div><p><a href="${page}${query}"${hasFocus && html` autofocus`}><strong><bdi>${orderName(view)}</bdi></strong></a>
<span class="quiet">${view.merchant} · ${view.amount.string}</span></p>
<p class="quiet">${countdown(clock.now() - since)}, since ${timeMarkup(since)}</p></div>
<div class="actions">${formsOf(order, page, query)}</div>
</li>`
  }

  return new Hono().get('/decisions', async (c) => {
    const { kind: asked, merchant = '', after = '', done = '' } = c.req.query()
    const counts = await value(store.orders.countWaiting(merchant || null, LOOKED_AT_MAX))
    const [kind = 'review'] = [
      ...TASK_NAMES.filter((each) => each === asked),
      ...TASK_NAMES.filter((each) => counts.some(({ task }) => task === each)),
    ]
    const from = /^\d{1,15}$/.test(after) ? Number(after) : null
    const lines = await value(store.orders.waiting(kind, merchant || null, from, LISTED))
    const queryAfter = ({ position }: WaitingOrder) =>
      queryOf({ kind, merchant, after: String(position) })
    const last = lines.at(LISTED - 1)
    const tile = (each: OperatorTask): Markup => {
      const count = counts.find(({ task }) => task === each) ?? { count: 0, isExact: true }
      return html`<a class="card" href="decisions${queryOf({ kind: each, merchant })}"${each === kind && html` aria-current="page"`}>
<span>${TASKS[each][0]}</span> <strong>${countWords(count)}</strong></a>`
    }
    const body = html`${UUID.test(done) && doneMarkup(await value(store.read(done)))}
<header><h1>Decisions</h1> <span class="quiet">oldest first, <kbd>j</kbd> and <kbd>k</kbd> to move</span>
<form class="actions"><input type="hidden" name="kind" value="${kind}">
<input name="merchant" value="${merchant}" aria-label="Merchant" placeholder="Merchant"></form></header>
<nav class="columns" aria-label="Kinds">${TASK_NAMES.map(tile)}</nav>
${card(
  `Orders ${TASKS[kind][1]}`,
  html`<ol class="rows" role="list">${lines.map((line, n) => row(line, queryAfter(line), done !== '' && n === 0))}</ol>
<p>${lines.length === 0 && 'No order waits here.'}${last && html`<a href="decisions${queryAfter(last)}" rel="next">Later ones</a>`}</p>`,
)}`
    return show(c, { title: 'Decisions', body })
  })
}

/** `key`: opens the consequences. `isFinal`: it ends the order for good. */
const BUTTONS: {
  readonly [name in DecisionName]: readonly [title: string, key: string, isFinal?: true]
} = {
  approve: ['Approve', 'a'],
  reject: ['Reject', 'r', true],
  'request-cancellation': ['Ask the merchant to cancel', 'm'],
  cancel: ['Cancel the order', 'c', true],
}

/** Says what a decision or a resend led to. */
export const doneMarkup = (order: Order): Markup => {
  const view = orderOnPage(order)
  return html`<p class="notice good" role="status">Done. Order <bdi>${orderName(view)}</bdi>: ${orderStateWords(view.state)}.</p>`
}

const consequences = (
  order: Order,
  { state, effects, refunded }: Consequences,
): readonly string[] => [
  ...REGIONS.filter((region) => state[region] !== order.state[region]).map(
    (region) => `Its state is then: ${stateWords(region, nameOnWire(region, state))}.`,
  ),
  ...effects.flatMap((effect) => {
    if (effect.type !== 'do' || effect.payload.kind === 'timer') return []
    const name = effect.payload.kind === 'event' ? `: ${effect.payload.event}` : ''
    return [`${jobWords(effect.lane)}${name}.`]
  }),
  refunded === 0
    ? 'No money moves.'
    : `The shopper gets back ${money(refunded, order.placed.currency, 'en').string}.`,
]

/**
 * The decisions that the order allows now. `page`: the order's page, relative to where they are
 * shown. `query`: the operator's place in the list of decisions.
 */
export const decisionForms =
  (host: Host) =>
  (order: Order, page: string, query: string): readonly Markup[] =>
    DECISION_NAMES.flatMap((name) => {
      const { event, description } = DECISIONS[name]
      const outcome = tryDecision(host)(order, event)
      if (outcome === null) return []
      const [title, key, isFinal] = BUTTONS[name]
      return html`<details data-key="${key}">
<summary class="button ${isFinal ? 'final' : 'other'}">${title}… <kbd>${key}</kbd></summary>
<form method="post" action="${page}/decisions/${name}${query}">
<p>${description}</p>
<ul>${consequences(order, outcome).map((sentence) => html`<li>${sentence}</li>`)}</ul>
<input type="hidden" name="revision" value="${order.revision}">
<button${isFinal && html` class="final"`}>Yes, ${title.toLowerCase()}${isFinal && ' for good'}</button>
</form>
</details>`
    })
