// A provider may answer later, by a callback that carries the id of the earlier request: docs/providers.md.
import * as E from 'fp-ts/lib/Either.js'
import { flow, pipe } from 'fp-ts/lib/function.js'
import * as t from 'io-ts'
import { description, schemaName } from './json-schema.ts'
import {
  CancelAdvice,
  type Decode,
  decodeAdvice,
  decodePaymentResult,
  decodeRiskLevel,
  decodeScreening,
  decodeSessionStatus,
  PaymentOutcome,
  type PaymentResult,
  RiskResult,
  type Screened,
  ScreeningResult,
  SessionResult,
  type SessionStatus,
} from './provider-answer.ts'
import { decodeWith, exactObject, objectOf, textOf } from './scalars.ts'
import type { RiskLevel } from './webhook-event.ts'

/** The names of the ports in settings and addresses. */
export const PROVIDER_PORTS = ['screening', 'sms', 'identity', 'payment', 'risk'] as const
export type ProviderPort = (typeof PROVIDER_PORTS)[number]

export type ProviderUpdate =
  | ({ readonly type: 'screening.resolved' } & Screened)
  | { readonly type: 'session.reported'; readonly status: SessionStatus }
  | PaymentResult
  | { readonly type: 'risk.assessed'; readonly level: RiskLevel }
  /** Milliseconds until the order should be cancelled. */
  | { readonly type: 'cancellation.advised'; readonly delay: number }

/** The body of a callback of any port. The lane in `id` determines which of the alternatives applies. */
export const CallbackBody = schemaName(
  'ProviderCallback',
  t.intersection([
    objectOf({ id: description('The id of the answered question.', t.string) }, {}),
    t.union([ScreeningResult, SessionResult, PaymentOutcome, RiskResult, CancelAdvice]),
  ]),
)

export const CallbackView = exactObject({
  taken: description('False if the answer says nothing new or comes too late.', t.boolean),
})

export type ProviderCallback = {
  /** The id of the request: the key of the effect that sent it. */
  readonly id: string
  readonly orderRef: string
  readonly update: ProviderUpdate
}

const NO_ADVICE = 'Invalid data: cancel_in_seconds is null, but must be a whole number in a callback.'

type UpdateDecoders = { readonly [lane: string]: Decode<ProviderUpdate> }

/** The decoders of callbacks, by port and by the lane of the effect that asked. */
const CALLBACK_DECODERS: { readonly [port in ProviderPort]: UpdateDecoders } = {
  screening: {
    screening: flow(
      decodeScreening,
      E.map((answer) => ({ type: 'screening.resolved', ...answer })),
    ),
  },
  sms: {},
  identity: {
    session: flow(
      decodeSessionStatus,
      E.map((status) => ({ type: 'session.reported', status })),
    ),
  },
  payment: { payment: decodePaymentResult },
  risk: {
    risk: flow(
      decodeRiskLevel,
      E.map((level) => ({ type: 'risk.assessed', level })),
    ),
    watch: flow(
      decodeAdvice,
      E.filterOrElseW(
        (seconds) => seconds !== null,
        (): readonly string[] => [NO_ADVICE],
      ),
      E.map((seconds) => ({ type: 'cancellation.advised', delay: seconds * 1000 })),
    ),
  },
}

/** True if a request of this lane may be answered by callback. All others are repeated until they are answered. */
export const acceptsCallback = (port: ProviderPort, lane: string): boolean =>
  Object.hasOwn(CALLBACK_DECODERS[port], lane)

const ID = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}):\d{1,9}:([a-z]+)$/

export const decodeCallback = (port: ProviderPort): Decode<ProviderCallback> => {
  const decoders = CALLBACK_DECODERS[port]
  const partsOf = (id: string): readonly [orderRef: string, decode: Decode<ProviderUpdate>] | null => {
    const [, orderRef = '', lane = ''] = ID.exec(id) ?? []
    const decode = Object.hasOwn(decoders, lane) ? decoders[lane] : undefined
    return decode === undefined ? null : [orderRef, decode]
  }
  const RequestId = textOf(`the id of a question of ${port}`, ID.source, (value) => partsOf(value) !== null)
  return (body) =>
    pipe(
      body,
      decodeWith(objectOf({ id: RequestId }, {})),
      E.chain(({ id }) => {
        const [orderRef, decode] = partsOf(id) ?? ['', () => E.left([])]
        return pipe(
          decode(body),
          E.map((update) => ({ id, orderRef, update })),
        )
      }),
    )
}
