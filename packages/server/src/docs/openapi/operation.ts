// Each file in operations/ describes routes with these types: who calls them, with what, and every
// answer they give. The OpenAPI document is built from these descriptions.
import { type JsonSchema, PROVIDER_PORTS } from '@plazo/core/protocol'
import { BODY_KIB_MAX } from '../../http/body.ts'
import {
  type Answer,
  type Caller,
  type Content,
  header,
  type Operation,
  type Parameters,
  type Setting,
} from '../../http/route.ts'
import { ORDER_REF, TOKEN } from './examples.ts'

export {
  answer,
  EVENT_STREAM,
  form,
  HTML,
  header,
  JAVASCRIPT,
  json,
  jsonAnswer,
  jsonRequest,
  type Operation,
  PAGE,
  query,
  type Setting,
} from '../../http/route.ts'
export { ORDER_REF, TOKEN } from './examples.ts'

/** By method and path, as in the app's own table of routes. */
export type Operations = Readonly<Record<string, Operation>>

/** `ok`: the answer with status 200. `answers`: those with any other. */
type Description = Partial<Omit<Operation, 'id' | 'caller' | 'summary' | 'bodies'>> & {
  readonly body?: Content | readonly Content[]
  readonly ok?: Answer
}

const callBy =
  (caller: Caller) =>
  (id: string, summary: string, { body = [], ok, answers, ...rest }: Description): Operation => ({
    ...{ id, caller, summary, parameters: {}, problems: {} },
    ...{ kibMax: BODY_KIB_MAX, isLimited: false, isSampled: true },
    ...rest,
    bodies: [body].flat(),
    answers: { ...(ok && { 200: ok }), ...answers },
  })

/** Describes a route by its caller. */
export const call = {
  frontend: callBy('frontend'),
  merchant: callBy('merchant'),
  operator: callBy('operator'),
  provider: callBy('provider'),
  sandbox: callBy('sandbox'),
  service: callBy('service'),
  webhook: callBy('webhook'),
}

export const merchantHeader = ({ names }: Setting): Parameters => ({
  [names.merchantHeader]: header(
    'One of the account’s merchants, if neither path nor body names one. Default: the first merchant.',
  ),
})

type PathParameter = Pick<Parameters[string], 'description' | 'variable'> & {
  readonly schema: JsonSchema
  readonly example: string
}

const textParameter = (description: string, example: string, variable?: string): PathParameter => ({
  ...{ description, schema: { type: 'string' }, example },
  ...(variable !== undefined && { variable }),
})

/** The parameters of paths. A sample uses the variable of each, or else the example. */
export const PATH_PARAMETERS: Readonly<Record<string, PathParameter>> = {
  uuid: {
    description:
      'The uuid of the order and its checkout: the last part of Location of POST /orders.',
    schema: { type: 'string', format: 'uuid' },
    example: ORDER_REF,
    variable: 'ORDER',
  },
  port: {
    description: 'The provider’s port.',
    schema: { type: 'string', enum: PROVIDER_PORTS },
    example: 'payment',
  },
  script: textParameter('The script’s file name.', 'payment-frame.js'),
  ref: textParameter('The merchant’s ref.', 'demo'),
  merchant: textParameter('The merchant’s ref.', 'demo'),
  order_ref_1: textParameter(
    'The merchant’s primary reference of the order. It may contain slashes, raw or as %2F.',
    'A-1001',
    'ORDER_REF_1',
  ),
  id: textParameter('The delivery: its Webhook-Id.', `${ORDER_REF}:7:ipn`, 'DELIVERY'),
  token: textParameter(
    'The payment or ID session: the part after the order in iframe_url or session_url.',
    TOKEN,
    'TOKEN',
  ),
  number: textParameter('The number of a delivery.', '1'),
  card: textParameter('The saved card: the last part of its iframe_url.', TOKEN, 'CARD'),
  challenge: textParameter('The authentication: the last part of src.', TOKEN, 'CHALLENGE'),
}
