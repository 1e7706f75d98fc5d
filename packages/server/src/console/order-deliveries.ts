// What the shop was sent about an order, and what it answered, attempt by attempt. An operator sees
// here what the shop's developer needs to find the fault. Addresses are shown without tokens.
import {
  type Attempt,
  addressOf,
  type Delivery,
  deliveryView,
  laneOfKey,
  type MerchantRequest,
} from '@plazo/core/internal'
import { html } from 'hono/html'
import { attemptWords } from '../api/deliveries/attempt-words.ts'
import type { Markup } from '../http/page/page.ts'
import { card, foldedForm, timeMarkup } from './frame.ts'

type OrderDeliveries = {
  /** Newest last. */
  readonly deliveries: readonly Delivery[]
  /** What they send, by their ids; erased ones are missing. */
  readonly requests: ReadonlyMap<string, MerchantRequest>
}

// A page of whole answers could be megabytes.
const CHARACTERS_SHOWN = 2_000

export const deliveryName = ({ event }: Delivery): string =>
  event === 'ipn' ? 'IPN' : `event ${event}`

/** The delivery of the same lane that is sent before this one; undefined if it is this one's turn. */
export const blockerOf = (
  { id, state }: Delivery,
  deliveries: readonly Delivery[],
): Delivery | undefined => {
  const first = deliveries.find(
    (each) => each.state === 'pending' && laneOfKey(each.id) === laneOfKey(id),
  )
  return state === 'pending' && first?.id !== id ? first : undefined
}

type Run = readonly [last: Attempt, ...Attempt[]]

/** Attempts that ended alike, in a row: the last run first, the last attempt of each first. */
export const runsOf = ({ attempts }: Delivery): readonly Run[] => {
  const runs: [Attempt, ...Attempt[]][] = []
  for (const attempt of attempts.toReversed()) {
    const run = runs.at(-1)
    if (run?.[0].status === attempt.status && run[0].error === attempt.error) run.push(attempt)
    else runs.push([attempt])
  }
  return runs
}

export const requestText = (
  { id }: Delivery,
  { request }: Attempt,
  sent?: MerchantRequest,
): string => {
  if (request === undefined || sent === undefined)
    return 'It is gone: the shopper’s data was erased, or deliveries are kept for less long.'
  if (request.sent === undefined) return `POST ${addressOf(request.url)}\nNothing was sent.`
  const headers = {
    'Content-Type': sent.contentType,
    'Webhook-Id': id,
    'Webhook-Timestamp': request.sent.timestamp,
    ...request.sent.signatures,
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return [`POST ${addressOf(request.url)}`, ...lines, '', sent.body].join('\n')
}

const block = (title: string, text: string): Markup => html`<h3>${title}</h3>
<pre><bdi>${text.slice(0, CHARACTERS_SHOWN)}${text.length > CHARACTERS_SHOWN && ' …'}</bdi></pre>`

export const runItem = (delivery: Delivery, run: Run, sent?: MerchantRequest): Markup | false => {
  const [last] = run
  const [view] = deliveryView({ ...delivery, attempts: [last] }).attempts
  return (
    view !== undefined &&
    html`<li>${timeMarkup(last.startedAt)}
<div><p><strong>${attemptWords(delivery.event, view)}</strong>${run.length > 1 && ` × ${run.length}`}</p>
<details><summary>Request and answer</summary>
${block('Request', requestText(delivery, last, sent))}
${block('Answer', view.response || 'No body.')}
</details></div>
</li>`
  )
}

/** On the page of its order. Empty if its content is gone. */
export const resendMarkup = (delivery: Delivery, { requests }: OrderDeliveries): Markup | '' => {
  const { id, orderRef, attempts, state } = delivery
  if (!requests.has(id)) return ''
  const means =
    state === 'pending'
      ? 'The next attempt is made now. The schedule stays the same.'
      : 'It is sent once more, outside its schedule. The answer counts only while the order waits for it.'
  return foldedForm(
    'Resend',
    `../orders/${orderRef}/resend/${encodeURIComponent(id)}`,
    html`<p>${means}</p>
<input type="hidden" name="attempts" value="${attempts.length}">
<button>Yes, resend the ${deliveryName(delivery)}</button>`,
  )
}

/** The IPN, and the events folded. `causeId`: the delivery whose resend stands beside the cause. */
export const deliveriesMarkup = (shown: OrderDeliveries, causeId: string | undefined): Markup => {
  const { deliveries, requests } = shown
  const cardOf = (delivery: Delivery): Markup => {
    const { id, state, dueAt } = delivery
    const blocker = blockerOf(delivery, deliveries)
    const next = dueAt !== null && html`Next attempt: ${timeMarkup(dueAt)}`
    return card(
      html`${deliveryName(delivery)} <span class="pill">${state}</span>`,
      html`<p>${blocker ? `It waits for the ${deliveryName(blocker)}.` : next}</p>
<ol class="rows" role="list">${runsOf(delivery).map((run) => runItem(delivery, run, requests.get(id)))}</ol>`,
      id === causeId ? '' : resendMarkup(delivery, shown),
    )
  }
  const newestFirst = deliveries.toReversed()
  const events = newestFirst.filter(({ event }) => event !== 'ipn')
  return html`${newestFirst.filter(({ event }) => event === 'ipn').map(cardOf)}
${
  events.length > 0 &&
  html`<details class="card"${events.some(({ id }) => id === causeId) && html` open`}>
<summary>Events (${events.length})</summary>
${events.map(cardOf)}
</details>`
}`
}
