// Wraps the ports to the outside, the gateway and the providers, so that a trace also contains their requests and answers.
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { EventName } from '../../delivery/attempt.ts'
import { effectKeyParts } from '../../order/effects/effect.ts'
import type { MerchantGateway } from '../../ports/merchant-gateway.ts'
import type { Providers } from '../../ports/providers.ts'
import type { RecordingContext } from './trace-recorder.ts'

const EVENTS: { readonly [lane: string]: (body: string) => EventName | 'ipn' } = {
  ipn: () => 'ipn',
  cancel: () => 'cancel',
  action: () => 'identification_action',
  notice: (body) => (new URLSearchParams(body).get('event') ?? 'denied') as EventName,
}

/** Records the requests and answers of a gateway. Headers and signatures are added inside it, so they are not recorded. */
export const recordingGateway = ({ clock, recorder }: RecordingContext, gateway: MerchantGateway): MerchantGateway => {
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
          const attempt = {
            key,
            event,
            n,
            trigger: 'schedule' as const,
            url,
            contentType,
            body,
            headers: {},
            signature: null,
          }
          recorder.record(orderRef, { part: 'request', at: clock.now(), ...attempt })
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

export const recordingProviders = ({ clock, recorder }: RecordingContext, providers: Providers): Providers => {
  const recordDecision = (orderRef: string, by: 'screening' | 'identity' | 'risk' | 'watch', decision: string): void =>
    recorder.record(orderRef, { part: 'decision', at: clock.now(), by, answer: decision })
  const { screening, sms, identity, payments, risk } = providers
  return {
    screening: {
      screen: (request) =>
        pipe(
          screening.screen(request),
          TE.tapIO((reply) => () => {
            if (reply.type === 'answer') recordDecision(request.orderRef, 'screening', reply.value.outcome)
          }),
        ),
    },
    sms: {
      send: (request) =>
        pipe(
          sms.send(request),
          TE.tapIO((reply) => () => {
            const { to, text, code } = request.payload
            if (reply.type === 'answer')
              recorder.record(request.orderRef, { part: 'message', at: clock.now(), to, text, code })
          }),
        ),
    },
    identity: {
      open: (request) =>
        pipe(
          identity.open(request),
          TE.tapIO((reply) => () => {
            if (reply.type === 'answer' && reply.value?.type === 'reported')
              recordDecision(request.orderRef, 'identity', reply.value.status)
          }),
        ),
    },
    payments: {
      ...payments,
      void: (request) =>
        pipe(
          payments.void(request),
          TE.tapIO((reply) => () => {
            const { payment } = request.payload
            if (reply.type === 'answer')
              recorder.record(request.orderRef, { part: 'payment', at: clock.now(), payment, what: 'voided' })
          }),
        ),
      refund: (request) =>
        pipe(
          payments.refund(request),
          TE.tapIO((reply) => () => {
            const { payment } = request.payload
            if (reply.type === 'answer')
              recorder.record(request.orderRef, { part: 'payment', at: clock.now(), payment, what: 'refunded' })
          }),
        ),
    },
    risk: {
      assess: (request) =>
        pipe(
          risk.assess(request),
          TE.tapIO((reply) => () => {
            if (reply.type === 'answer') recordDecision(request.orderRef, 'risk', reply.value)
          }),
        ),
      watch: (request) =>
        pipe(
          risk.watch(request),
          TE.tapIO((reply) => () => {
            if (reply.type === 'answer' && reply.value !== null)
              recordDecision(request.orderRef, 'watch', String(reply.value.cancelIn))
          }),
        ),
    },
  }
}
