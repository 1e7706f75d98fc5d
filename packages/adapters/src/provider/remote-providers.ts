// Implements the providers by services that the operator chooses, over HTTPS. A repeated request
// has the same bytes as the first one. docs/providers.md.
import type { EffectKind } from '@plazo/core'
import {
  type Identity,
  laneOfKey,
  type Payments,
  type ProviderError,
  type ProviderReply,
  type ProviderRequest,
  type Risk,
  type Screening,
  type SessionUpdate,
  type Sms,
} from '@plazo/core/ports'
import {
  acceptsCallback,
  type Catalogue,
  cardOnWire,
  decodeAdvice,
  decodeCards,
  decodeDone,
  decodePage,
  decodeRiskLevel,
  decodeScreening,
  decodeSessionStatus,
  type PageProtocol,
  type ProviderPort,
} from '@plazo/core/protocol'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import {
  type Decoder,
  type OutgoingRequest,
  type ProviderClientOptions,
  providerClient,
} from './provider-client.ts'

/**
 * How the provider behind a port is called. `callbackUrl`: the URL at which the provider reports
 * the port's answers later.
 */
export type RemoteOptions = ProviderClientOptions & { readonly callbackUrl: string }

/** `close` closes all connections, including those with requests in flight. */
export type Closable<Port> = Port & { readonly close: () => void }

type ProviderEffectKind = Exclude<EffectKind, 'timer' | 'event' | 'ipn'>
type AnyProviderRequest = {
  readonly [Kind in ProviderEffectKind]: ProviderRequest<Kind>
}[ProviderEffectKind]

/** Makes the function that asks the provider and decodes its answer. */
type Ask = <A>(
  decode: Decoder<A>,
) => (request: AnyProviderRequest) => TE.TaskEither<ProviderError, ProviderReply<A>>

const remotePort = <Port>(
  port: ProviderPort,
  options: RemoteOptions,
  functionsOf: (ask: Ask) => Port,
): Closable<Port> => {
  const { send, close } = providerClient(options)
  return {
    ...functionsOf(
      (decode) => (request) => send(toOutgoingRequest(request, port, options.callbackUrl), decode),
    ),
    close,
  }
}

/**
 * The port that decides about a shopper, over HTTPS. `products`: those of the host's model, which may
 * be offered instead; by default plazo's. docs/providers.md.
 */
export const remoteScreening = (
  options: RemoteOptions,
  products?: Catalogue,
): Closable<Screening> =>
  remotePort('screening', options, (ask) => ({ screen: ask(decodeScreening(products)) }))

/** The port that sends codes to phones, over HTTPS. docs/providers.md. */
export const remoteSms = (options: RemoteOptions): Closable<Sms> =>
  remotePort('sms', options, (ask) => ({ send: ask(decodeDone) }))

const decodeSessionUpdate =
  (pages: PageProtocol): Decoder<SessionUpdate> =>
  (body) =>
    Object.hasOwn(Object(body), 'status')
      ? pipe(
          decodeSessionStatus(body),
          E.map((status) => ({ type: 'reported', status })),
        )
      : pipe(
          decodePage(pages)(body),
          E.map(({ url }) => ({ type: 'opened', url })),
        )

/**
 * The port that opens ID sessions, over HTTPS. `pages` says whether the shopper verifies on the
 * provider's page. docs/providers.md.
 */
export const remoteIdentity = (options: RemoteOptions, pages: PageProtocol): Closable<Identity> =>
  remotePort('identity', options, (ask) => ({ open: ask(decodeSessionUpdate(pages)) }))

/**
 * The port that opens, voids and refunds payments and keeps cards, over HTTPS. `pages` says whether
 * the shopper pays on the provider's page. docs/providers.md.
 */
export const remotePayments = (options: RemoteOptions, pages: PageProtocol): Closable<Payments> =>
  remotePort('payment', options, (ask) => ({
    open: ask(decodePage(pages)),
    void: ask(decodeDone),
    refund: ask(decodeDone),
    recall: ask(decodeCards),
    keep: ask(decodeDone),
  }))

const decodeRiskAdvice: Decoder<{ readonly cancelIn: number } | null> = (body) =>
  pipe(
    decodeAdvice(body),
    E.map((seconds) => (seconds === null ? null : { cancelIn: seconds * 1000 })),
  )

/**
 * The port that assesses an order's risk and watches it afterwards, over HTTPS. docs/providers.md.
 */
export const remoteRisk = (options: RemoteOptions): Closable<Risk> =>
  remotePort('risk', options, (ask) => ({
    assess: ask(decodeRiskLevel),
    watch: ask(decodeRiskAdvice),
  }))

const amountOf = ({
  amount,
  currency,
}: {
  readonly amount: number
  readonly currency: string
}) => ({
  value: amount,
  currency,
})

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
        amount: { value: total, currency },
      }
    }
    case 'sms':
      return { ask: 'sms.send', to: payload.to, text: payload.text, code: payload.code }
    case 'session':
      return { ask: 'identity.open', person: payload.person }
    case 'payment':
      return { ask: 'payment.open', amount: amountOf(payload) }
    case 'void':
      return { ask: 'payment.void', payment: payload.payment }
    case 'refund':
      return { ask: 'payment.refund', payment: payload.payment, amount: amountOf(payload) }
    case 'cards':
      return { ask: 'payment.recall', owner: payload.owner }
    case 'card':
      return { ask: 'payment.keep', owner: payload.owner, card: cardOnWire(payload.card) }
    case 'risk': {
      const { person, underEvaluation } = payload
      return {
        ask: 'risk.assess',
        person,
        amount: amountOf(payload),
        under_evaluation: underEvaluation,
      }
    }
    case 'watch':
      return { ask: 'risk.watch', person: payload.person }
  }
}

const toOutgoingRequest = (
  { key, orderRef, payload, firstAt, at }: AnyProviderRequest,
  port: ProviderPort,
  callbackUrl: string,
): OutgoingRequest => {
  const { ask, ...content } = requestContent(payload)
  return {
    id: key,
    body: {
      ask,
      id: key,
      order_ref: orderRef,
      asked_at: new Date(firstAt).toISOString(),
      ...(acceptsCallback(port, laneOfKey(key)) && { callback_url: callbackUrl }),
      ...content,
    },
    isAwaitedByShopper: payload.kind === 'session' || payload.kind === 'payment',
    firstAt,
    at,
  }
}
