// The statechart's effect names turned into data, from the order as the step leaves it.

import type { WaitAction } from '../protocol/action.ts'
import { actionEventBody } from '../protocol/action-event.ts'
import { FORM_CONTENT_TYPE } from '../protocol/form-encoding.ts'
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

/** What an effect is made from: the order after the step, and the event that caused it. */
export type Occasion = { readonly order: Order; readonly event: OrderEvent | null; readonly terms: Terms }

/** `unsent`: an event for an order without `events_webhook`; the history says so. */
export type Made = { readonly effect: Effect } | { readonly unsent: string } | null

const doing = (
  { order }: Occasion,
  lane: Lane,
  work: Work,
  { dueAt = order.context.updatedAt, until = null }: { readonly dueAt?: number; readonly until?: number | null } = {},
): Made => ({
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

const cardOwner = ({ placed, context }: Order): CardOwner => ({
  account: placed.merchant.account,
  nin: comparableNin(context.person?.nin ?? ''),
  phone: comparablePhone(context.person?.mobile_phone ?? ''),
})

const telling = (occasion: Occasion, lane: Lane, event: LifecycleEvent): Made => {
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

/** An identification_action event with what wait answers for this very order. Interface §6.2. */
export const actionEvent = (occasion: Occasion, action: WaitAction): Made => {
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

// A review never expires, nor does the confirmation after it: that has the IPN's week, of a merchant who takes none too.
const awaitPut = (occasion: Occasion): Made => {
  const { heldAt, updatedAt } = occasion.order.context
  return heldAt === null
    ? null
    : doing(occasion, 'ipn', { kind: 'timer', timer: IPN_WEEK }, { dueAt: updatedAt + LIMITS.confirmation })
}

const sendIpn = (occasion: Occasion): Made => {
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
    sinceSeconds: Math.floor((context.updatedAt - (context.outcomeAt ?? context.updatedAt)) / 1000),
    notificationParameters: placed.notificationParameters,
  })
  return doing(occasion, 'ipn', { kind: 'ipn', state, url: placed.notifyUrl, contentType: FORM_CONTENT_TYPE, body })
}

const person = ({ context }: Order) => {
  if (context.person === null) throw new Error('An effect needs the shopper, and nobody has identified.')
  return context.person
}

type EffectMaker = (occasion: Occasion, params: Readonly<Record<string, unknown>>) => Made

/** Every effect the statechart names. */
export const effectMakers: { readonly [name: string]: EffectMaker } = {
  sendCode: (occasion) => {
    const { otp } = occasion.order.context
    const code = otp.code ?? ''
    return doing(
      occasion,
      'sms',
      { kind: 'sms', to: person(occasion.order).mobile_phone, text: textsFor(occasion.order).code(code), code },
      { until: otp.expiresAt },
    )
  },
  screen: (occasion) => {
    const { order } = occasion
    const { total, currency, merchant } = order.placed
    return doing(occasion, 'screening', {
      kind: 'screening',
      person: person(order),
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
      person: person(occasion.order),
      token: occasion.order.context.session?.token ?? '',
    }),
  startPayment: (occasion) => {
    const payment = openPaymentOf(occasion.order.context)
    return payment === undefined
      ? null
      : doing(occasion, 'payment', {
          kind: 'payment',
          amount: payment.amount,
          currency: occasion.order.placed.currency,
          token: payment.token,
        })
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
      person: person(order),
      amount: successfulPaymentOf(order.context)?.amount ?? order.placed.total,
      currency: order.placed.currency,
      underEvaluation: order.state.risk === 'underEvaluation',
    })
  },
  watchRisk: (occasion) => doing(occasion, 'watch', { kind: 'watch', person: person(occasion.order) }),
  tellMerchant: (occasion, { event }) => {
    if (event !== 'risk_assessment')
      return telling(occasion, 'notice', { event: event === 'denied' ? 'denied' : 'cancelled' })
    const { riskLevel } = occasion.order.context
    return riskLevel === null ? null : telling(occasion, 'notice', { event: 'risk_assessment', riskLevel })
  },
  askToCancel: (occasion) => {
    const { orderRef } = occasion.order.placed
    return telling(occasion, 'cancel', {
      event: 'cancel',
      cancellationRequestUrl: occasion.terms.links.cancellationRequest(orderRef),
    })
  },
  withdraw: (_, { lane }) => ({ effect: { type: 'withdraw', lane: String(lane) } }),
}
