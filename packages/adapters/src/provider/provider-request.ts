// Builds an order's request to a provider. A repeated request has the same bytes as the first one.
import {
  acceptsCallback,
  cardOnWire,
  type EffectKind,
  laneOfKey,
  type ProviderPort,
  type ProviderRequest,
} from '@plazo/core'

type RequestName =
  | 'screening.screen'
  | 'sms.send'
  | 'identity.open'
  | 'payment.open'
  | 'payment.void'
  | 'payment.refund'
  | 'payment.recall'
  | 'payment.keep'
  | 'risk.assess'
  | 'risk.watch'

export type OutgoingRequest = {
  readonly ask: RequestName
  readonly id: string
  readonly body: Readonly<Record<string, unknown>>
  readonly isAwaitedByShopper: boolean
  /** When it was first asked, and now. Domain time, epoch milliseconds. */
  readonly firstAt: number
  readonly at: number
}

type ProviderEffectKind = Exclude<EffectKind, 'timer' | 'event' | 'ipn'>
export type AnyProviderRequest = { readonly [Kind in ProviderEffectKind]: ProviderRequest<Kind> }[ProviderEffectKind]

const amount = (value: number, currency: string) => ({ value, currency })

const requestContent = (
  payload: AnyProviderRequest['payload'],
): { readonly ask: RequestName; readonly content: Readonly<Record<string, unknown>> } => {
  switch (payload.kind) {
    case 'screening': {
      const { person, agreement, total, currency, merchant } = payload
      const { product, instalmentCount } = agreement
      return {
        ask: 'screening.screen',
        content: {
          merchant,
          person,
          agreement: { product, instalment_count: instalmentCount },
          amount: amount(total, currency),
        },
      }
    }
    case 'sms':
      return { ask: 'sms.send', content: { to: payload.to, text: payload.text, code: payload.code } }
    case 'session':
      return { ask: 'identity.open', content: { person: payload.person } }
    case 'payment':
      return { ask: 'payment.open', content: { amount: amount(payload.amount, payload.currency) } }
    case 'void':
      return { ask: 'payment.void', content: { payment: payload.payment } }
    case 'refund':
      return {
        ask: 'payment.refund',
        content: { payment: payload.payment, amount: amount(payload.amount, payload.currency) },
      }
    case 'cards':
      return { ask: 'payment.recall', content: { owner: payload.owner } }
    case 'card':
      return { ask: 'payment.keep', content: { owner: payload.owner, card: cardOnWire(payload.card) } }
    case 'risk': {
      const { person, underEvaluation } = payload
      return {
        ask: 'risk.assess',
        content: { person, amount: amount(payload.amount, payload.currency), under_evaluation: underEvaluation },
      }
    }
    case 'watch':
      return { ask: 'risk.watch', content: { person: payload.person } }
  }
}

/** `callbackUrl`: the URL at which the provider reports the port's answers later. */
export const buildOutgoingRequest = (
  { key, orderRef, payload, firstAt, at }: AnyProviderRequest,
  port: ProviderPort,
  callbackUrl: string,
): OutgoingRequest => {
  const { ask, content } = requestContent(payload)
  const lane = laneOfKey(key)
  return {
    ask,
    id: key,
    body: {
      ask,
      id: key,
      order_ref: orderRef,
      asked_at: new Date(firstAt).toISOString(),
      ...(acceptsCallback(port, lane) && { callback_url: callbackUrl }),
      ...content,
    },
    isAwaitedByShopper: payload.kind === 'session' || payload.kind === 'payment',
    firstAt,
    at,
  }
}
