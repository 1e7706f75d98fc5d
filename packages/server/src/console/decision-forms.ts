// The four decisions of an operator, for the page of an order and the list of what waits. Each is
// offered with its consequences, which are a trial of the decision, and with the order's revision, so
// that a form decides only about the order that its reader saw.
import { type Host, type Order, orderView, tryDecision } from '@plazo/core'
import type { Outcome } from '@plazo/core/explanation'
import { nameOnWire, REGIONS } from '@plazo/core/machine'
import { money } from '@plazo/core/protocol'
import { html } from 'hono/html'
import type { Markup } from '../http/page/page.ts'
import { orderName } from '../http/page/script/formats.ts'
import { orderStateWords, stateWords, upcomingWords } from '../http/page/script/words.ts'
import { DECISION_NAMES, DECISIONS, type DecisionName } from '../orders/decisions.ts'

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
  const view = orderView(order)
  return html`<p class="notice good" role="status">Done. Order <bdi>${orderName(view)}</bdi>: ${orderStateWords(view.state)}.</p>`
}

const consequences = (order: Order, { state, effects, refunded }: Outcome): readonly string[] => [
  ...REGIONS.filter((region) => state[region] !== order.state[region]).map(
    (region) => `Its state is then: ${stateWords(region, nameOnWire(region, state))}.`,
  ),
  ...effects.flatMap((effect) => {
    if (effect.type !== 'do' || effect.payload.kind === 'timer') return []
    const name = effect.payload.kind === 'event' ? `: ${effect.payload.event}` : ''
    return [`${upcomingWords(effect.lane)}${name}.`]
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
      return html`<details class="decision" data-key="${key}">
<summary class="button ${isFinal ? 'final' : 'other'}">${title}… <kbd>${key}</kbd></summary>
<form method="post" action="${page}/decisions/${name}${query}">
<p>${description}</p>
<ul>${consequences(order, outcome).map((sentence) => html`<li>${sentence}</li>`)}</ul>
<input type="hidden" name="revision" value="${order.revision}">
<button${isFinal && html` class="final"`}>Yes, ${title.toLowerCase()}${isFinal && ' for good'}</button>
</form>
</details>`
    })
