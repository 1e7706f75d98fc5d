// The four decisions of an operator, for the routes, the order's page and the list of what waits.
// Each is offered with its consequences, which are a trial of the decision, and with the order's
// revision, so that a form decides only about the order that its reader saw.
import { type Host, type Order, orderView, tryDecision } from '@plazo/core'
import type { Outcome } from '@plazo/core/explanation'
import { nameOnWire, REGIONS } from '@plazo/core/machine'
import { money } from '@plazo/core/protocol'
import { html } from 'hono/html'
import type { Markup } from '../http/page/page.ts'
import { orderName } from '../http/page/script/formats.ts'
import { stateWords, upcomingWords } from '../http/page/script/words.ts'
import { DECISION_NAMES, DECISIONS, type DecisionName } from '../orders/decisions.ts'

type DecisionWords = {
  readonly title: string
  /** Opens the consequences, on the page and in the list. */
  readonly key: string
  readonly confirmation: string
  /** What was done, as it follows an order's reference. */
  readonly done: string
  /** True: it ends the order for good. */
  readonly isFinal: boolean
}

const WORDS: { readonly [name in DecisionName]: DecisionWords } = {
  approve: {
    title: 'Approve',
    key: 'a',
    confirmation: 'Yes, approve it',
    done: 'was approved',
    isFinal: false,
  },
  reject: {
    title: 'Reject',
    key: 'r',
    confirmation: 'Yes, reject it for good',
    done: 'was rejected',
    isFinal: true,
  },
  'request-cancellation': {
    title: 'Ask the merchant to cancel',
    key: 'm',
    confirmation: 'Yes, ask the merchant',
    done: 'will be cancelled if the merchant agrees: they are asked',
    isFinal: false,
  },
  cancel: {
    title: 'Cancel the order',
    key: 'c',
    confirmation: 'Yes, cancel it for good',
    done: 'was cancelled',
    isFinal: true,
  },
}

/** The decision that was made, as a sentence. */
export const doneMarkup = (order: Order, name: DecisionName): Markup =>
  html`Order <bdi>${orderName(orderView(order))}</bdi> ${WORDS[name].done}.`

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

type Waiting = { readonly order: Order; readonly outcome: Outcome; readonly name: DecisionName }

const formMarkup = ({ order, outcome, name }: Waiting, action: string): Markup => {
  const { title, key, confirmation, isFinal } = WORDS[name]
  return html`<details class="decision" data-key="${key}">
<summary class="button ${isFinal ? 'final' : 'other'}">${title}… <kbd>${key}</kbd></summary>
<form method="post" action="${action}">
<p>${DECISIONS[name].description}</p>
<ul>${consequences(order, outcome).map((sentence) => html`<li>${sentence}</li>`)}</ul>
<input type="hidden" name="revision" value="${order.revision}">
<button${isFinal && html` class="final"`}>${confirmation}</button>
</form>
</details>`
}

/**
 * The decisions that the order allows now. `page`: the order's page, relative to where they are
 * shown. `query`: the operator's place in the list of decisions.
 */
export const decisionForms =
  (host: Host) =>
  (order: Order, page: string, query: string): readonly Markup[] =>
    DECISION_NAMES.flatMap((name) => {
      const outcome = tryDecision(host)(order, DECISIONS[name].event)
      return outcome === null
        ? []
        : formMarkup({ order, outcome, name }, `${page}/decisions/${name}${query}`)
    })
