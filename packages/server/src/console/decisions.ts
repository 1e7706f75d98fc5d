// The list of orders that wait for an operator: how many of each kind, for how long, and each with
// its decisions, so that many orders are decided without leaving it. It shows no shopper's data.
import { type OperatorTask, orderViewIn } from '@plazo/core'
import { LOOKED_AT_MAX, type OperatorTaskCount, type WaitingOrder } from '@plazo/core/ports'
import { Hono } from 'hono'
import { html } from 'hono/html'
import { value } from '../http/answers.ts'
import type { Markup } from '../http/page/page.ts'
import { orderName } from '../http/page/script/formats.ts'
import { UUID } from '../http/request.ts'
import { decisionForms, doneMarkup } from './decision-forms.ts'
import { type Place, placeQuery, readPlace, TASK_NAMES, TASKS } from './decision-place.ts'
import { card, timeMarkup } from './frame.ts'
import type { ConsoleParts } from './handler.ts'
import { durationWords, shortCount } from './words.ts'

const LISTED = 20

type Decisions = {
  readonly place: Place & { readonly kind: OperatorTask }
  /** Of the kinds that have any. */
  readonly counts: readonly OperatorTaskCount[]
  readonly lines: readonly WaitingOrder[]
  readonly formsOf: ReturnType<typeof decisionForms>
  readonly now: number
}

const tile = ({ place, counts, now }: Decisions, kind: OperatorTask): Markup => {
  const { merchant } = place
  const count = counts.find(({ task }) => task === kind)
  return html`<a class="tile" href="decisions${placeQuery({ kind, merchant })}"${kind === place.kind && html` aria-current="page"`}>
<span>${TASKS[kind][0]}</span> <strong>${count ? shortCount(count) : '0'}</strong>
<span class="quiet">${count ? `the oldest for ${durationWords(now - count.since)}` : 'none'}</span></a>`
}

/** `isNext`: it has the focus. */
const row = (
  { place, formsOf, now }: Decisions,
  { order, since, position }: WaitingOrder,
  isNext: boolean,
): Markup => {
  const view = orderViewIn('en')(order)
  const query = placeQuery({ ...place, after: position })
  const page = `orders/${view.order_ref}`
  return html`<li data-row class="waiting">
<div><p><a href="${page}${query}"${isNext && html` autofocus`}><strong><bdi>${orderName(view)}</bdi></strong></a>
<span class="quiet">${view.order_ref_2 && html`<bdi>${view.order_ref_2}</bdi> · `}${view.merchant} · ${view.amount.string}</span></p>
<p class="quiet">${durationWords(now - since)}, since ${timeMarkup(new Date(since).toISOString())}</p></div>
<div class="decisions">${formsOf(order, page, query)}</div>
</li>`
}

const decisionsPage = (page: Decisions): Markup => {
  const { place, lines } = page
  const { kind, merchant, after } = place
  const [heading, words] = TASKS[kind]
  return html`<div class="title"><h1>Decisions</h1> <span class="quiet">oldest first, <kbd>j</kbd> and <kbd>k</kbd> to move</span>
<form class="filter actions"><input type="hidden" name="kind" value="${kind}">
<label for="merchant">Merchant</label>
<input id="merchant" name="merchant" value="${merchant ?? ''}" autocomplete="off" spellcheck="false">
<button class="other">Show</button></form></div>
<nav class="tiles" aria-label="Kinds">${TASK_NAMES.map((each) => tile(page, each))}</nav>
${card(
  heading,
  html`<ol class="rows" role="list">${lines.map((line, n) => row(page, line, after !== null && n === 0))}</ol>
${lines.length === 0 && html`<p class="inside">No order waits here.</p>`}
${after !== null && html`<p class="inside"><a href="decisions${placeQuery({ kind, merchant })}">From the oldest</a></p>`}
${lines.length === LISTED && html`<p class="inside"><a href="decisions${placeQuery({ ...place, after: lines.at(-1)?.position ?? null })}" rel="next">Later ones</a></p>`}`,
  html`<span class="quiet">Orders ${words}</span>`,
)}`
}

export const decisionPages = ({ host, show }: ConsoleParts) =>
  new Hono().get('/decisions', async (c) => {
    const { orders, read } = host.store
    const place = readPlace(c)
    const { merchant, after } = place
    const counts = await value(orders.countWaiting(merchant, LOOKED_AT_MAX))
    const urgent = TASK_NAMES.find((each) => counts.some(({ task }) => task === each))
    const kind = place.kind ?? urgent ?? 'review'
    const readLines = (from: number | null) => value(orders.waiting(kind, merchant, from, LISTED))
    const rest = await readLines(after)
    const { done } = c.req.query()
    const notice = done && UUID.test(done) && doneMarkup(await value(read(done)))
    const body = decisionsPage({
      place: { ...place, kind },
      counts,
      // Behind the last order, the list begins again.
      lines: rest.length > 0 || after === null ? rest : await readLines(null),
      formsOf: decisionForms(host),
      now: host.clock.now(),
    })
    return show(c, { title: 'Decisions', area: 'decisions', body: html`${notice}${body}` })
  })
