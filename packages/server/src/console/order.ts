// The page of an order says first what keeps the order from going on, with the remedy beside it. Then
// follow what was sent to the shop and what happened. It never shows the shopper's data. The link
// `cancellation_request_url` leads here. A form sends what its reader saw of the order, so that
// nothing is done about an order that has changed. Interface §2.3, contract §7.
import {
  agreementOf,
  explainOrder,
  historyLine,
  type Order,
  orderViewIn,
  paidTotal,
} from '@plazo/core'
import { addressOf, type Delivery } from '@plazo/core/ports'
import { type HistoryLine, money } from '@plazo/core/protocol'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { type Context, Hono } from 'hono'
import { html } from 'hono/html'
import { PLAZO } from '../command-line/own-commands.ts'
import { formBody } from '../http/body.ts'
import { type Markup, rootFrom } from '../http/page/page.ts'
import { eventNames, eventNote, eventWords, orderStateWords } from '../http/page/script/words.ts'
import { requestError } from '../http/problem.ts'
import { DECISION_NAMES } from '../orders/decisions.ts'
import { operatorActs } from '../orders/operator-acts.ts'
import { decisionForms, doneMarkup } from './decision-forms.ts'
import { placeQuery, readPlace } from './decision-place.ts'
import { card, timeMarkup } from './frame.ts'
import { type ConsoleEnv, type ConsoleParts, orderRefOf, see, value } from './handler.ts'
import { causeMarkup, type ExplainedOrder } from './order-cause.ts'
import { deliveriesMarkup, failingDelivery } from './order-deliveries.ts'

/** The newest lines of a history, and the newest deliveries; a page of all could be megabytes. */
const LINES_SHOWN = 200
const DELIVERIES_SHOWN = 20
/** The last answers of each delivery. */
const ANSWERS_SHOWN = 5

const CHANGED = 'There was another attempt since this page was made. Look at it, then decide.'
const UNKNOWN_DELIVERY = requestError(404, 'Delivery not found.')

type OrderOnPage = ExplainedOrder & {
  /** Newest first. */
  readonly lines: readonly HistoryLine[]
  readonly hasOlderLines: boolean
}

/** References are a merchant's own text, and may be written in any direction. */
const bdi = (text: string): Markup => html`<bdi>${text}</bdi>`

const fact = (name: string, content: Markup | string): Markup =>
  html`<dt>${name}</dt><dd>${content}</dd>`

const orderCard = ({ order }: OrderOnPage, root: string): Markup => {
  const view = orderViewIn('en')(order)
  const { order_ref, order_ref_1, order_ref_2, amount, reduced_from, refunded, late_by } = view
  const { merchant, notifyUrl, eventsWebhook, currency } = order.placed
  const { product, instalmentCount } = agreementOf(order)
  const paid = paidTotal(order.context)
  const ref = encodeURIComponent(merchant.ref)
  return card(
    'Order',
    html`<dl class="inside">
${order_ref_1 && fact('Reference', bdi(order_ref_1))}
${order_ref_2 && fact('Second reference', bdi(order_ref_2))}
${fact('Id', html`<code>${order_ref}</code>`)}
${fact('Merchant', html`<a href="${root}console/merchants/${ref}">${merchant.ref}</a>${merchant.country && `, ${merchant.country}`}`)}
${fact('Placed', timeMarkup(view.created_at))}
${fact('Plan', html`${instalmentCount} ${instalmentCount === 1 ? 'payment' : 'payments'} <code class="wire">${product}</code>`)}
${fact('Amount', `${amount.string}${reduced_from ? `, reduced from ${reduced_from.string} by the merchant` : ''}`)}
${paid > 0 && fact('Paid', money(paid, currency, 'en').string)}
${refunded && fact('Refunded', refunded.string)}
${late_by !== null && fact('Late by', `${late_by} min`)}
${notifyUrl && fact('IPN to', bdi(addressOf(notifyUrl)))}
${eventsWebhook && fact('Events to', bdi(addressOf(eventsWebhook.url)))}
</dl>
<p class="inside"><a href="${root}console/orders/${order_ref}/erase">Erase the shopper…</a></p>`,
    html`<a href="${root}machine/orders/${order_ref}">Statechart</a>`,
  )
}

const historyItem = (line: HistoryLine): Markup => {
  const note = eventNote(line)
  return html`<li>${timeMarkup(line.at)}
<div><p>${eventWords(line)}${note && html` <span class="quiet">· ${note}</span>`}</p>
<p class="quiet wire">${line.seq} <code>${eventNames(line)}</code></p></div></li>`
}

const historyCard = ({ order, lines, hasOlderLines }: OrderOnPage): Markup =>
  card(
    'What happened, newest first',
    html`<ol class="rows" role="list">
${lines.filter(({ event }) => event !== 'ipn.erred').map(historyItem)}
</ol>
${hasOlderLines && html`<p class="inside">For older lines, run <code>${PLAZO} orders show ${order.placed.orderRef}</code>.</p>`}`,
    html`<label class="quiet"><input type="checkbox" id="wire"> names for programs</label>`,
  )

const orderPage = (shown: OrderOnPage, decisions: readonly Markup[], root: string): Markup => {
  const { order } = shown
  const { order_ref, order_ref_1, amount, merchant, state } = orderViewIn('en')(order)
  return html`<div class="title"><h1>Order <bdi>${order_ref_1 || order_ref}</bdi></h1>
<span class="pill busy">${orderStateWords(state)}</span>
<span class="quiet">${merchant} · ${amount.string}</span>
<span class="actions"><a href="${order_ref}">Refresh</a></span></div>
<div class="beside"><div class="stack">
${causeMarkup(shown, decisions, root)}
${deliveriesMarkup(shown, root, failingDelivery(shown.deliveries)?.id)}
${historyCard(shown)}
</div><div class="stack">
${orderCard(shown, root)}
</div></div>`
}

const noticeOf = (order: Order, done: string): Markup | '' => {
  const name = DECISION_NAMES.find((each) => each === done)
  if (name === undefined && done !== 'resend') return ''
  const words =
    name === undefined
      ? html`It is sent again now. <a href="${order.placed.orderRef}">See the answer</a>`
      : doneMarkup(order, name)
  return html`<p class="notice good" role="status">${words}</p>`
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
      now: clock.now(),
    }
  }

  const readDelivery = async (orderRef: string, id: string): Promise<Delivery> => {
    const { placed } = await value(store.read(orderRef))
    const delivery = await value(store.deliveries.find(placed.merchant.ref, id))
    return delivery.orderRef === orderRef ? delivery : value(TE.left(UNKNOWN_DELIVERY))
  }

  const showOrder = async (c: Context<ConsoleEnv>): Promise<Response> => {
    const orderRef = await orderRefOf(c)
    const query = placeQuery(await value(async () => readPlace(c)))
    const loaded = await readOrder(orderRef)
    const root = rootFrom(c)
    const forms = decisionForms(host)(loaded.order, `${root}console/orders/${orderRef}`, query)
    const body = html`${noticeOf(loaded.order, c.req.query('done') ?? '')}
${orderPage(loaded, forms, root)}`
    const title = `${orderStateWords(orderViewIn('en')(loaded.order).state)}: order ${orderRef}`
    return show(c, { title, area: null, body })
  }

  return new Hono<ConsoleEnv>()
    .get('/orders/:uuid', showOrder)
    .post(`/orders/:uuid/decisions/:name{${DECISION_NAMES.join('|')}}`, async (c) => {
      const orderRef = await orderRefOf(c)
      const name = DECISION_NAMES.find((each) => each === c.req.param('name')) ?? 'approve'
      const place = await value(async () => readPlace(c))
      const { revision } = await value(formBody(c, ['revision']))
      const [page, done] =
        place.kind === null
          ? [`/orders/${orderRef}`, `?done=${name}`]
          : ['/decisions', placeQuery(place, { done: name, order: orderRef })]
      await value(acts.decide(c, orderRef, name, Number(revision)), page)
      return see(c, page + done)
    })
    .post('/orders/:uuid/resend/:id', async (c) => {
      const orderRef = await orderRefOf(c)
      const page = `/orders/${orderRef}`
      const { id, attempts } = await readDelivery(orderRef, c.req.param('id'))
      const { attempts: seen } = await value(formBody(c, ['attempts']))
      if (seen !== String(attempts.length))
        await value(TE.left({ _tag: 'Refused', sentences: [CHANGED] } as const), page)
      const { placed } = await value(store.read(orderRef))
      await value(store.deliveries.resend(placed.merchant.ref, id, clock.now()), page)
      return see(c, `${page}?done=resend`)
    })
}
