// The four decisions of an operator, for the routes, the order's page and the list of what waits.
// Each is offered with its consequences, which are a trial of the decision, and with the order's
// revision, so that a form decides only about the order that its reader saw.
import { type DecisionEvent, type Host, type Order, orderView, tryDecision } from '@plazo/core'
import type { Outcome } from '@plazo/core/explanation'
import { nameOnWire, REGIONS } from '@plazo/core/machine'
import { money } from '@plazo/core/protocol'
import { html } from 'hono/html'
import type { Markup } from '../http/page/page.ts'
import { orderName } from '../http/page/script/formats.ts'
import { stateWords, upcomingWords } from '../http/page/script/words.ts'

type Decision = {
  readonly event: DecisionEvent
  readonly id: string
  readonly summary: string
  readonly description: string
  readonly title: string
  /** Opens the consequences, on the page and in the list. */
  readonly key: string
  readonly confirmation: string
  /** What was done, as it follows an order's reference. */
  readonly done: string
  /** True: it ends the order for good. */
  readonly isFinal: boolean
}

export const DECISIONS = {
  approve: {
    event: { type: 'review.approved' },
    id: 'approveOrder',
    summary: 'Approve an order on hold',
    description: 'The merchant is asked to confirm the order.',
    title: 'Approve',
    key: 'a',
    confirmation: 'Yes, approve it',
    done: 'was approved',
    isFinal: false,
  },
  reject: {
    event: { type: 'review.rejected' },
    id: 'rejectOrder',
    summary: 'Reject an order on hold',
    description: 'The merchant gets the event cancelled.',
    title: 'Reject',
    key: 'r',
    confirmation: 'Yes, reject it for good',
    done: 'was rejected',
    isFinal: true,
  },
  'request-cancellation': {
    event: { type: 'cancellation.requested' },
    id: 'requestCancellation',
    summary: 'Ask the merchant to cancel a confirmed order',
    description:
      'The merchant gets the event cancel. It is repeated for up to a week, until there is an answer.',
    title: 'Ask the merchant to cancel',
    key: 'm',
    confirmation: 'Yes, ask the merchant',
    done: 'will be cancelled if the merchant agrees: they are asked',
    isFinal: false,
  },
  cancel: {
    event: { type: 'order.cancelled', by: 'operator' },
    id: 'cancelOrder',
    summary: 'Cancel a confirmed order',
    description:
      'The order is cancelled at once, without waiting for the merchant. Any payment is refunded.',
    title: 'Cancel the order',
    key: 'c',
    confirmation: 'Yes, cancel it for good',
    done: 'was cancelled',
    isFinal: true,
  },
} as const satisfies Readonly<Record<string, Decision>>

export type DecisionName = keyof typeof DECISIONS

export const DECISION_NAMES = Object.keys(DECISIONS) as readonly DecisionName[]

export type PossibleDecision = { readonly name: DecisionName; readonly outcome: Outcome }

/** The decisions that the order allows now, with what each would do. */
export const possibleDecisions =
  (host: Host) =>
  (order: Order): readonly PossibleDecision[] =>
    DECISION_NAMES.flatMap((name) => {
      const outcome = tryDecision(host)(order, DECISIONS[name].event)
      return outcome === null ? [] : [{ name, outcome }]
    })

/** The decision that was made, as a sentence. */
export const doneMarkup = (order: Order, words: string): Markup =>
  html`Order <bdi>${orderName(orderView(order))}</bdi> ${words}.`

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

type DecisionForm = {
  /** The order's page, relative to where the form is shown. */
  readonly address: string
  /** As `queueQuery` writes it. */
  readonly query: string
  /** True: the consequences are shown. */
  readonly isOpen: boolean
}

export const decisionMarkup = (
  order: Order,
  { name, outcome }: PossibleDecision,
  { address, query, isOpen }: DecisionForm,
): Markup => {
  const { title, key, description, confirmation, isFinal } = DECISIONS[name]
  return html`<details class="decision" data-key="${key}"${isOpen && html` open`}>
<summary class="button ${isFinal ? 'final' : 'other'}">${title}… <kbd>${key}</kbd></summary>
<form method="post" action="${address}/${name}${query}">
<p>${description}</p>
<ul>${consequences(order, outcome).map((sentence) => html`<li>${sentence}</li>`)}</ul>
<input type="hidden" name="revision" value="${order.revision}">
<button${isFinal && html` class="final"`}>${confirmation}</button>
</form>
</details>`
}
