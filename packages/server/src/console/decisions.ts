// The list of orders that wait for an operator: how many of each kind, for how long, and each with
// its decisions, so that many orders are decided without leaving it. It shows no shopper's data.
import { type OperatorTask, type Order, orderViewIn } from '@plazo/core'
import { LOOKED_AT_MAX, type OperatorTaskCount, type WaitingOrder } from '@plazo/core/ports'
import { Hono } from 'hono'
import { html } from 'hono/html'
import type { Markup } from '../http/page/page.ts'
import { orderName } from '../http/page/script/formats.ts'
import { UUID } from '../http/request.ts'
import { DECISION_NAMES } from '../orders/decisions.ts'
import { decisionForms, doneMarkup } from './decision-forms.ts'
import { type Place, placeQuery, readPlace, TASK_NAMES, TASKS } from './decision-place.ts'
import { card, timeMarkup } from './frame.ts'
import { type ConsoleEnv, type ConsoleParts, value } from './handler.ts'
import { durationWords, shortCount } from './words.ts'

/** The orders of a page, and those of each kind on the page of all kinds. */
const LISTED = 20
const LISTED_OF_EACH = 5

type Section = { readonly kind: OperatorTask; readonly lines: readonly WaitingOrder[] }

type Decisions = {
  readonly place: Place
  /** Of the kinds that have any. */
  readonly counts: readonly OperatorTaskCount[]
  readonly sections: readonly Section[]
  readonly formsOf: ReturnType<typeof decisionForms>
  readonly notice: Markup | ''
  readonly now: number
}

const tile = ({ place, counts, now }: Decisions, kind: OperatorTask): Markup => {
  const { merchant } = place
  const count = counts.find(({ task }) => task === kind)
  return html`<a class="tile" href="decisions${placeQuery({ kind, merchant })}"${kind === place.kind && html` aria-current="page"`}>
<span>${TASKS[kind][0]}</span> <strong>${count === undefined ? '0' : shortCount(count)}</strong>
<span class="quiet">${count === undefined ? 'none' : `the oldest for ${durationWords(now - count.since)}`}</span></a>`
}

const row = (
  { place, formsOf, now }: Decisions,
  kind: OperatorTask,
  { order, since, position }: WaitingOrder,
  isNext: boolean,
): Markup => {
  const { order_ref, order_ref_1, order_ref_2, merchant, amount } = orderViewIn('en')(order)
  const query = placeQuery({ ...place, kind, at: position })
  const page = `orders/${order_ref}`
  return html`<li data-row class="waiting">
<div><p><a href="${page}${query}"${isNext && html` autofocus`}><strong><bdi>${orderName({ order_ref, order_ref_1 })}</bdi></strong></a>
<span class="quiet">${order_ref_2 && html`<bdi>${order_ref_2}</bdi> · `}${merchant} · ${amount.string}</span></p>
<p class="quiet">${durationWords(now - since)}, since ${timeMarkup(new Date(since).toISOString())}</p></div>
<div class="decisions">${formsOf(order, page, query)}</div>
</li>`
}

const sectionMarkup = (page: Decisions, { kind, lines }: Section): Markup => {
  const [heading, words] = TASKS[kind]
  const { kind: onlyKind, merchant, after, at } = page.place
  const isOnly = onlyKind !== null
  const isFull = lines.length === (isOnly ? LISTED : LISTED_OF_EACH)
  const next = lines.find(({ position }) => position > (at ?? 0)) ?? lines[0]
  const rest = { kind, merchant, after: isOnly ? (lines.at(-1)?.position ?? null) : null }
  return card(
    heading,
    html`${lines.length === 0 ? html`<p class="inside">${isOnly && after !== null ? 'No more orders wait here.' : 'No order waits here.'}</p>` : html`<ol class="rows" role="list">${lines.map((line) => row(page, kind, line, page.notice !== '' && line === next))}</ol>`}
${isOnly && after !== null && html`<p class="inside"><a href="decisions${placeQuery({ kind, merchant })}">From the oldest</a></p>`}
${isFull && html`<p class="inside"><a href="decisions${placeQuery(rest)}" rel="next">${isOnly ? 'Later ones' : `All: ${heading.toLowerCase()}`}</a></p>`}`,
    html`<span class="quiet">Orders ${words}</span>`,
  )
}

const merchantFilter = ({ kind, merchant }: Place): Markup => html`<form class="filter">
${kind !== null && html`<input type="hidden" name="kind" value="${kind}">`}
<label for="merchant">Merchant</label>
<input id="merchant" name="merchant" value="${merchant ?? ''}" autocomplete="off" spellcheck="false">
<button class="other">Show</button>
</form>`

const decisionsPage = (page: Decisions): Markup => {
  const { place, sections, notice } = page
  const filled = sections.filter(({ kind, lines }) => lines.length > 0 || kind === place.kind)
  return html`${notice}
<div class="title"><h1>Decisions</h1> <span class="quiet">oldest first, <kbd>j</kbd> and <kbd>k</kbd> to move</span>
${(place.kind !== null || place.merchant !== null) && html`<a href="decisions">All decisions</a>`}
<span class="actions">${merchantFilter(place)}</span></div>
<nav class="tiles" aria-label="Kinds">${TASK_NAMES.map((kind) => tile(page, kind))}</nav>
${filled.length === 0 ? html`<p class="notice good"><strong>No order waits for a decision.</strong></p>` : filled.map((each) => sectionMarkup(page, each))}`
}

export const decisionPages = ({ host, show }: ConsoleParts) => {
  const { orders, read } = host.store

  const readSections = ({ kind, merchant, after }: Place): Promise<readonly Section[]> =>
    Promise.all(
      (kind === null ? TASK_NAMES : [kind]).map(async (each) => ({
        kind: each,
        lines: await value(
          orders.waiting(each, merchant, after, kind === null ? LISTED_OF_EACH : LISTED),
        ),
      })),
    )

  /** The decision that led here. */
  const noticeOf = (done: string | undefined, order: Order): Markup | '' => {
    const name = DECISION_NAMES.find((each) => each === done)
    return name === undefined
      ? ''
      : html`<p class="notice good" role="status">${doneMarkup(order, name)}</p>`
  }

  return new Hono<ConsoleEnv>().get('/decisions', async (c) => {
    const place = await value(async () => readPlace(c))
    const { done, order = '' } = c.req.query()
    const body = decisionsPage({
      place,
      notice: UUID.test(order) ? noticeOf(done, await value(read(order))) : '',
      counts: await value(orders.countWaiting(place.merchant, LOOKED_AT_MAX)),
      sections: await readSections(place),
      formsOf: decisionForms(host),
      now: host.clock.now(),
    })
    return show(c, { title: 'Decisions', area: 'decisions', body })
  })
}
