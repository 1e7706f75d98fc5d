// What a provider is asked, as JSON. A repeated request has the same bytes as the first one.
// docs/providers.md.
import {
  acceptsCallback,
  cardOnWire,
  type EffectKind,
  laneOfKey,
  type ProviderPort,
  type ProviderRequest,
} from '@plazo/core/internal'

type ProviderEffectKind = Exclude<EffectKind, 'timer' | 'event' | 'ipn'>
/** A request to any port. */
export type AnyProviderRequest = {
  readonly [Kind in ProviderEffectKind]: ProviderRequest<Kind>
}[ProviderEffectKind]

/** `callbackUrl`: the URL at which the provider reports the port's answers later. */
export const requestBody = (
  { key, orderRef, payload, firstAt }: AnyProviderRequest,
  port: ProviderPort,
  callbackUrl: string,
): string => {
  const { ask, ...content } = requestContent(payload)
  return JSON.stringify({
    ask,
    id: key,
    order_ref: orderRef,
    asked_at: new Date(firstAt).toISOString(),
    ...(acceptsCallback(port, laneOfKey(key)) && { callback_url: callbackUrl }),
    ...content,
  })
}

const money = (value: number, currency: string) => ({ value, currency })

/** What is asked: the request's name, and the members that only this kind of request has. */
const requestContent = (payload: AnyProviderRequest['payload']) => {
  switch (payload.kind) {
    case 'screening': {
      const { person, agreement, total, currency, merchant } = payload
      const { product, instalmentCount } = agreement
      return {
        ask: 'screening.screen',
        merchant,
        person,
        agreement: { product, instalment_count: instalmentCount },
        amount: money(total, currency),
      }
    }
    case 'sms':
      return { ask: 'sms.send', to: payload.to, text: payload.text, code: payload.code }
    case 'session':
      return { ask: 'identity.open', person: payload.person }
    case 'payment':
      return { ask: 'payment.open', amount: money(payload.amount, payload.currency) }
    case 'void':
      return { ask: 'payment.void', payment: payload.payment }
    case 'refund':
      return {
        ask: 'payment.refund',
        payment: payload.payment,
        amount: money(payload.amount, payload.currency),
      }
    case 'cards':
      return { ask: 'payment.recall', owner: payload.owner }
    case 'card':
      return { ask: 'payment.keep', owner: payload.owner, card: cardOnWire(payload.card) }
    case 'risk': {
      const { person, underEvaluation } = payload
      return {
        ask: 'risk.assess',
        person,
        amount: money(payload.amount, payload.currency),
        under_evaluation: underEvaluation,
      }
    }
    case 'watch':
      return { ask: 'risk.watch', person: payload.person }
  }
}
