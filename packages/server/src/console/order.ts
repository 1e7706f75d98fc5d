// The page of an order says first what keeps the order from going on, with the remedy beside it. Then
// follow what was sent to the shop and what happened. It never shows the shopper's data. The link
// `cancellation_request_url` leads here. A form sends what its reader saw of the order, so that
// nothing is done about an order that has changed. Interface §2.3, contract §7.
import { agreementOf, explainOrder, historyLine, type Order, paidTotal } from '@plazo/core'
import { type HistoryLine, money } from '@plazo/core/protocol'
import { Hono } from 'hono'
import { html } from 'hono/html'
import { PLAZO } from '../command-line/own-commands.ts'
import { PageError, value } from '../http/answers.ts'
import { formBody } from '../http/body.ts'
import { type Markup, rootFrom } from '../http/page/page.ts'
import { eventNames, eventNote, eventWords, orderStateWords } from '../http/page/script/words.ts'
import { DECISION_NAMES } from '../orders/decisions.ts'
import { operatorActs } from '../orders/operator-acts.ts'
import { decisionForms, doneMarkup } from './decision-forms.ts'
import { card, orderOnPage, timeMarkup } from './frame.ts'
import { type ConsoleParts, orderRefOf, see } from './handler.ts'
import { causeMarkup, type ExplainedOrder, failingDelivery } from './order-cause.ts'
import { deliveriesMarkup } from './order-deliveries.ts'

/** The newest of each; a page of all could be megabytes. */
const LINES_SHOWN = 200
const DELIVERIES_SHOWN = 20
const ANSWERS_SHOWN = 5

const CHANGED = 'There was another attempt since this page was made. Look at it, then decide.'

type OrderOnPage = ExplainedOrder & {
  /** Newest first. */
  readonly lines: readonly HistoryLine[]
  readonly hasOlderLines: boolean
}

const orderCard = (order: Order, root: string): Markup => {
  const view = orderOnPage(order)
  const { product, instalmentCount } = agreementOf(order)
  const paid = paidTotal(order.context)
  const facts = {
    Reference: view.order_ref_1,
    'Second reference': view.order_ref_2,
    Id: html`<code>${view.order_ref}</code>`,
    Placed: timeMarkup(view.created_at),
    Plan: html`${instalmentCount} ${instalmentCount === 1 ? 'payment' : 'payments'} <code class="wire">${product}</code>`,
    'Reduced from': view.reduced_from?.string,
    Paid: paid > 0 && money(paid, order.placed.currency, 'en').string,
    Refunded: view.refunded?.string,
  }
  // References are a merchant's own text, and may be written in any direction.
  return card(
    'Order',
    html`<dl class="inside">
${Object.entries(facts).map(([name, fact]) => fact && html`<dt>${name}</dt><dd><bdi>${fact}</bdi></dd>`)}
</dl>
<p class="inside"><a href="${root}console/orders/${view.order_ref}/erase">Erase the shopper…</a></p>`,
    html`<a href="${root}machine/orders/${view.order_ref}">Statechart</a>`,
  )
}

const historyItem = (line: HistoryLine): Markup => html`<li>${timeMarkup(line.at)}
<div><p>${eventWords(line)} <span class="quiet">${eventNote(line)}</span></p>
<p class="quiet wire">${line.seq} <code>${eventNames(line)}</code></p></div></li>`

const orderPage = (shown: OrderOnPage, decisions: readonly Markup[], root: string): Markup => {
  const { order, deliveries, lines, hasOlderLines } = shown
  const { order_ref, order_ref_1, amount, merchant, state } = orderOnPage(order)
  return html`<div class="title"><h1>Order <bdi>${order_ref_1 || order_ref}</bdi></h1>
<span class="pill busy">${orderStateWords(state)}</span>
<span><a href="${root}console/merchants/${encodeURIComponent(merchant)}">${merchant}</a> · ${amount.string}</span></div>
<div class="beside"><div class="stack">
${causeMarkup(shown, decisions, root)}
${deliveriesMarkup(shown, root, failingDelivery(deliveries)?.id)}
${card(
  'What happened, newest first',
  html`<ol class="rows" role="list">${lines.filter(({ event }) => event !== 'ipn.erred').map(historyItem)}</ol>
${hasOlderLines && html`<p class="inside">For older lines, run <code>${PLAZO} orders show ${order_ref}</code>.</p>`}`,
  html`<label class="quiet"><input type="checkbox" id="wire"> names for programs</label>`,
)}
</div><div class="stack">
${orderCard(order, root)}
</div></div>`
}

export const orderPages = (parts: ConsoleParts) => {
  const { host, show } = parts
  const { store, clock } = host
  const acts = operatorActs(parts)

  const readOrder = async (orderRef: string): Promise<OrderOnPage> => {
    const order = await value(store.read(orderRef))
    const [explanation, history, requests, deliveries] = await Promise.all([
      value(explainOrder(host)(order)),
      value(store.history(orderRef, null, LINES_SHOWN)),
      value(store.inspection.requests(orderRef)),
      value(
        store.deliveries.list({
          merchantRef: order.placed.merchant.ref,
          orderRef,
          state: null,
          before: null,
          limit: DELIVERIES_SHOWN,
          responses: ANSWERS_SHOWN,
        }),
      ),
    ])
    return {
      order,
      explanation,
      requests,
      deliveries,
      // Merchants read the detail without the operator's name.
      lines: history.lines.map((line) => ({ ...historyLine(line), detail: line.detail })),
      hasOlderLines: history.next !== null,
    }
  }

  return new Hono()
    .get('/orders/:uuid', async (c) => {
      const orderRef = await orderRefOf(c)
      const found = await readOrder(orderRef)
      const root = rootFrom(c)
      const page = `${root}console/orders/${orderRef}`
      const forms = decisionForms(host)(found.order, page, new URL(c.req.url).search)
      return show(c, {
        title: `${orderStateWords(orderOnPage(found.order).state)}: order ${orderRef}`,
        body: html`${c.req.query('done') && doneMarkup(found.order)}${orderPage(found, forms, root)}`,
      })
    })
    .post(`/orders/:uuid/decisions/:name{${DECISION_NAMES.join('|')}}`, async (c) => {
      const orderRef = await orderRefOf(c)
      const name = DECISION_NAMES.find((each) => each === c.req.param('name')) ?? 'approve'
      const page = c.req.query('kind') === undefined ? `/orders/${orderRef}` : '/decisions'
      const { revision } = await value(formBody(c, ['revision']))
      await value(acts.decide(c, orderRef, name, Number(revision)), page)
      return see(c, `${page}?${new URLSearchParams({ ...c.req.query(), done: orderRef })}`)
    })
    .post('/orders/:uuid/resend/:id', async (c) => {
      const orderRef = await orderRefOf(c)
      const page = `/orders/${orderRef}`
      const { merchant } = (await value(store.read(orderRef))).placed
      const delivery = await value(store.deliveries.find(merchant.ref, c.req.param('id')))
      const { attempts } = await value(formBody(c, ['attempts']))
      if (delivery.orderRef !== orderRef || attempts !== String(delivery.attempts.length))
        throw new PageError({ _tag: 'Refused', sentences: [CHANGED] }, page)
      await value(store.deliveries.resend(merchant.ref, delivery.id, clock.now()), page)
      return see(c, `${page}?done=${orderRef}`)
    })
}
