// Every page and command that a person reads takes its words for events, states, effects and jobs
// from here, and adds the names of the interface behind them. The types make a new event, state,
// effect or kind of job fail to compile until it has words. The server uses it too.
import type { EffectKind, EffectName, OrderEvent, StateOnWire } from '@plazo/core/internal'
import { STATE_WORDS } from '@plazo/core/internal/state-words'

/** The lines of a history that no event causes. */
type OtherLine = 'order.placed' | 'event.unsent' | 'shopper.forgotten' | 'shopper.shown'

/** `other`: for any other detail, which then follows the words. */
type EventWords = string | { readonly [detail: string]: string; readonly other: string }

const EVENTS: { readonly [event in OrderEvent['type'] | OtherLine]: EventWords } = {
  'order.placed': 'The shop placed the order',
  'order.updated': 'The shop updated the order',
  'order.reduced': 'The shop reduced the order',
  'order.cancelled': 'The order was cancelled',
  'event.unsent': 'The shop has no URL for this event',
  'shopper.forgotten': 'The shopper’s data was erased',
  'shopper.shown': 'The shopper’s data was shown',
  'references.given': 'The references changed',
  'person.submitted': 'The shopper sent their details',
  'person.changed': 'Another person sent their details',
  'code.submitted': 'The shopper entered the code',
  'cards.recalled': 'Saved cards were looked up',
  'screening.resolved': {
    approved: 'The screening approved the purchase',
    review: 'The screening asked for a review',
    alternative: 'The screening offered another plan',
    identity: 'The screening asked for an ID check',
    denied: 'The screening denied the purchase',
    error: 'The screening failed with an error',
    other: 'The screening answered',
  },
  'session.opened': 'The ID check was opened',
  'session.reported': {
    VERIFIED: 'The ID check succeeded',
    FAILED: 'The ID check failed',
    ERROR: 'The ID check broke off',
    other: 'The ID check answered',
  },
  'session.unavailable': 'The ID check was not available',
  'payment.opened': 'The card form was opened',
  'payment.challenged': 'The bank asked for 3-D Secure',
  'payment.succeeded': 'The payment succeeded',
  'payment.failed': { declined: 'The payment was declined', other: 'The payment failed' },
  'payment.unavailable': 'The payment service was not available',
  'payment.refunded': 'The payment was refunded',
  'ipn.accepted': 'The shop accepted the IPN',
  'ipn.conflicted': 'The shop refused the order',
  'ipn.erred': 'The shop did not accept the IPN',
  'ipn.exhausted': 'The IPN was given up',
  'merchant.confirmed': 'The shop confirmed',
  'merchant.held': 'The shop put the order on hold',
  'review.approved': 'The order was approved',
  'review.rejected': 'The order was rejected',
  'risk.assessed': {
    low_risk: 'The risk is low',
    high_risk: 'The risk is high',
    under_evaluation: 'The risk is still under evaluation',
    other: 'The risk was assessed',
  },
  'cancellation.advised': 'The risk service advised to cancel',
  'cancellation.requested': 'The shop was asked to cancel',
  'cancel.agreed': 'The shop agreed to cancel',
  'cancel.refused': 'The shop answered that it is too late to cancel',
  'cancel.deferred': 'The shop will decide about the cancellation later',
  'cancel.unsupported': 'The shop does not support cancel',
  'cancel.exhausted': 'The shop did not answer the cancel request',
  'timer.fired': {
    screeningWindow: 'The time for the screening was up',
    checkoutLifetime: 'The time for the checkout was up',
    idResult: 'The pause after the ID check was over',
    cancelDelay: 'The time came to ask the shop to cancel',
    other: 'A timer was due',
  },
}

type TimerName = 'screeningWindow' | 'checkoutLifetime' | 'idResult' | 'cancelDelay'
type Lane = Exclude<EffectKind, 'timer'> | 'notice' | 'action' | 'cancel' | `timer.${TimerName}`

/** Events to the shop have three lanes. */
const JOBS: { readonly [name in Lane]: string } = {
  sms: 'The code is sent by SMS',
  screening: 'The shopper is screened',
  cards: 'Saved cards are looked up',
  session: 'The ID check is opened',
  payment: 'The card form is opened',
  void: 'The payment is voided',
  refund: 'The payment is refunded',
  card: 'The card is saved',
  risk: 'The risk is assessed',
  watch: 'The risk service is asked about the order',
  ipn: 'The IPN is sent to the shop',
  event: 'An event is sent to the shop',
  notice: 'An event is sent to the shop',
  action: 'An action event is sent to the shop',
  cancel: 'The shop is asked to cancel',
  'timer.screeningWindow': 'The screening expires, unless it is answered before',
  'timer.checkoutLifetime':
    'The checkout expires, unless the order is confirmed or put on hold before',
  'timer.idResult': 'The order continues after the ID check',
  'timer.cancelDelay': 'The shop is asked to cancel',
}

/** The job of an effect of the statechart. Null: nothing that a reader would notice, or not always. */
const EFFECTS: { readonly [name in EffectName]: Lane | null } = {
  sendCode: 'sms',
  screen: 'screening',
  askForCards: 'cards',
  startSession: 'session',
  startPayment: 'payment',
  voidPayment: null,
  keepCard: null,
  refundPayment: 'refund',
  sendIpn: 'ipn',
  expediteIpn: 'ipn',
  assessRisk: 'risk',
  monitorRisk: 'watch',
  tellMerchant: 'event',
  askToCancel: 'cancel',
  revoke: null,
  noteUpdate: null,
}

const lookUp = <A>(table: { readonly [name: string]: A }, name: string): A | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined

export const REGIONS: readonly string[] = ['checkout', 'risk', 'cancellation']

/** A state in words, by its name on the wire. An unknown one keeps its name. */
export const stateWords = (region: string, name: string): string => {
  const states = lookUp<Readonly<Record<string, string>>>(STATE_WORDS, region) ?? {}
  return lookUp(states, name) ?? name
}

/**
 * The states of an order that a reader of a list must know: risk and cancellation only if something
 * happened there.
 */
export const orderStateWords = ({ checkout, risk, cancellation }: StateOnWire): string =>
  [
    stateWords('checkout', checkout),
    ...(risk === 'unassessed' ? [] : [stateWords('risk', risk)]),
    ...(cancellation === 'none' ? [] : [stateWords('cancellation', cancellation)]),
  ].join(', ')

type LineParts = {
  readonly event: string
  readonly detail: string | null
  readonly from: { readonly [region: string]: string }
  readonly to: { readonly [region: string]: string }
}

const movesOf = ({ from, to }: LineParts): readonly string[] =>
  REGIONS.filter((region) => from[region] !== to[region])

/** A line of a history as a sentence: `The screening denied the purchase`. */
export const eventWords = ({ event, detail }: Pick<LineParts, 'event' | 'detail'>): string => {
  const words: EventWords = lookUp<EventWords>(EVENTS, event) ?? event
  return typeof words === 'string' ? words : (lookUp(words, detail ?? '') ?? words.other)
}

/** What the sentence leaves out: a detail, and the states that the line led to. */
export const eventNote = (line: LineParts): string => {
  const words = lookUp<EventWords>(EVENTS, line.event)
  const isSaid = typeof words === 'object' && lookUp(words, line.detail ?? '') !== undefined
  const states = movesOf(line).map((region) => stateWords(region, line.to[region] ?? ''))
  return [...(line.detail === null || isSaid ? [] : [line.detail]), ...states].join(' · ')
}

/**
 * A line of the history in the names of the interface: `timer.fired screeningWindow · checkout:
 * screening to screened`.
 */
export const eventNames = (line: LineParts): string => {
  const isName = line.detail !== null && /^\w+$/.test(line.detail)
  return [
    isName ? `${line.event} ${line.detail}` : line.event,
    ...movesOf(line).map((region) => `${region}: ${line.from[region]} to ${line.to[region]}`),
  ].join(' · ')
}

/** A job by its lane or by its name on the wire: `ipn`, `timer.idResult`, `event denied`. */
export const jobWords = (what: string): string => {
  const [lane = '', name] = what.split(' ')
  const words = lookUp<string>(JOBS, lane) ?? lane
  return name === undefined ? words : `${words}: ${name}`
}

/**
 * An effect of the statechart, such as `tellMerchant denied`, in words. Null if there is nothing to
 * say. `before`: the events up to then. The statechart refunds at every end without confirmation,
 * and this does nothing without a payment.
 */
export const effectWords = (effect: string, before: readonly string[]): string | null => {
  const [name = '', ...rest] = effect.split(' ')
  const job = lookUp<Lane | null>(EFFECTS, name)
  if (name === 'refundPayment' && !before.includes('payment.succeeded')) return null
  return job === undefined ? effect : job && jobWords([job, ...rest].join(' '))
}

/** A job that has run, by its name on the wire. */
export const firedWords = (what: string): string =>
  what.startsWith('timer ')
    ? eventWords({ event: 'timer.fired', detail: what.slice('timer '.length) })
    : jobWords(what)

/** `kind`: of the effect that the provider answered. `answer`: with an `error` if it failed. */
export const providerWords = (kind: string, answer: unknown): string => {
  const hasFailed = typeof answer === 'object' && answer !== null && 'error' in answer
  if (hasFailed) return `${jobWords(kind)}: error`
  return kind === 'watch' && answer === null ? 'No reason to cancel' : jobWords(kind)
}
