// Wraps the ports to the outside, the gateway and the providers, so that a trace also contains
// their requests and answers.
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { EventName } from '../../delivery/attempt.ts'
import { effectKeyParts } from '../../order/effects/effect.ts'
import type { MerchantGateway } from '../../ports/merchant-gateway.ts'
import type { ProviderError, ProviderReply, Providers } from '../../ports/providers.ts'
import type { TraceEntry } from './trace.ts'
import type { RecordingContext } from './trace-recorder.ts'

const EVENTS: { readonly [lane: string]: (body: string) => EventName | 'ipn' } = {
  ipn: () => 'ipn',
  cancel: () => 'cancel',
  action: () => 'identification_action',
  notice: (body) => (new URLSearchParams(body).get('event') ?? 'denied') as EventName,
}

/**
 * Records the requests and answers of a gateway. Headers and signatures are added inside it, so
 * they are not recorded.
 */
export const recordingGateway = (
  { clock, recorder }: RecordingContext,
  gateway: MerchantGateway,
): MerchantGateway => {
  const attempts = new Map<string, number>()
  return {
    post: (request) => {
      const { id: key, url, contentType, body } = request
      const { orderRef, lane } = effectKeyParts(key)
      const recordAnswer = (n: number, status: number | null, answer: string | null) => () =>
        recorder.record(orderRef, { part: 'answer', at: clock.now(), key, n, status, body: answer })
      return pipe(
        TE.fromIO(() => {
          const n = (attempts.get(key) ?? 0) + 1
          attempts.set(key, n)
          const event = EVENTS[lane]?.(body) ?? 'denied'
          const attempt = { key, event, n, trigger: 'schedule' as const, url, contentType, body }
          recorder.record(orderRef, {
            part: 'request',
            at: clock.now(),
            ...attempt,
            headers: {},
            signature: null,
          })
          return n
        }),
        TE.chain((n) =>
          pipe(
            gateway.post(request),
            TE.tapIO(({ status, body: answer }) => recordAnswer(n, status, answer)),
            TE.tapError(() => TE.fromIO(recordAnswer(n, null, null))),
          ),
        ),
      )
    },
  }
}

/** Wraps providers: their answers become entries of the trace, and are passed on unchanged. */
export const recordingProviders = (
  { clock, recorder }: RecordingContext,
  providers: Providers,
): Providers => {
  /** Records the answers of a port: `entryOf` makes an entry of each, or null. */
  const recordAnswers =
    <Request extends { readonly orderRef: string }, A>(
      call: (request: Request) => TE.TaskEither<ProviderError, ProviderReply<A>>,
      entryOf: (answer: A, request: Request) => Unstamped<TraceEntry> | null,
    ) =>
    (request: Request): TE.TaskEither<ProviderError, ProviderReply<A>> =>
      pipe(
        call(request),
        TE.tapIO((reply) => () => {
          const entry = reply.type === 'answer' ? entryOf(reply.value, request) : null
          if (entry !== null) recorder.record(request.orderRef, { ...entry, at: clock.now() })
        }),
      )
  const { screening, sms, identity, payments, risk } = providers
  return {
    screening: {
      screen: recordAnswers(screening.screen, ({ outcome }) => ({
        part: 'decision',
        by: 'screening',
        answer: outcome,
      })),
    },
    sms: {
      send: recordAnswers(sms.send, (_, { payload: { to, text, code } }) => ({
        part: 'message',
        to,
        text,
        code,
      })),
    },
    identity: {
      open: recordAnswers(identity.open, (update) =>
        update?.type === 'reported'
          ? { part: 'decision', by: 'identity', answer: update.status }
          : null,
      ),
    },
    payments: {
      ...payments,
      void: recordAnswers(payments.void, (_, { payload: { payment } }) => ({
        part: 'payment',
        payment,
        what: 'voided',
        amount: null,
        refund: null,
      })),
      refund: recordAnswers(payments.refund, (_, { key, payload: { payment, amount } }) => ({
        part: 'payment',
        payment,
        what: 'refunded',
        amount,
        refund: key,
      })),
    },
    risk,
  }
}

/** An entry without its instant. */
type Unstamped<Entry> = Entry extends unknown ? Omit<Entry, 'at'> : never
