// Records the providers' answers for the timeline of the sandbox. The requests to them are left out: they hold the shopper's
// data, which the timeline already has in the shopper's own request.
import type { EffectKind, ProviderError, ProviderReply, ProviderRequest, Providers } from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { Recorder } from './recorder.ts'

type Call = (request: ProviderRequest<EffectKind>) => TaskEither<ProviderError, ProviderReply<unknown>>

/** `merchantOf`: the merchant of an order, or null if it cannot be read. */
export const recordProviders = (
  providers: Providers,
  recorder: Recorder,
  merchantOf: (orderRef: string) => Promise<string | null>,
): Providers => {
  const recordCall =
    (call: Call): Call =>
    (request) =>
    async () => {
      const answered = await call(request)()
      // Asking again later is not an answer.
      const isAnswer = E.isLeft(answered) || answered.right.type === 'answer'
      if (!isAnswer || !recorder.isOpen()) return answered
      const merchantRef = await merchantOf(request.orderRef)
      const answer = E.isLeft(answered)
        ? { error: answered.left.message }
        : answered.right.type === 'answer'
          ? answered.right.value
          : null
      if (merchantRef !== null)
        recorder.record(merchantRef, request.orderRef, { type: 'provider', effect: request.payload.kind, answer })
      return answered
    }
  const recordPort = <Port extends object>(port: Port): Port =>
    // Every function of a provider has the shape of `Call`, for its own kind of effect.
    Object.fromEntries(Object.entries(port).map(([name, call]) => [name, recordCall(call as Call)])) as Port
  return {
    screening: recordPort(providers.screening),
    sms: recordPort(providers.sms),
    identity: recordPort(providers.identity),
    payments: recordPort(providers.payments),
    risk: recordPort(providers.risk),
  }
}
