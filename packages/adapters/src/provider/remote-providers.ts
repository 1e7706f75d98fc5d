// Implements the providers by services that the operator chooses, over HTTPS. docs/providers.md.
import {
  decodeAdvice,
  decodeCards,
  decodeDone,
  decodePage,
  decodeRiskLevel,
  decodeScreening,
  decodeSessionStatus,
  type Identity,
  type PageProtocol,
  type Payments,
  type ProviderError,
  type ProviderPort,
  type ProviderReply,
  type Risk,
  type Screening,
  type SessionUpdate,
  type Sms,
} from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import { type ProviderClientOptions, providerClient } from './provider-client.ts'
import { type AnyProviderRequest, buildOutgoingRequest } from './provider-request.ts'

export type RemoteOptions = ProviderClientOptions & { readonly callbackUrl: string }

/** `close` closes all connections, including those with requests in flight. */
export type Closable<Port> = Port & { readonly close: () => void }

type Decoder<A> = (body: unknown) => E.Either<readonly string[], A>

const createPortClient = (port: ProviderPort, options: RemoteOptions) => {
  const { send, close } = providerClient(options)
  return {
    ask: <A>(request: AnyProviderRequest, decode: Decoder<A>): TE.TaskEither<ProviderError, ProviderReply<A>> =>
      send(buildOutgoingRequest(request, port, options.callbackUrl), decode),
    close,
  }
}

export const remoteScreening = (options: RemoteOptions): Closable<Screening> => {
  const { ask, close } = createPortClient('screening', options)
  return { screen: (request) => ask(request, decodeScreening), close }
}

export const remoteSms = (options: RemoteOptions): Closable<Sms> => {
  const { ask, close } = createPortClient('sms', options)
  return { send: (request) => ask(request, decodeDone), close }
}

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

export const remoteIdentity = (options: RemoteOptions, pages: PageProtocol): Closable<Identity> => {
  const { ask, close } = createPortClient('identity', options)
  return { open: (request) => ask(request, decodeSessionUpdate(pages)), close }
}

export const remotePayments = (options: RemoteOptions, pages: PageProtocol): Closable<Payments> => {
  const { ask, close } = createPortClient('payment', options)
  return {
    open: (request) => ask(request, decodePage(pages)),
    void: (request) => ask(request, decodeDone),
    refund: (request) => ask(request, decodeDone),
    recall: (request) => ask(request, decodeCards),
    keep: (request) => ask(request, decodeDone),
    close,
  }
}

const decodeRiskAdvice: Decoder<{ readonly cancelIn: number } | null> = (body) =>
  pipe(
    decodeAdvice(body),
    E.map((seconds) => (seconds === null ? null : { cancelIn: seconds * 1000 })),
  )

export const remoteRisk = (options: RemoteOptions): Closable<Risk> => {
  const { ask, close } = createPortClient('risk', options)
  return {
    assess: (request) => ask(request, decodeRiskLevel),
    watch: (request) => ask(request, decodeRiskAdvice),
    close,
  }
}
