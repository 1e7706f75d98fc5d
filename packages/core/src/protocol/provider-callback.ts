// A provider may answer later, in a callback that carries the id of the request: docs/providers.md.
// The lane in the id says which answers are possible.
import * as E from 'fp-ts/lib/Either.js'
import { flow, pipe } from 'fp-ts/lib/function.js'
import * as t from 'io-ts'
import { description, schemaName } from './json-schema.ts'
import {
  CancelAdvice,
  decodeAdvice,
  decodeMember,
  decodePaymentResult,
  decodeRiskLevel,
  decodeScreening,
  decodeSessionStatus,
  PaymentOutcome,
  type ProviderPort,
  type ProviderUpdate,
  RiskResult,
  ScreeningResult,
  SessionResult,
} from './provider-answer.ts'
import { type Decode, exactObject, objectOf, textOf } from './scalars.ts'

/**
 * The body of a callback of any port. The lane in `id` determines which of the alternatives
 * applies.
 */
export const CallbackBody = schemaName(
  'ProviderCallback',
  t.intersection([
    objectOf({ id: t.string }),
    t.union([ScreeningResult, SessionResult, PaymentOutcome, RiskResult, CancelAdvice]),
  ]),
)

/** The answer to a provider's callback. docs/providers.md. */
export const CallbackView = exactObject({
  taken: description('False if the answer says nothing new or comes too late.', t.boolean),
})

/** A provider's report about an earlier request, as values. */
export type ProviderCallback = {
  /** The id of the request: the key of the effect that sent it. */
  readonly id: string
  readonly orderRef: string
  readonly update: ProviderUpdate
}

const toUpdate = <A>(
  decode: Decode<A>,
  updateOf: (answer: A) => ProviderUpdate,
): Decode<ProviderUpdate> => flow(decode, E.map(updateOf))

/** By port and by the lane of the effect that asked. */
const DECODERS: {
  readonly [port in ProviderPort]: { readonly [lane: string]: Decode<ProviderUpdate> }
} = {
  screening: {
    screening: toUpdate(decodeScreening, (answer) => ({ type: 'screening.resolved', ...answer })),
  },
  sms: {},
  identity: {
    session: toUpdate(decodeSessionStatus, (status) => ({ type: 'session.reported', status })),
  },
  payment: { payment: decodePaymentResult },
  risk: {
    risk: toUpdate(decodeRiskLevel, (level) => ({ type: 'risk.assessed', level })),
    watch: toUpdate(
      flow(
        decodeAdvice,
        E.filterOrElseW(
          (seconds) => seconds !== null,
          (): readonly string[] => [
            'Invalid data: cancel_in_seconds is null, but must be a whole number in a callback.',
          ],
        ),
      ),
      (seconds) => ({ type: 'cancellation.advised', delay: seconds * 1000 }),
    ),
  },
}

/**
 * True if a request of this lane may be answered by callback. All others are repeated until they
 * are answered.
 */
export const acceptsCallback = (port: ProviderPort, lane: string): boolean =>
  Object.hasOwn(DECODERS[port], lane)

const ID = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}):\d{1,9}:([a-z]+)$/

const partsOf = (id: string) => {
  const [, orderRef = '', lane = ''] = ID.exec(id) ?? []
  return { orderRef, lane }
}

/**
 * Reads a callback of the port. Left: sentences that name the wrong members, or say that the id is
 * not of a request that can be answered so. docs/providers.md.
 */
export const decodeCallback = (port: ProviderPort): Decode<ProviderCallback> => {
  const RequestId = textOf(`the id of a question of ${port}`, ID, (id) =>
    acceptsCallback(port, partsOf(id).lane),
  )
  const decodeId = decodeMember(objectOf({ id: RequestId }), 'id')
  return (body) =>
    pipe(
      decodeId(body),
      E.chain((id) => {
        const { orderRef, lane } = partsOf(id)
        // The codec of the id has checked the lane.
        const decode = DECODERS[port][lane] as Decode<ProviderUpdate>
        return E.map((update: ProviderUpdate) => ({ id, orderRef, update }))(decode(body))
      }),
    )
}
