// Implements the deciders by services that the operator chooses, over HTTPS. docs/providers.md.
import {
  decodeAdvice,
  decodeCards,
  decodeDone,
  decodePage,
  decodeRiskLevel,
  decodeScreening,
  decodeSessionStatus,
  type Identity,
  type Pages,
  type Payments,
  type ProviderError,
  type ProviderPort,
  type ProviderReply,
  type ProviderRequest,
  type Risk,
  type Screening,
  type SessionNews,
  type Sms,
} from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import { type ProviderClientOptions, providerClient } from './provider-client.ts'
import { type Questioned, questionOf } from './question.ts'

export type RemoteOptions = Omit<ProviderClientOptions, 'port'> & { readonly callbackUrl: string }

/** `close` closes all connections, including those with requests in flight. */
export type Closable<Port> = Port & { readonly close: () => void }

type AskedAny = { readonly [Kind in Questioned]: ProviderRequest<Kind> }[Questioned]
type Decoding<A> = (body: unknown) => E.Either<readonly string[], A>

const asking = (port: ProviderPort, options: RemoteOptions) => {
  const client = providerClient({ ...options, port })
  return {
    ask: <A>(asked: AskedAny, decode: Decoding<A>): TE.TaskEither<ProviderError, ProviderReply<A>> =>
      client.ask(questionOf(asked, port, options.callbackUrl), decode),
    close: client.close,
  }
}

export const remoteScreening = (options: RemoteOptions): Closable<Screening> => {
  const { ask, close } = asking('screening', options)
  return { screen: (asked) => ask(asked, decodeScreening), close }
}

export const remoteSms = (options: RemoteOptions): Closable<Sms> => {
  const { ask, close } = asking('sms', options)
  return { send: (asked) => ask(asked, decodeDone), close }
}

const sessionNews =
  (pages: Pages): Decoding<SessionNews> =>
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

export const remoteIdentity = (options: RemoteOptions, pages: Pages): Closable<Identity> => {
  const { ask, close } = asking('identity', options)
  return { open: (asked) => ask(asked, sessionNews(pages)), close }
}

export const remotePayments = (options: RemoteOptions, pages: Pages): Closable<Payments> => {
  const { ask, close } = asking('payment', options)
  return {
    open: (asked) => ask(asked, decodePage(pages)),
    void: (asked) => ask(asked, decodeDone),
    refund: (asked) => ask(asked, decodeDone),
    recall: (asked) => ask(asked, decodeCards),
    keep: (asked) => ask(asked, decodeDone),
    close,
  }
}

const advice: Decoding<{ readonly cancelIn: number } | null> = (body) =>
  pipe(
    decodeAdvice(body),
    E.map((seconds) => (seconds === null ? null : { cancelIn: seconds * 1000 })),
  )

export const remoteRisk = (options: RemoteOptions): Closable<Risk> => {
  const { ask, close } = asking('risk', options)
  return { assess: (asked) => ask(asked, decodeRiskLevel), watch: (asked) => ask(asked, advice), close }
}
