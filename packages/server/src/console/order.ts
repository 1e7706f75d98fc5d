// The page of an order says first what keeps the order from going on, with the remedy beside it. Then
// follow what was sent to the shop and what happened. It shows nothing of the shopper, whose data is a file. The link
// `cancellation_request_url` leads here. A form sends what its reader saw of the order, so that
// nothing is done about an order that has changed. Interface §2.3, contract §7.
import {
  agreementOf,
  type Delivery,
  explainOrder,
  explanationView,
  historyLine,
  money,
  type Order,
  paidTotal,
  restingStateOf,
} from '@plazo/core/internal'
import { Hono } from 'hono'
import { html } from 'hono/html'
import { failureWords } from '../api/deliveries/attempt-words.ts'
import { DECISION_NAMES, type DecisionName } from '../api/orders/decisions.ts'
import { operatorActs } from '../api/orders/operator-acts.ts'
import type { Markup } from '../http/page/page.ts'
import { eventNames, eventNote, eventWords, orderStateWords } from '../http/page/script/words.ts'
import { HandlerError } from '../http/problem.ts'
import { formBody } from '../http/request.ts'
import { uuidParam, value } from '../http/route.ts'
import { PLAZO } from '../settings/own-commands.ts'
import { decisionForms, doneMarkup } from './decisions.ts'
import { type ConsoleParts, card, orderOnPage, see, timeMarkup } from './frame.ts'
import {
  blockerOf,
  deliveriesMarkup,
  deliveryName,
  resendMarkup,
  runsOf,
} from './order-deliveries.ts'

/** The newest of each; a page of all could be megabytes. */
const LINES_SHOWN = 200
const DELIVERIES_SHOWN = 20
const ANSWERS_SHOWN = 5

const CHANGED = 'There was another attempt since this page was made. Look at it, then decide.'

const hasFailed = ({ state, attempts }: Delivery): boolean =>
  state !== 'delivered' && attempts.some(({ outcome }) => outcome !== 'accepted')

/** The delivery that decides: the IPN before a cancel request, and this before any other event. */
const failingDelivery = (deliveries: readonly Delivery[]): Delivery | undefined => {
  const failing = deliveries.filter(hasFailed)
  const newest = (name: string) => failing.findLast(({ event }) => event === name)
  return newest('ipn') ?? newest('cancel') ?? failing.find(({ state }) => state !== 'stopped')
}

const readOrder = async (host: ConsoleParts['host'], orderRef: string) => {
  const { read, history, inspection, deliveries } = host.store
  const order = await value(read(orderRef))
  const [explanation, newest, requests, listed] = await Promise.all([
    value(explainOrder(host)(order)),
    value(history(orderRef, null, LINES_SHOWN)),
    value(inspection.requests(orderRef)),
    value(
      deliveries.list({
        merchantRef: order.placed.merchant.ref,
        orderRef,
        state: null,
        before: null,
        limit: DELIVERIES_SHOWN,
        responses: ANSWERS_SHOWN,
      }),
    ),
  ])
  return { order, explanation, history: newest, requests, deliveries: listed }
}

type OrderOnPage = Awaited<ReturnType<typeof readOrder>>

const CHARACTERS_QUOTED = 160
// A text of many `<` takes the square of its length.
const CHARACTERS_READ = 2_000

/** The beginning of an answer without its markup. */
const quoteAnswer = (response: string): string =>
  response
    .slice(0, CHARACTERS_READ)
    .replaceAll(/<[^>]*>|\s+/g, ' ')
    .trim()
    .slice(0, CHARACTERS_QUOTED)

const failureMarkup = (delivery: Delivery): Markup | false => {
  const run = runsOf(delivery).at(0)
  if (run === undefined) return false
  const [{ status, error, response }] = run
  const name = deliveryName(delivery)
  const answer = quoteAnswer(response ?? '')
  return html`<p><strong>${
    status === null
      ? `The ${name} does not reach the shop: ${failureWords(error ?? 'lost')}`
      : `The shop answers ${status} to the ${name}`
  }</strong>, ${run.length > 1 && `${run.length} times `}since ${timeMarkup((run.at(-1) ?? run[0]).startedAt)}.
${answer && html`Its page says: <em><bdi>${answer}</bdi></em>`}</p>`
}

/** `failing`: the delivery that decides. */
const causeMarkup = (
  shown: OrderOnPage,
  failing: Delivery | undefined,
  decisions: readonly Markup[],
): Markup => {
  const { order, explanation, deliveries } = shown
  const { sentences } = explanationView(order, explanation)
  const { awaits } = explanation
  const stuck = awaits.find(({ what }) => what === 'job.retried')?.job
  const waiting = deliveries.filter((each) => blockerOf(each, deliveries)).map(({ id }) => id)
  const others = sentences.awaits.filter((_, n) => {
    const { who, job = null } = awaits[n] ?? {}
    return who !== 'operator' && (job === null || ![failing?.id, ...waiting].includes(job))
  })
  const region = order.state.cancellation === 'none' ? 'checkout' : 'cancellation'
  return html`<section class="card${failing && ' wrong'}"><h2 class="unseen">Why is it here?</h2><div class="stack">
${stuck && html`<p><strong>An internal error stopped a job.</strong> See the log, then run <code>${PLAZO} deliveries retry ${stuck}</code>.</p>`}
${failing ? failureMarkup(failing) : html`<p><strong>${restingStateOf(region, order.state).caption}.</strong></p>`}
<p>${sentences.by_itself}</p>
<div class="actions">${decisions}${failing && resendMarkup(failing, shown)}</div>
<ul>${[...Map.groupBy(others, (text) => text)].map(([text, { length }]) => html`<li>${text}${length > 1 && ` (${length} times)`}</li>`)}${waiting.length > 0 && html`<li>${waiting.length} more wait for an earlier one.</li>`}</ul>
</div></section>`
}

const orderCard = (order: Order): Markup => {
  const view = orderOnPage(order)
  const { product, instalmentCount } = agreementOf(order)
  const paid = paidTotal(order.context)
  const facts = {
    'Second reference': view.order_ref_2,
    Id: html`<code>${view.order_ref}</code>`,
    Placed: timeMarkup(view.created_at),
    Payments: html`${instalmentCount} <code class="wire">${product}</code>`,
    'Reduced from': view.reduced_from?.string,
    Paid: paid > 0 && money(paid, order.placed.currency, 'en').string,
    Refunded: view.refunded?.string,
  }
  // References are a merchant's own text, and may be written in any direction.
  return card(
    'Order',
    html`<dl>
${Object.entries(facts).map(([name, fact]) => fact && html`<dt>${name}</dt><dd><bdi>${fact}</bdi></dd>`)}
</dl>
<form method="post" action="../orders/${view.order_ref}/personal-data"><button class="other">Download the shopper’s data</button></form>
<p><a href="../orders/${view.order_ref}/erase">Erase the shopper…</a></p>`,
    html`<a href="../../machine/orders/${view.order_ref}">Statechart</a>`,
  )
}

const orderPage = (shown: OrderOnPage, decisions: readonly Markup[]): Markup => {
  const { order, deliveries, history } = shown
  const { order_ref, order_ref_1, amount, merchant, state } = orderOnPage(order)
  const failing = failingDelivery(deliveries)
  const items = history.lines.map((stored) => {
    // Merchants read the detail without the operator's name.
    const line = { ...historyLine(stored), detail: stored.detail }
    // The delivery has each attempt.
    if (line.event === 'ipn.erred') return ''
    return html`<li>${timeMarkup(line.at)}
<div><p>${eventWords(line)} <span class="quiet">${eventNote(line)}</span></p>
<p class="quiet wire">${line.seq} <code>${eventNames(line)}</code></p></div></li>`
  })
  return html`<header><h1>Order <bdi>${order_ref_1 || order_ref}</bdi></h1>
<span class="pill busy">${orderStateWords(state)}</span>
<span><a href="../merchants/${encodeURIComponent(merchant)}">${merchant}</a> · ${amount.string}</span></header>
<div class="beside"><div class="stack">
${causeMarkup(shown, failing, decisions)}
${deliveriesMarkup(shown, failing?.id)}
${card(
  'What happened, newest first',
  html`<ol class="rows" role="list">${items}</ol>
${history.next !== null && html`<p>For older lines, run <code>${PLAZO} orders show ${order_ref}</code>.</p>`}`,
  html`<label class="quiet"><input type="checkbox" id="wire"> names for programs</label>`,
)}
</div><div class="stack">
${orderCard(order)}
</div></div>`
}

export const orderPages = (parts: ConsoleParts) => {
  const { host, show } = parts
  const { store, clock } = host
  const acts = operatorActs(parts)

  return new Hono()
    .get('/orders/:uuid', async (c) => {
      const orderRef = uuidParam(c)
      const found = await readOrder(host, orderRef)
      const forms = decisionForms(host)(
        found.order,
        `../orders/${orderRef}`,
        new URL(c.req.url).search,
      )
      return show(c, {
        title: `${orderStateWords(orderOnPage(found.order).state)}: order ${orderRef}`,
        body: html`${c.req.query('done') && doneMarkup(found.order)}${orderPage(found, forms)}`,
      })
    })
    .post(`/orders/:uuid/decisions/:name{${DECISION_NAMES.join('|')}}`, async (c) => {
      const orderRef = uuidParam(c)
      // The path has only these.
      const name = c.req.param('name') as DecisionName
      const page = c.req.query('kind') === undefined ? `/orders/${orderRef}` : '/decisions'
      const { revision } = await formBody(c, ['revision'])
      await value(acts.decide(c, orderRef, name, Number(revision)), page)
      return see(c, `${page}?${new URLSearchParams({ ...c.req.query(), done: orderRef })}`)
    })
    .post('/orders/:uuid/personal-data', async (c) => {
      await formBody(c, [])
      const orderRef = uuidParam(c)
      const data = await value(acts.showData(c, orderRef), `/orders/${orderRef}`)
      return c.json(data, 200, {
        'cache-control': 'no-store',
        'content-disposition': `attachment; filename="personal-data-${orderRef}.json"`,
      })
    })
    .post('/orders/:uuid/resend/:id', async (c) => {
      const orderRef = uuidParam(c)
      const page = `/orders/${orderRef}`
      const { attempts } = await formBody(c, ['attempts'])
      const { merchant } = (await value(store.read(orderRef))).placed
      const delivery = await value(store.deliveries.find(merchant.ref, c.req.param('id')))
      if (delivery.orderRef !== orderRef || attempts !== String(delivery.attempts.length))
        throw new HandlerError({ _tag: 'Refused', sentences: [CHANGED] }, page)
      await value(store.deliveries.resend(merchant.ref, delivery.id, clock.now()), page)
      return see(c, `${page}?done=${orderRef}`)
    })
}
