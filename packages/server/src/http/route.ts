// A route is one value: who may call it, what it takes, what it answers with examples, and what it
// does. A feature's routes.ts is a list of these values. The app, its 405 answers, CORS, limits,
// and OpenAPI all read the list, so that no two of them can disagree.
//
// A call passes `limit`, `access.load`, `body.read` and `handle`, in this order. `handle` gets the
// values that access and body have read. It returns a value of `ok`'s codec, sent as JSON with
// `status`; a Response of its own, for example a stream; or a TaskEither of either. It may throw a
// HandlerError. An error becomes a problem, or sentences.
//
// Pages for browsers are not routes. Small Hono apps serve them.
import type { JsonSchema, OrderRefusal, WireNames } from '@plazo/core/internal'
import * as E from 'fp-ts/lib/Either.js'
import * as R from 'fp-ts/lib/ReadonlyRecord.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { Context, Env } from 'hono'
import * as t from 'io-ts'
import { addHeaders } from './browser-security.ts'
import type { RateLimit } from './limits/rate-limits.ts'
import { HandlerError, type KnownError, problem, refused, type ShowError } from './problem.ts'
import { bodyBytes, checkBody, decode, jsonBody, UUID } from './request.ts'

/** The names and addresses of this server, for descriptions and examples. */
export type Setting = {
  readonly names: WireNames
  readonly baseUrl: string
  /** The URL of the shop in the examples. */
  readonly shop: string
}

/** Who may make a group of calls, as OpenAPI describes it. */
export type Tag = { readonly name: string; readonly description: string }

/** `webhook`: the service itself calls a merchant. A tag: the calls of a program of its own. */
export type Caller = 'frontend' | 'merchant' | 'operator' | 'provider' | 'service' | 'webhook' | Tag

type Headers = Readonly<Record<string, string>>

type Examples = Readonly<Record<string, unknown>>

/** A codec, which the document writes as its schema, or a schema. */
export type Codec = t.Mixed | JsonSchema

declare const VALUE: unique symbol

/** By media type. `R`: the type of an answer with this content. Never: only a Response has it. */
export type Content<R = unknown> = Readonly<
  Record<
    string,
    {
      /** Undefined: it is not JSON. */
      readonly schema?: Codec | undefined
      readonly examples?: Readonly<Record<string, { readonly value: unknown }>> | undefined
    }
  >
> & { readonly [VALUE]?: R }

export type Answer<R = unknown> = {
  readonly description: string
  readonly headers?: Readonly<Record<string, object>> | undefined
  readonly content?: Content | undefined
  readonly [VALUE]?: R
}

export type Parameters = Readonly<
  Record<
    string,
    {
      readonly in: 'path' | 'query' | 'header'
      readonly description: string
      readonly schema: Codec
      readonly required?: boolean
      readonly example?: string
    }
  >
>

/** The description of a call, in either direction. */
export type Operation = {
  readonly id: string
  readonly summary: string
  readonly caller: Caller
  readonly description?: string
  readonly parameters: Parameters
  /** A request sends one of these. Undefined: it has no body. */
  readonly content?: Content | undefined
  /** The largest body, in KiB. Default: `BODY_KIB_MAX`. */
  readonly kibMax?: number
  /** By status, a range such as 2XX, or `default`. */
  readonly answers: Readonly<Record<string, Answer>>
  /** Problems that it answers in addition to those of every route of its kind. */
  readonly problems?: Readonly<Record<number, string>>
  /** Limits the rate in production. It runs first. */
  readonly limit?: RateLimit
}

/** What all routes of an app share. */
type HandlerParts = {
  /** Those of every answer. */
  readonly headers: Headers
  readonly foreignOrigin: (c: Context) => string | null
  readonly showError: ShowError
}

type Refusals = {
  /** True: pages of any origin may call it, without credentials. Default: they may change nothing. */
  readonly anyOrigin?: true
  /** True: a refusal is a list of sentences, as the Order API gives its own. Contract §2. */
  readonly refusesBySentences?: true
  /** True: a browser gets a page, also for an error. */
  readonly showsPages?: true
}

export type Route = Operation &
  Refusals & {
    readonly method: Method
    readonly path: string
    readonly status: Status
    readonly handlerWith: (parts: HandlerParts) => (c: Context) => Promise<Response>
  }

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'
type Status = 200 | 201 | 202 | 204

/** Who calls a route, and what must be found before it is handled. */
export type Access<A> = {
  readonly caller: Caller
  readonly load: (c: Context) => Outcome<A>
  /** The parameters that `load` reads. */
  readonly parameters: Parameters
}

export const accessBy = <A>(
  caller: Caller,
  load: Access<A>['load'],
  parameters: Parameters = {},
): Access<A> => ({ caller, load, parameters })

export const openTo = (caller: Caller) => accessBy(caller, () => undefined)
export const SERVICE = openTo('service')

/** What a request sends, and how it is read. */
export type Body<B> = {
  readonly content: Content
  readonly read: (c: Context, kibMax?: number) => Outcome<B>
}

type Definition<P extends string, A, B, R> = Refusals & {
  readonly access: Access<A>
  /** The answer of a success, and its status: 200 by default. */
  readonly ok: Answer<R>
  readonly status?: Status
  readonly body?: Body<B>
  /** Headers of a success, in addition to those of every answer. */
  readonly headers?: (value: NoInfer<R>) => Headers
  readonly handle: (loaded: A, body: B, c: Context<Env, P>) => Outcome<NoInfer<R> | Response>
} & Partial<Omit<Operation, 'id' | 'summary' | 'caller' | 'content'>>

/** `call`: as in `GET /orders/:uuid`. `id`: the operationId. */
export const route = <P extends string, A, R, B = undefined>(
  call: `${Method} ${P}`,
  id: string,
  summary: string,
  {
    access,
    ok,
    status = 200,
    answers,
    body,
    headers,
    handle,
    parameters,
    ...rest
  }: Definition<P, A, B, R>,
): Route => {
  const [method, path] = call.split(' ') as [Method, P]
  return {
    ...rest,
    method,
    path,
    id,
    summary,
    status,
    caller: access.caller,
    parameters: { ...access.parameters, ...parameters },
    content: body?.content,
    answers: { [status]: ok, ...answers },
    handlerWith: ({ headers: shared, foreignOrigin, showError }) => {
      const sent = status === 204 ? shared : { ...shared, 'content-type': 'application/json' }
      const answer = async (c: Context<Env, P>): Promise<Response> => {
        const foreign = rest.anyOrigin ? null : foreignOrigin(c)
        if (foreign !== null) throw refused(403, foreign)
        rest.limit?.(c)
        checkBody(c, rest.kibMax)
        const loaded = await value(access.load(c))
        // Without a body, B is undefined.
        const read = body ? await value(body.read(c, rest.kibMax)) : (undefined as B)
        if (!body && method !== 'GET') await bodyBytes(c)
        const done = await value(handle(loaded, read, c))
        if (done instanceof Response) return addHeaders(done, shared)
        return new Response(status === 204 ? null : JSON.stringify(done), {
          status,
          headers: headers === undefined ? sent : { ...sent, ...headers(done) },
        })
      }
      const answerError = (c: Context, error: KnownError): Response => {
        if (rest.refusesBySentences && error._tag === 'Refused')
          return c.json({ errors: error.sentences } satisfies OrderRefusal, 409)
        const { status, detail, headers } = showError(error)
        return problem(c, status, detail, headers)
      }
      return (c) =>
        answer(c).catch((thrown: unknown) => {
          if (!(thrown instanceof HandlerError) || rest.showsPages) throw thrown
          return addHeaders(answerError(c, thrown.error), shared)
        })
    },
  }
}

const parameterIn =
  (place: 'query' | 'header') =>
  (description: string, more: Partial<Parameters[string]> = {}): Parameters[string] => ({
    in: place,
    description,
    schema: t.string,
    ...more,
  })

/** A parameter, a text unless `more` has another codec. */
export const query = parameterIn('query')
export const header = parameterIn('header')

type ExamplesOf<C extends t.Mixed> = Readonly<Record<string, t.OutputOf<C>>>

export const json = <C extends t.Mixed>(
  codec: C,
  examples?: ExamplesOf<C>,
): Content<t.OutputOf<C>> => contentOf('application/json')(codec, examples)

const contentOf =
  (mediaType: string) =>
  (schema: Codec, examples?: Examples): Content<never> => ({
    [mediaType]: { schema, examples: examples && R.map((value) => ({ value }))(examples) },
  })

/** The body of a request. Its codec accepts more than the type of what it decodes. */
export const jsonRequest = contentOf('application/json')
export const form = contentOf('application/x-www-form-urlencoded')

/** A body that is read in another way than by its codec. */
export const bodyOf = <B>(content: Content, read: Body<B>['read']): Body<B> => ({ content, read })

export const jsonBodyOf = <B>(codec: t.Type<B, unknown>, examples?: Examples): Body<B> =>
  bodyOf(jsonRequest(codec, examples), async (c, kibMax) =>
    decode(codec, await jsonBody(c, kibMax)),
  )

export const text = (mediaType: string): Content<never> => ({ [mediaType]: {} })
export const HTML = text('text/html')
export const EVENT_STREAM = text('text/event-stream')

/** `headers`: what each of them means. */
export const answer = <R = never>(
  description: string,
  content?: Content<R>,
  headers?: Headers,
): Answer<R> => ({
  description,
  content,
  headers:
    headers && R.map((meaning: string) => ({ description: meaning, schema: t.string }))(headers),
})

export const jsonAnswer = <C extends t.Mixed>(
  description: string,
  codec: C,
  examples?: ExamplesOf<C>,
): Answer<t.OutputOf<C>> => answer(description, json(codec, examples))

export const PAGE = answer('The page.', HTML)

/** What a handler returns. */
type Outcome<A> = TaskEither<KnownError, A> | A | Promise<A>

const isTask = <A>(outcome: Outcome<A>): outcome is TaskEither<KnownError, A> =>
  typeof outcome === 'function'

/** What a handler waits for. Rejects with its error. */
export const value = async <A>(task: Outcome<A>, back?: string): Promise<A> => {
  if (!isTask(task)) return task
  const outcome = await task()
  if (E.isLeft(outcome)) throw new HandlerError(outcome.left, back)
  return outcome.right
}

/** Throws a `HandlerError` if the path has no uuid. */
export const uuidParam = (c: Context): string => {
  const uuid = c.req.param('uuid') ?? ''
  if (UUID.test(uuid)) return uuid.toLowerCase()
  throw refused(404, 'Order not found.')
}
