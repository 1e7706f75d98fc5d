// Implements the providers by services that the operator chooses, over HTTPS. docs/providers.md.
import {
  type Decode,
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
  type Risk,
  type Screening,
  type SessionUpdate,
  type Sms,
} from '@plazo/core/internal'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { providerClient, type RemoteOptions } from './provider-client.ts'

/** `close` closes all connections, including those with requests in flight. */
export type Closable<Port> = Port & { readonly close: () => void }

/** The port that decides about a shopper, over HTTPS. docs/providers.md. */
export const remoteScreening = (options: RemoteOptions): Closable<Screening> => {
  const { ask, close } = providerClient('screening', options)
  return { screen: ask(decodeScreening), close }
}

/** The port that sends codes to phones, over HTTPS. docs/providers.md. */
export const remoteSms = (options: RemoteOptions): Closable<Sms> => {
  const { ask, close } = providerClient('sms', options)
  return { send: ask(decodeDone), close }
}

const decodeSessionUpdate =
  (pages: PageProtocol): Decode<SessionUpdate> =>
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
export const remoteIdentity = (options: RemoteOptions, pages: PageProtocol): Closable<Identity> => {
  const { ask, close } = providerClient('identity', options)
  return { open: ask(decodeSessionUpdate(pages)), close }
}

/**
 * The port that opens, voids and refunds payments and keeps cards, over HTTPS. `pages` says whether
 * the shopper pays on the provider's page. docs/providers.md.
 */
export const remotePayments = (options: RemoteOptions, pages: PageProtocol): Closable<Payments> => {
  const { ask, close } = providerClient('payment', options)
  return {
    open: ask(decodePage(pages)),
    void: ask(decodeDone),
    refund: ask(decodeDone),
    recall: ask(decodeCards),
    keep: ask(decodeDone),
    close,
  }
}

const decodeRiskAdvice: Decode<{ readonly cancelIn: number } | null> = (body) =>
  pipe(
    decodeAdvice(body),
    E.map((seconds) => (seconds === null ? null : { cancelIn: seconds * 1000 })),
  )

/**
 * The port that assesses an order's risk and watches it afterwards, over HTTPS. docs/providers.md.
 */
export const remoteRisk = (options: RemoteOptions): Closable<Risk> => {
  const { ask, close } = providerClient('risk', options)
  return { assess: ask(decodeRiskLevel), watch: ask(decodeRiskAdvice), close }
}
