// Describes the problems that routes answer: one route's own, those of a kind of routes, and those of every route. Contract §2.
import { Problem, type SchemaOf } from '@plazo/core'
import type { ContentObject, ResponseObject } from './document-types.ts'
import type { Answer, Content, Operation } from './operation.ts'

export const mapValues = <A, B>(all: Readonly<Record<string, A>>, map: (value: A) => B): Readonly<Record<string, B>> =>
  Object.fromEntries(Object.entries(all).map(([name, value]) => [name, map(value)]))

/** Builds the document's bodies, headers and answers from the schemas of their codecs. */
export const contentOf = (schemaOf: SchemaOf, contents: readonly Content[]): ContentObject =>
  Object.fromEntries(
    contents.map(({ mediaType, codecs, examples }) => {
      const [first, ...others] = codecs.map(schemaOf)
      return [
        mediaType,
        {
          ...(first !== undefined && { schema: others.length === 0 ? first : { anyOf: [first, ...others] } }),
          ...(Object.keys(examples).length > 0 && {
            examples: mapValues(examples, (value) => ({ value })),
          }),
        },
      ]
    }),
  )

export const responseOf = (schemaOf: SchemaOf, { description, contents, headers }: Answer): ResponseObject => ({
  description,
  ...(Object.keys(headers).length > 0 && {
    headers: mapValues(headers, (meaning) => ({ description: meaning, schema: { type: 'string' } })),
  }),
  ...(contents.length > 0 && { content: contentOf(schemaOf, contents) }),
})

const PROBLEM: Content = { mediaType: 'application/problem+json', codecs: [Problem], examples: {} }

export const refusal = (
  schemaOf: SchemaOf,
  description: string,
  headers: Readonly<Record<string, string>> = {},
): ResponseObject => responseOf(schemaOf, { description, contents: [PROBLEM], headers })

/** On the console, a browser gets the problem as a page. */
export const alsoAsPage = ({ content, ...rest }: ResponseObject): ResponseObject => ({
  ...rest,
  content: { ...content, 'text/html': {} },
})

const RETRY_AFTER = { 'Retry-After': 'Whole seconds to wait.' }

/** Problems that many routes share. */
export const sharedRefusals = (schemaOf: SchemaOf): Readonly<Record<string, ResponseObject>> => ({
  NotAnObject: refusal(schemaOf, 'The body is not a JSON object.'),
  Unauthorized: refusal(schemaOf, 'Missing or wrong credentials.', { 'WWW-Authenticate': 'Basic.' }),
  Forbidden: refusal(
    schemaOf,
    'The merchant does not exist or belongs to another account, or a page of another origin requests a change.',
  ),
  ForeignOrigin: refusal(schemaOf, 'A page of another origin requests a change.'),
  TooLarge: refusal(schemaOf, 'The body is too large.'),
  UnsupportedMediaType: refusal(schemaOf, 'The body has another media type.'),
  TooManyRequests: refusal(
    schemaOf,
    'In production: too many requests, or failed logins. Always: too many reads of the account in progress, or too many examples being sent.',
    RETRY_AFTER,
  ),
  Otherwise: refusal(schemaOf, 'Any other error is a problem too. After 503, try again.', RETRY_AFTER),
})

/** The names of the shared problems that a route of this kind answers, by status. */
export const refusalsOf = (
  method: string,
  { caller, body, isLimited }: Operation,
): Readonly<Record<string, string>> => ({
  ...(body?.contents.some(({ mediaType }) => mediaType === 'application/json') && { 400: 'NotAnObject' }),
  ...((caller === 'merchant' || caller === 'operator') && { 401: 'Unauthorized' }),
  ...(caller === 'merchant' && { 403: 'Forbidden' }),
  ...(caller !== 'merchant' && caller !== 'frontend' && method !== 'GET' && { 403: 'ForeignOrigin' }),
  // A client may send a body even if none is expected.
  ...(method !== 'GET' && { 413: 'TooLarge' }),
  ...(body !== undefined && { 415: 'UnsupportedMediaType' }),
  ...((isLimited === true || caller === 'merchant' || caller === 'operator') && { 429: 'TooManyRequests' }),
  default: 'Otherwise',
})
