// What keeps an order from going on, in one sentence, with what an operator can do about it: the
// answer of a failing shop with the resend, or the decisions. What else the order waits for follows,
// equal lines once.
import { explanationView, type Order } from '@plazo/core'
import type { Explanation } from '@plazo/core/explanation'
import { metaOf, nameOnWire } from '@plazo/core/machine'
import type { Delivery } from '@plazo/core/ports'
import { html } from 'hono/html'
import { PLAZO } from '../command-line/own-commands.ts'
import { failureWords } from '../deliveries/attempt-words.ts'
import type { Markup } from '../http/page/page.ts'
import {
  blockerOf,
  deliveryName,
  type OrderDeliveries,
  resendMarkup,
  runsOf,
} from './order-deliveries.ts'
import { instantWords } from './words.ts'

export type ExplainedOrder = OrderDeliveries & {
  readonly order: Order
  readonly explanation: Explanation
  readonly now: number
}

const hasFailed = ({ state, attempts }: Delivery): boolean =>
  state !== 'delivered' && attempts.some(({ outcome }) => outcome === 'error' || outcome === 'lost')

/** The delivery that decides: the IPN before a cancel request, and this before any other event. */
export const failingDelivery = (deliveries: readonly Delivery[]): Delivery | undefined => {
  const failing = deliveries.filter(hasFailed)
  const newest = (name: string) => failing.findLast(({ event }) => event === name)
  return newest('ipn') ?? newest('cancel') ?? failing.find(({ state }) => state !== 'stopped')
}

const CHARACTERS_QUOTED = 160
const CHARACTERS_READ = 2_000

/** The beginning of an answer without its markup. */
const quoteAnswer = (response: string): string =>
  response
    .slice(0, CHARACTERS_READ)
    .replaceAll(/<[^>]*>|\s+/g, ' ')
    .trim()
    .slice(0, CHARACTERS_QUOTED)

const failureMarkup = (delivery: Delivery, now: number): Markup | false => {
  const run = runsOf(delivery).find(([{ outcome }]) => outcome !== null)
  if (run === undefined) return false
  const [{ status, error, response }] = run
  const since = instantWords((run.at(-1) ?? run[0]).startedAt, now)
  const name = deliveryName(delivery)
  const answer = quoteAnswer(response ?? '')
  return html`<p><strong>${
    status === null
      ? `The ${name} does not reach the shop: ${failureWords(error ?? 'lost')}`
      : `The shop answers ${status} to the ${name}`
  }</strong>${error === 'unreadable_answer' && `, ${failureWords(error)}`}, ${run.length === 1 ? `at ${since}` : `${run.length} times since ${since}`}.
${answer && html`Its page says: <em><bdi>${answer}</bdi></em>`}</p>`
}

/** Equal texts once, with their number. */
const countEqual = (texts: readonly string[]): readonly string[] =>
  [...Map.groupBy(texts, (text) => text)].map(([text, { length }]) =>
    length === 1 ? text : `${text} (${length} times)`,
  )

export const causeMarkup = (
  shown: ExplainedOrder,
  decisions: readonly Markup[],
  root: string,
): Markup => {
  const { order, explanation, deliveries, now } = shown
  const { sentences } = explanationView(order, explanation, {
    language: 'en',
    isForMerchant: false,
  })
  const { awaits, byItself } = explanation
  const stuck = awaits.find(({ what }) => what === 'job.retried')?.job
  const failing = failingDelivery(deliveries)
  const waiting = deliveries.filter((each) => blockerOf(each, deliveries)).map(({ id }) => id)
  const others = awaits.flatMap(({ who, job }, n) =>
    who === 'operator' || job === failing?.id || waiting.includes(job ?? '')
      ? []
      : (sentences.awaits[n] ?? []),
  )
  const region = order.state.cancellation === 'none' ? 'checkout' : 'cancellation'
  const expires = byItself !== null && nameOnWire('checkout', byItself.state) === 'expired'
  return html`<section class="card cause"${failing && html` data-tone="wrong"`}><h2 class="unseen">Why is it here?</h2><div class="inside">
${stuck && html`<p><strong>An internal error stopped a job.</strong> See the log, then run <code>${PLAZO} deliveries retry ${stuck}</code>.</p>`}
${failing && failureMarkup(failing, now)}
${!stuck && !failing && html`<p class="sentence"><strong>${metaOf(region, order.state).caption}.</strong></p>`}
<p>${expires ? `It expires ${instantWords(byItself.at, now)}.` : sentences.by_itself}</p>
<div class="decisions">${decisions}${failing && resendMarkup(failing, shown, root)}</div>
<ul>${countEqual(others).map((text) => html`<li>${text}</li>`)}${waiting.length > 0 && html`<li>${waiting.length} more wait for an earlier one.</li>`}</ul>
</div></section>`
}
