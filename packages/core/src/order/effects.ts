// The statechart names its effects only. This file turns each name into data, from the order as it is after the step.

import type { WaitAction } from '../protocol/action.ts'
import { actionEventBody } from '../protocol/action-event.ts'
import { FORM_CONTENT_TYPE } from '../protocol/form-encoding.ts'
import type { Person } from '../protocol/identification-form.ts'
import { ipnBody } from '../protocol/ipn.ts'
import { type LifecycleEvent, lifecycleEventBody } from '../protocol/lifecycle-event.ts'
import { agreementOf } from './agreement.ts'
import { type CardOwner, type Effect, effectKey, IPN_WEEK, type Lane, type Work } from './effect.ts'
import type { Order } from './order.ts'
import { openPaymentOf, successfulPaymentOf } from './order-context.ts'
import type { OrderEvent } from './order-event.ts'
import { comparableNin, comparablePhone } from './same-person.ts'
import { textsFor } from './shopper-texts.ts'
import { LIMITS, type Terms } from './terms.ts'

/** The input of an effect: the order after the step, and the event that caused it. */
type EffectInput = { readonly order: Order; readonly event: OrderEvent | null; readonly terms: Terms }

/** `unsent`: the name of an event that is not sent because the order has no `events_webhook`. The history records it. */
export type MaybeEffect = { readonly effect: Effect } | { readonly unsent: string } | null

const doing = (
  { order }: EffectInput,
  lane: Lane,
  work: Work,
  { dueAt = order.context.updatedAt, until = null }: { readonly dueAt?: number; readonly until?: number | null } = {},
): MaybeEffect => ({
  effect: {
    type: 'do',
    key: effectKey(order.placed.orderRef, order.revision, lane),
    lane,
    work,
    dueAt,
    until,
    behind: null,
  },
})

// The statechart names an effect only when its data is present. If data were missing, the step would become a `InternalError`, the
// event that caused it would be kept, and nothing incomplete would be sent.
const required = <A>(value: A | null | undefined, what: string): A => {
  if (value === null || value === undefined) throw new Error(`An effect needs ${what}, and there is none.`)
  return value
}

const personOf = ({ context }: Order): Person => required(context.person, 'the shopper')

const cardOwner = (order: Order): CardOwner => {
  const { nin, mobile_phone: phone } = personOf(order)
  return { account: order.placed.merchant.account, nin: comparableNin(nin), phone: comparablePhone(phone) }
}

const webhookEffect = (occasion: EffectInput, lane: Lane, event: LifecycleEvent): MaybeEffect => {
  const { placed, context } = occasion.order
  if (placed.eventsWebhook === null) return { unsent: event.event }
  const { url, parameters } = placed.eventsWebhook
  return doing(occasion, lane, {
    kind: 'event',
    event: event.event,
    url,
    contentType: FORM_CONTENT_TYPE,
    body: lifecycleEventBody(event, placed.orderRef, context.references, parameters),
  })
}

/** An identification_action event. It carries the answer of the wait endpoint for this order. Interface §6.2. */
export const actionEvent = (occasion: EffectInput, action: WaitAction): MaybeEffect => {
  const { placed, context } = occasion.order
  if (placed.eventsWebhook === null) return { unsent: 'identification_action' }
  const { url, parameters } = placed.eventsWebhook
  return doing(occasion, 'action', {
    kind: 'event',
    event: 'identification_action',
    url,
    contentType: 'application/json',
    body: actionEventBody(action, placed.orderRef, context.references, parameters),
  })
}

// The checkout lifetime does not end a review or the confirmation after it. That confirmation has the IPN's week instead,
// also if the merchant has no IPN URL.
const awaitPut = (occasion: EffectInput): MaybeEffect => {
  const { heldAt, updatedAt } = occasion.order.context
  return heldAt === null
    ? null
    : doing(occasion, 'ipn', { kind: 'timer', timer: IPN_WEEK }, { dueAt: updatedAt + LIMITS.confirmation })
}

const sendIpn = (occasion: EffectInput): MaybeEffect => {
  const { order, terms } = occasion
  const { placed, context } = order
  if (placed.notifyUrl === null) return awaitPut(occasion)
  const state = context.isUnderReview ? 'needs_review' : 'approved'
  const body = ipnBody({
    orderRef: placed.orderRef,
    references: context.references,
    productCode: agreementOf(order).product,
    stateParameter: terms.names.ipnStateParameter,
    state,
    sinceSeconds: Math.floor((context.updatedAt - required(context.outcomeAt, 'an outcome')) / 1000),
    notificationParameters: placed.notificationParameters,
  })
  return doing(occasion, 'ipn', { kind: 'ipn', state, url: placed.notifyUrl, contentType: FORM_CONTENT_TYPE, body })
}

type EffectMaker = (occasion: EffectInput, params: Readonly<Record<string, unknown>>) => MaybeEffect

/** One maker for each effect that the statechart names. */
export const effectMakers: { readonly [name: string]: EffectMaker } = {
  sendCode: (occasion) => {
    const { order } = occasion
    const { otp } = order.context
    const code = required(otp.code, 'a code')
    return doing(
      occasion,
      'sms',
      { kind: 'sms', to: personOf(order).mobile_phone, text: textsFor(order).code(code), code },
      { until: otp.expiresAt },
    )
  },
  screen: (occasion) => {
    const { order } = occasion
    const { total, currency, merchant } = order.placed
    return doing(occasion, 'screening', {
      kind: 'screening',
      person: personOf(order),
      agreement: agreementOf(order),
      total,
      currency,
      merchant: merchant.ref,
    })
  },
  askForCards: (occasion) => doing(occasion, 'cards', { kind: 'cards', owner: cardOwner(occasion.order) }),
  startSession: (occasion) =>
    doing(occasion, 'session', {
      kind: 'session',
      person: personOf(occasion.order),
      token: required(occasion.order.context.session, 'a session').token,
    }),
  startPayment: (occasion) => {
    const { amount, token } = required(openPaymentOf(occasion.order.context), 'an open payment')
    return doing(occasion, 'payment', { kind: 'payment', amount, currency: occasion.order.placed.currency, token })
  },
  voidPayment: (occasion) => {
    const { order } = occasion
    const key = effectKey(order.placed.orderRef, order.revision, 'void')
    const payment = order.context.payments.find(({ state, voidedBy }) => state === 'void' && voidedBy === key)
    return payment === undefined ? null : doing(occasion, 'void', { kind: 'void', payment: payment.key })
  },
  keepCard: (occasion) => {
    const { order, event } = occasion
    return event?.type === 'payment.succeeded' && event.keep && event.card !== null
      ? doing(occasion, 'card', { kind: 'card', owner: cardOwner(order), card: event.card })
      : null
  },
  refundPayment: (occasion) => {
    const { order } = occasion
    const key = effectKey(order.placed.orderRef, order.revision, 'refund')
    const payment = order.context.payments.find(({ refundedBy }) => refundedBy === key)
    return payment === undefined
      ? null
      : doing(occasion, 'refund', {
          kind: 'refund',
          payment: payment.key,
          amount: payment.amount,
          currency: order.placed.currency,
        })
  },
  sendIpn,
  hastenIpn: () => ({ effect: { type: 'hasten', lane: 'ipn' } }),
  assessRisk: (occasion) => {
    const { order } = occasion
    return doing(occasion, 'risk', {
      kind: 'risk',
      person: personOf(order),
      amount: required(successfulPaymentOf(order.context), 'a payment').amount,
      currency: order.placed.currency,
      underEvaluation: order.state.risk === 'underEvaluation',
    })
  },
  watchRisk: (occasion) => doing(occasion, 'watch', { kind: 'watch', person: personOf(occasion.order) }),
  tellMerchant: (occasion, { event }) => {
    if (event !== 'risk_assessment')
      return webhookEffect(occasion, 'notice', { event: event === 'denied' ? 'denied' : 'cancelled' })
    const riskLevel = required(occasion.order.context.riskLevel, 'a risk')
    return webhookEffect(occasion, 'notice', { event: 'risk_assessment', riskLevel })
  },
  askToCancel: (occasion) => {
    const { orderRef } = occasion.order.placed
    return webhookEffect(occasion, 'cancel', {
      event: 'cancel',
      cancellationRequestUrl: occasion.terms.links.cancellationRequest(orderRef),
    })
  },
  withdraw: (_, { lane }) => ({ effect: { type: 'withdraw', lane: String(lane) } }),
}
