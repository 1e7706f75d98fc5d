// What keeps an order from going on, in one sentence, with what an operator can do about it: the
// answer of a failing shop with the resend, or the decisions. What else the order waits for follows,
// equal lines once.
import { explanationView, type Order } from '@plazo/core'
import type { Explanation } from '@plazo/core/explanation'
import { metaOf, nameOnWire } from '@plazo/core/machine'
import type { Attempt, Delivery } from '@plazo/core/ports'
import { html } from 'hono/html'
import { PLAZO } from '../command-line/own-commands.ts'
import { failureWords } from '../deliveries/attempt-words.ts'
import type { Markup } from '../http/page/page.ts'
import {
  deliveryName,
  failingDelivery,
  isEqualAnswer,
  isQueued,
  type OrderDeliveries,
  resendMarkup,
} from './order-deliveries.ts'
import { countNoun, instantWords } from './words.ts'

export type ExplainedOrder = OrderDeliveries & {
  readonly order: Order
  readonly explanation: Explanation
  readonly now: number
}

const CHARACTERS_QUOTED = 160
const CHARACTERS_READ = 2_000

/** The beginning of an answer without its markup. */
const quoteAnswer = (response: string | null): string =>
  (response ?? '')
    .slice(0, CHARACTERS_READ)
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .slice(0, CHARACTERS_QUOTED)

const failureMarkup = (delivery: Delivery, now: number): Markup => {
  const ended = delivery.attempts.filter(({ outcome }) => outcome !== null)
  const last = ended.at(-1) as Attempt
  const run = ended.slice(ended.findLastIndex((each) => !isEqualAnswer(each, last)) + 1)
  const since = instantWords(run[0]?.startedAt ?? last.startedAt, now)
  const name = deliveryName(delivery)
  const answer = quoteAnswer(last.response)
  return html`<p><strong>${
    last.status === null
      ? `The ${name} does not reach the shop: ${failureWords(last.error ?? 'lost')}`
      : `The shop answers ${last.status} to the ${name}${last.error === 'unreadable_answer' ? ', which could not be understood' : ''}`
  }</strong>, ${run.length === 1 ? `at ${since}` : `${run.length} times since ${since}`}.${answer && html` Its page says: <em><bdi>${answer}</bdi></em>`}</p>`
}

const stuckMarkup = (job: string): Markup =>
  html`<p><strong>An internal error stopped a job of this order.</strong> See the log, then run <code>${PLAZO} stuck retry ${job}</code>.</p>`

/** Equal texts once, with their number. */
const countEqual = (texts: readonly string[]): readonly string[] =>
  [...Map.groupBy(texts, (text) => text)].map(([text, { length }]) =>
    length === 1 ? text : `${text} (${length} times)`,
  )

const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

export const causeMarkup = (
  { order, explanation, deliveries, requests, now }: ExplainedOrder,
  decisions: readonly Markup[],
  root: string,
): Markup => {
  const { sentences } = explanationView(order, explanation, {
    language: 'en',
    isForMerchant: false,
  })
  const { awaits, byItself } = explanation
  const stuck = awaits.find(({ what }) => what === 'job.retried')?.job
  const failing = failingDelivery(deliveries)
  const queued = deliveries.filter((each) => isQueued(each, deliveries))
  const named = new Set([failing?.id, ...queued.map(({ id }) => id)])
  const others = awaits.flatMap(({ who, job }, n) =>
    who === 'operator' || named.has(job ?? '') ? [] : (sentences.awaits[n] ?? []),
  )
  const caption = capitalize(metaOf('checkout', order.state).caption)
  const isAsked = nameOnWire('cancellation', order.state) !== 'none'
  const expires = byItself !== null && nameOnWire('checkout', byItself.state) === 'expired'
  return html`<section class="card cause"${failing && html` data-tone="wrong"`}><h2 class="unseen">Why is it here?</h2><div class="inside">
${stuck && stuckMarkup(stuck)}
${failing && failureMarkup(failing, now)}
${!stuck && !failing && html`<p><strong>${caption}${isAsked && `, and ${metaOf('cancellation', order.state).caption}`}.</strong></p>`}
<p>${expires ? `It expires ${instantWords(byItself.at, now)}.` : sentences.by_itself}</p>
${(decisions.length > 0 || failing) && html`<div class="decisions">${decisions}${failing && resendMarkup(failing, requests, root)}</div>`}
${
  (others.length > 0 || queued.length > 0) &&
  html`<dl><dt>It waits</dt><dd><ul>
${countEqual(others).map((text) => html`<li>${text}</li>`)}
${queued.length > 0 && html`<li>${countNoun(queued.length, 'event waits', 'events wait')} for an earlier one.</li>`}
</ul></dd></dl>`
}
</div></section>`
}
