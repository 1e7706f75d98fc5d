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
export const recordingGateway = ({ clock, notes }: RecordingContext, gateway: MerchantGateway): MerchantGateway => {
  const attempts = new Map<string, number>()
  return {
    post: (request) => {
      const { id: key, url, contentType, body } = request
      const { orderRef, lane } = effectKeyParts(key)
      const recordAnswer = (n: number, status: number | null, answer: string | null) => () =>
        notes.record(orderRef, { part: 'heard', at: clock.now(), key, n, status, body: answer })
      return pipe(
        TE.fromIO(() => {
          const n = (attempts.get(key) ?? 0) + 1
          attempts.set(key, n)
          const event = EVENTS[lane]?.(body) ?? 'denied'
          const sent = {
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
          notes.record(orderRef, { part: 'sent', at: clock.now(), ...sent })
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

export const recordingProviders = ({ clock, notes }: RecordingContext, providers: Providers): Providers => {
  const recordDecision = (orderRef: string, by: 'screening' | 'identity' | 'risk' | 'watch', decision: string): void =>
    notes.record(orderRef, { part: 'decided', at: clock.now(), by, said: decision })
  const { screening, sms, identity, payments, risk } = providers
  return {
    screening: {
      screen: (asked) =>
        pipe(
          screening.screen(asked),
          TE.tapIO((reply) => () => {
            if (reply.type === 'answer') recordDecision(asked.orderRef, 'screening', reply.value.outcome)
          }),
        ),
    },
    sms: {
      send: (asked) =>
        pipe(
          sms.send(asked),
          TE.tapIO((reply) => () => {
            const { to, text, code } = asked.work
            if (reply.type === 'answer')
              notes.record(asked.orderRef, { part: 'message', at: clock.now(), to, text, code })
          }),
        ),
    },
    identity: {
      open: (asked) =>
        pipe(
          identity.open(asked),
          TE.tapIO((reply) => () => {
            if (reply.type === 'answer' && reply.value?.type === 'reported')
              recordDecision(asked.orderRef, 'identity', reply.value.status)
          }),
        ),
    },
    payments: {
      ...payments,
      void: (asked) =>
        pipe(
          payments.void(asked),
          TE.tapIO((reply) => () => {
            const { payment } = asked.work
            if (reply.type === 'answer')
              notes.record(asked.orderRef, { part: 'payment', at: clock.now(), payment, what: 'voided' })
          }),
        ),
      refund: (asked) =>
        pipe(
          payments.refund(asked),
          TE.tapIO((reply) => () => {
            const { payment } = asked.work
            if (reply.type === 'answer')
              notes.record(asked.orderRef, { part: 'payment', at: clock.now(), payment, what: 'refunded' })
          }),
        ),
    },
    risk: {
      assess: (asked) =>
        pipe(
          risk.assess(asked),
          TE.tapIO((reply) => () => {
            if (reply.type === 'answer') recordDecision(asked.orderRef, 'risk', reply.value)
          }),
        ),
      watch: (asked) =>
        pipe(
          risk.watch(asked),
          TE.tapIO((reply) => () => {
            if (reply.type === 'answer' && reply.value !== null)
              recordDecision(asked.orderRef, 'watch', String(reply.value.cancelIn))
          }),
        ),
    },
  }
}
