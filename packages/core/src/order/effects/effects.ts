// The statechart names its effects only. This file turns each name into data, from the order as it
// is after the step.
import type { WaitAction } from '../../protocol/action.ts'
import type { Catalogue } from '../../protocol/credit-product.ts'
import type { Person } from '../../protocol/identification-form.ts'
import type { OrderReferences } from '../../protocol/order-payload.ts'
import { e164From, phoneFrom } from '../../protocol/phone-number.ts'
import {
  actionEventBody,
  FORM_CONTENT_TYPE,
  ipnBody,
  type LifecycleEvent,
  type LifecycleEventName,
  lifecycleEventBody,
} from '../../protocol/webhook-event.ts'
import { agreementOf, type Order, type OrderEvent, productCodeOf } from '../order.ts'
import { openPaymentOf, requireValue, sessionOf, successfulPaymentOf } from '../order-context.ts'
import { comparableNin } from '../person.ts'
import { refundWith } from '../reduction.ts'
import { textsFor } from '../shopper-texts.ts'
import { type BaseTerms, LIMITS } from '../terms.ts'
import {
  type CardOwner,
  type DoEffect,
  type Effect,
  type EffectKind,
  type EffectPayload,
  effectKey,
  IPN_DEADLINE,
  type Lane,
} from './effect.ts'

/** The input of an effect: the order after the step, the event that caused it, and the products. */
type EffectInput = {
  readonly order: Order
  readonly event: OrderEvent | null
  readonly terms: BaseTerms
  readonly products: Catalogue
}

/**
 * `unsent`: the name of an event that is not sent because the order has no `events_webhook`. The
 * history records it.
 */
export type MaybeEffect = { readonly effect: Effect } | { readonly unsent: string } | null

/** A payload stands for an effect in the lane of its kind, due at once. */
type Made = EffectPayload | MaybeEffect

/**
 * All effects. Their names are actions of the machine, and their second parameters are the params
 * of these actions (machine/order-setup.ts). Null: there is nothing to do.
 */
export const effects = {
  sendCode: (input) => {
    const { order } = input
    const { otp } = order.context
    const code = requireValue(otp.code, 'code')
    const to = e164From(order.placed.merchant.country, personOf(order).mobile_phone)
    const sms = { kind: 'sms', to, text: textsFor(order).code(code), code } as const
    return effect(input, sms, { expiresAt: otp.expiresAt })
  },
  screen: ({ order, products }) => {
    const { total, currency, merchant } = order.placed
    return {
      kind: 'screening',
      person: personOf(order),
      agreement: agreementOf(order, products),
      total,
      currency,
      merchant: merchant.ref,
    }
  },
  askForCards: ({ order }) => ({ kind: 'cards', owner: cardOwner(order) }),
  startSession: ({ order }) => {
    const person = personOf(order)
    return { kind: 'session', person, token: sessionOf(order.context).token }
  },
  startPayment: ({ order }) => {
    const { amount, token } = openPaymentOf(order.context)
    return { kind: 'payment', amount, currency: order.placed.currency, token }
  },
  voidPayment: ({ order }) => {
    const key = keyIn(order, 'void')
    const payment = order.context.payments.find(({ voidedBy }) => voidedBy === key)
    return payment ? { kind: 'void', payment: payment.key } : null
  },
  keepCard: ({ order, event }) =>
    event?.type === 'payment.succeeded' && event.keep && event.card !== null
      ? { kind: 'card', owner: cardOwner(order), card: event.card }
      : null,
  refundPayment: ({ order }) => {
    const refund = refundWith(order.context, keyIn(order, 'refund'))
    return refund ? { kind: 'refund', ...refund, currency: order.placed.currency } : null
  },
  sendIpn: (input) => {
    const { order, terms } = input
    const { placed, context } = order
    if (placed.notifyUrl === null) return startConfirmationTimer(input)
    const state = context.isUnderReview ? 'needs_review' : 'approved'
    const since = context.updatedAt - requireValue(context.outcomeAt, 'outcome')
    const body = ipnBody({
      orderRef: placed.orderRef,
      references: context.references,
      productCode: productCodeOf(order),
      stateParameter: terms.names.ipnStateParameter,
      state,
      sinceSeconds: Math.floor(since / 1000),
      notificationParameters: placed.notificationParameters,
    })
    return {
      kind: 'ipn',
      state,
      url: placed.notifyUrl,
      contentType: FORM_CONTENT_TYPE,
      body,
    }
  },
  expediteIpn: () => ({ effect: { type: 'expedite', lane: 'ipn' } }),
  assessRisk: ({ order }) => ({
    kind: 'risk',
    person: personOf(order),
    amount: requireValue(successfulPaymentOf(order.context), 'payment').amount,
    currency: order.placed.currency,
    underEvaluation: order.state.risk === 'underEvaluation',
  }),
  monitorRisk: ({ order }) => ({ kind: 'watch', person: personOf(order) }),
  tellMerchant: (input, { event }: { readonly event: Exclude<LifecycleEventName, 'cancel'> }) => {
    if (event !== 'risk_assessment') return webhookEffect(input, 'notice', { event })
    const riskLevel = requireValue(input.order.context.riskLevel, 'risk level')
    return webhookEffect(input, 'notice', { event, riskLevel })
  },
  askToCancel: (input) => {
    const { cancellationRequest } = input.terms.links
    const cancellationRequestUrl = cancellationRequest(input.order.placed.orderRef)
    return webhookEffect(input, 'cancel', { event: 'cancel', cancellationRequestUrl })
  },
  revoke: (_, { lane }: { readonly lane: Exclude<EffectKind, 'event' | 'timer'> | 'cancel' }) => ({
    effect: { type: 'revoke', lane },
  }),
  /** Adds a line to the history and does nothing else. */
  noteUpdate: () => null,
} satisfies { readonly [name: string]: (input: EffectInput, params: never) => Made }

/** The effects that the statechart may name in its actions. */
export type EffectName = keyof typeof effects

/** The params of the action that names the effect; undefined if it has none. */
export type EffectParams<Name extends EffectName> = Parameters<(typeof effects)[Name]>[1]

type Action = { readonly type: string; readonly params: Readonly<Record<string, unknown>> }

const isEffectName = (name: string): name is EffectName => Object.hasOwn(effects, name)

/**
 * The effect that an action of the machine names. Throws if there is none of this name: the machine
 * is wrong.
 */
export const effectOf = (input: EffectInput, action: Action): MaybeEffect => {
  const { type, params } = action
  if (type === 'xstate.raise') return startTimer(input, params)
  if (type === 'xstate.cancel')
    return { effect: { type: 'revoke', lane: timerLane(timerOf(params.sendId)) } }
  if (!isEffectName(type))
    throw new Error(`The machine has the action "${type}". It is not listed in effects.ts.`)
  // The types of order-setup.ts give the action the params of its effect.
  const made: Made = effects[type](input, params as never)
  return made !== null && 'kind' in made ? effect(input, made) : made
}

// Most effects have a lane of their own, which is named like their kind.
const effect = (
  { order }: EffectInput,
  payload: EffectPayload,
  {
    lane = payload.kind,
    dueAt = order.context.updatedAt,
    expiresAt = null,
  }: Partial<Pick<DoEffect, 'lane' | 'dueAt' | 'expiresAt'>> = {},
): MaybeEffect => ({
  effect: { type: 'do', key: keyIn(order, lane), lane, payload, dueAt, expiresAt },
})

const keyIn = ({ placed, revision }: Order, lane: Lane): string =>
  effectKey(placed.orderRef, revision, lane)

const personOf = ({ context }: Order): Person => requireValue(context.person, 'shopper')

const cardOwner = (order: Order): CardOwner => {
  const { nin, mobile_phone: phone } = personOf(order)
  const { account, country } = order.placed.merchant
  return { account, nin: comparableNin(nin), phone: phoneFrom(country, phone) }
}

/**
 * The request that reports an event, or that pushes an action: an identification_action event
 * carries the answer of the wait endpoint. Interface §6.2.
 */
export const eventPayload = (
  event: LifecycleEvent | WaitAction,
  orderRef: string,
  references: OrderReferences,
  { url, parameters }: NonNullable<Order['placed']['eventsWebhook']>,
): Extract<EffectPayload, { readonly kind: 'event' }> => {
  const subject = [orderRef, references, parameters] as const
  const [contentType, body] =
    'event' in event
      ? [FORM_CONTENT_TYPE, lifecycleEventBody(event, ...subject)]
      : ['application/json', actionEventBody(event, ...subject)]
  return { kind: 'event', event: eventNameOf(event), url, contentType, body }
}

const eventNameOf = (event: LifecycleEvent | WaitAction) =>
  'event' in event ? event.event : 'identification_action'

export const webhookEffect = (
  input: EffectInput,
  lane: Lane,
  event: LifecycleEvent | WaitAction,
): MaybeEffect => {
  const { placed, context } = input.order
  if (placed.eventsWebhook === null) return { unsent: eventNameOf(event) }
  return effect(
    input,
    eventPayload(event, placed.orderRef, context.references, placed.eventsWebhook),
    { lane },
  )
}

// The checkout lifetime does not end a review or the confirmation after it. That confirmation has
// the IPN's week instead, also if the merchant has no IPN URL.
const startConfirmationTimer = (input: EffectInput): MaybeEffect => {
  const { heldAt, updatedAt } = input.order.context
  if (heldAt === null) return null
  const dueAt = updatedAt + LIMITS.confirmation
  return effect(input, { kind: 'timer', timer: IPN_DEADLINE }, { lane: 'ipn', dueAt })
}

// Delayed transitions must survive a restart. Each becomes an effect that waits until it is due and
// then returns as an event. This is the prefix of XState's own event for a delayed transition. The
// timer's name follows it.
export const AFTER = 'xstate.after.'

/**
 * A timer's event carries the machine's internal name. No event that a client sends can carry such
 * a name.
 */
export const machineEvent = (event: OrderEvent): OrderEvent =>
  event.type === 'timer.fired'
    ? ({ type: `${AFTER}${event.timer}` } as unknown as OrderEvent)
    : event

// XState's delayed raise, with which a state arms its timer. Its `cancel` disarms the timer when
// the state is left.
const startTimer = (input: EffectInput, { id, delay }: Action['params']): MaybeEffect => {
  const timer = timerOf(id)
  // The runner lists a raise only if it has a delay in milliseconds. A host's may have fractions.
  const dueAt = Math.ceil(input.order.context.updatedAt + (delay as number))
  return effect(input, { kind: 'timer', timer }, { lane: timerLane(timer), dueAt })
}

// The name is stored with the order: the delay and the id of its state, as in `idResult.verified`.
export const timerOf = (id: unknown): string => {
  if (typeof id === 'string' && id.startsWith(AFTER)) return id.slice(AFTER.length)
  throw new Error(
    `The machine has the timer "${id}". An order can store only the timers of "after".`,
  )
}

export const timerLane = (timer: string): Lane => `timer.${timer.slice(0, timer.indexOf('.'))}`
