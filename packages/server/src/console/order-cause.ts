// What keeps an order from going on, in one sentence, with what an operator can do about it: the
// answer of a failing shop with the resend, or the decisions. What else the order waits for follows,
// equal lines once.
import { explanationView, type Order } from '@plazo/core'
import type { Explanation } from '@plazo/core/explanation'
import { metaOf } from '@plazo/core/machine'
import type { Delivery } from '@plazo/core/ports'
import { html } from 'hono/html'
import { PLAZO } from '../command-line/own-commands.ts'
import { failureWords } from '../deliveries/attempt-words.ts'
import type { Markup } from '../http/page/page.ts'
import { timeMarkup } from './frame.ts'
import {
  blockerOf,
  deliveryName,
  type OrderDeliveries,
  resendMarkup,
  runsOf,
} from './order-deliveries.ts'

export type ExplainedOrder = OrderDeliveries & {
  readonly order: Order
  readonly explanation: Explanation
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
  const run = runsOf(delivery).find(([{ outcome }]) => outcome !== null)
  if (run === undefined) return false
  const [{ status, error, response }] = run
  const name = deliveryName(delivery)
  const answer = quoteAnswer(response ?? '')
  return html`<p><strong>${
    status === null
      ? `The ${name} does not reach the shop: ${failureWords(error ?? 'lost')}`
      : `The shop answers ${status} to the ${name}`
  }</strong>, ${run.length} times since ${timeMarkup((run.at(-1) ?? run[0]).startedAt)}.
${answer && html`Its page says: <em><bdi>${answer}</bdi></em>`}</p>`
}

export const causeMarkup = (
  shown: ExplainedOrder,
  decisions: readonly Markup[],
  root: string,
): Markup => {
  const { order, explanation, deliveries } = shown
  const { sentences } = explanationView(order, explanation, {
    language: 'en',
    isForMerchant: false,
  })
  const { awaits } = explanation
  const stuck = awaits.find(({ what }) => what === 'job.retried')?.job
  const failing = failingDelivery(deliveries)
  const waiting = deliveries.filter((each) => blockerOf(each, deliveries)).map(({ id }) => id)
  const others = sentences.awaits.filter((_, n) => {
    const { who, job = null } = awaits[n] ?? {}
    return who !== 'operator' && (job === null || ![failing?.id, ...waiting].includes(job))
  })
  const region = order.state.cancellation === 'none' ? 'checkout' : 'cancellation'
  return html`<section class="card cause"${failing && html` data-tone="wrong"`}><h2 class="unseen">Why is it here?</h2><div class="inside">
${stuck && html`<p><strong>An internal error stopped a job.</strong> See the log, then run <code>${PLAZO} deliveries retry ${stuck}</code>.</p>`}
${failing ? failureMarkup(failing) : html`<p class="sentence"><strong>${metaOf(region, order.state).caption}.</strong></p>`}
<p>${sentences.by_itself}</p>
<div class="decisions">${decisions}${failing && resendMarkup(failing, shown, root)}</div>
<ul>${[...Map.groupBy(others, (text) => text)].map(([text, { length }]) => html`<li>${text}${length > 1 && ` (${length} times)`}</li>`)}
${waiting.length > 0 && html`<li>${waiting.length} more wait for an earlier one.</li>`}</ul>
</div></section>`
}
