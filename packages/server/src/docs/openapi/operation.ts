// Each file in operations/ describes routes with these types: who calls them, with what, and every
// answer they give. The OpenAPI document is built from these descriptions.
import type { WireNames } from '@plazo/core'
import { type JsonSchema, PROVIDER_PORTS } from '@plazo/core/protocol'
import * as t from 'io-ts'

/** The names and addresses of this server. */
export type Setting = {
  readonly names: WireNames
  readonly baseUrl: string
  /** True: the demo merchant exists, whose credentials everybody may know. */
  readonly isSandbox: boolean
}

/** The shop in the examples; in a sandbox, the demo merchant's own. */
export const shopOf = ({ baseUrl, isSandbox }: Setting): string =>
  isSandbox ? `${baseUrl}/demo` : 'https://shop.example'

/** `webhook`: the service itself calls a merchant. */
export type Caller =
  | 'frontend'
  | 'merchant'
  | 'operator'
  | 'provider'
  | 'sandbox'
  | 'service'
  | 'webhook'

type Examples = Readonly<Record<string, unknown>>

export type Content = {
  readonly mediaType: string
  /** Several: the body is any one of them. None: it is not JSON. */
  readonly codecs: readonly t.Mixed[]
  readonly examples: Examples
}

export type Answer = {
  readonly description: string
  readonly contents: readonly Content[]
  readonly headers: Readonly<Record<string, string>>
}

/** By status, a range such as 2XX, or `default`. */
type Answers = Readonly<Record<string, Answer>>

type Parameter = {
  readonly in: 'query' | 'header'
  readonly description: string
  readonly codec: t.Mixed
  readonly isRequired?: true
  /** The sample uses a variable of this name. */
  readonly variable?: string
  readonly example?: string
}

export type Operation = {
  readonly id: string
  readonly caller: Caller
  readonly title: string
  readonly description?: string
  readonly parameters: Readonly<Record<string, Parameter>>
  /** A request sends one of these; none if it has no body. */
  readonly bodies: readonly Content[]
  /** The largest body, if it is not that of most routes. */
  readonly kibMax?: number
  readonly answers: Answers
  /** Problems that it answers in addition to those of every route of its kind. */
  readonly problems: Readonly<Record<number, string>>
  /** True: the rate is limited in production. */
  readonly isLimited?: true
  /** False: a sample would need something that a line of curl cannot give. */
  readonly isSampled?: false
  /** The variable that later samples need, set from the end of the Location header. */
  readonly keepsLocation?: string
}

/** By method and path, as in the app's own table of routes. */
export type Operations = Readonly<Record<string, Operation>>

/** `ok`: the answer with status 200. `answers`: those with any other. */
type Description = Partial<Omit<Operation, 'id' | 'caller' | 'title' | 'bodies'>> & {
  readonly body?: Content | readonly Content[]
  readonly ok?: Answer
}

const callBy =
  (caller: Caller) =>
  (id: string, title: string, { body = [], ok, answers, ...rest }: Description): Operation => ({
    ...{ id, caller, title, parameters: {}, problems: {} },
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

const parameterIn =
  (place: Parameter['in']) =>
  (description: string, own: Partial<Parameter> = {}): Parameter => ({
    in: place,
    description,
    codec: t.string,
    ...own,
  })

/** A parameter, a text unless `own` has another codec. */
export const query = parameterIn('query')
export const header = parameterIn('header')

export const PRODUCT_QUERY = query('One of the order’s products. Default: its current product.', {
  example: 'pp3',
})
export const NO_PRODUCT = 'The product is not available for this order.'

export const merchantHeader = ({ names }: Setting): Readonly<Record<string, Parameter>> => ({
  [names.merchantHeader]: header(
    'One of the account’s merchants, if neither path nor body names one. Default: the first merchant.',
  ),
})

type ExamplesOf<C extends t.Mixed> = Readonly<Record<string, t.OutputOf<C>>>

export const json = <C extends t.Mixed>(codec: C, examples: ExamplesOf<C> = {}): Content => ({
  mediaType: 'application/json',
  codecs: [codec],
  examples,
})

/** The body of a request. Its codec accepts more than the type of what it decodes. */
export const jsonRequest = (codec: t.Mixed, examples: Examples = {}): Content => ({
  ...json(codec),
  examples,
})

export const form = (codec: t.Mixed, examples: Examples = {}): Content => ({
  mediaType: 'application/x-www-form-urlencoded',
  codecs: [codec],
  examples,
})

export const text = (mediaType: string): Content => ({ mediaType, codecs: [], examples: {} })
export const HTML = text('text/html')
export const JAVASCRIPT = text('text/javascript')
export const CSS = text('text/css')
export const EVENT_STREAM = text('text/event-stream')

export const answer = (
  description: string,
  contents: Content | readonly Content[] = [],
  headers: Readonly<Record<string, string>> = {},
): Answer => ({ description, contents: [contents].flat(), headers })

export const jsonAnswer = <C extends t.Mixed>(
  description: string,
  codec: C,
  examples?: ExamplesOf<C>,
): Answer => answer(description, json(codec, examples))

export const PAGE = answer('The page.', HTML)

/** The order and the token in the examples. */
export const ORDER_REF = '0b8e6f5c-7f0e-4c53-9a6f-3d0f6c1f2a11'
export const TOKEN = 'kK0VbFq3TzqY1xQ5mZr2Jw'

type PathParameter = Pick<Parameter, 'description' | 'variable'> & {
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
