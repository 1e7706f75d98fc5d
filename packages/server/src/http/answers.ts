// Turns a use case's outcome into an HTTP answer, so that the routes only translate.
import type { OrderRefusal } from '@plazo/core/protocol'
import * as E from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { Context, MiddlewareHandler } from 'hono'
import { accepts } from 'hono/accepts'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { ANSWER_HEADERS, HAS_ALL_HEADERS, HEADERS } from './browser-security.ts'
import { type KnownError, problem } from './problem.ts'
import type { ShowError } from './route.ts'

export type AnswerError = (c: Context, error: KnownError) => Response

/**
 * Runs the task and answers with its outcome. `toResponse` builds the answer of a success; by
 * default, it is JSON.
 */
export type Respond = <A>(
  c: Context,
  toResponse?: (answer: A) => Response | Promise<Response>,
) => (outcome: TaskEither<KnownError, A>) => Promise<Response>

export const respondWith =
  (answerError: (c: Context, error: KnownError) => Response | Promise<Response>): Respond =>
  (c, toResponse = respondJson(c)) =>
  async (outcome) => {
    const answer = await outcome()
    return E.isLeft(answer) ? answerError(c, answer.left) : toResponse(answer.right)
  }

type Headers = Readonly<Record<string, string>>

const respondWithAllHeaders = (
  c: Context,
  body: string | null,
  status: number,
  own: Headers,
): Response => {
  const always: Headers = c.get(HEADERS) ?? ANSWER_HEADERS
  c.set(HAS_ALL_HEADERS, true)
  return new Response(body, { status, headers: { ...always, ...own } })
}

/**
 * A JSON answer with all its headers from the start. Where many answers are made, adding headers
 * afterwards costs more than the answer.
 */
export const respondJson =
  (c: Context, own: Headers = {}) =>
  (body: unknown): Response =>
    respondWithAllHeaders(c, JSON.stringify(body), 200, {
      'content-type': 'application/json',
      ...own,
    })

/** The same without a body. */
export const respondEmpty = (c: Context, own: Headers): Response =>
  respondWithAllHeaders(c, null, 204, own)

export const hasAllHeaders = (c: Context): boolean => c.get(HAS_ALL_HEADERS) === true

/** The Order API gives its own refusals as a list of sentences. Contract §2. */
export const showSentences: ShowError = (c, error, problem) =>
  error._tag === 'Refused'
    ? c.json({ errors: error.sentences } satisfies OrderRefusal, 409)
    : problem

/** The Order API gives its own refusals as a list of sentences. Contract §2. */
export const orderApiError =
  (answerError: AnswerError): AnswerError =>
  (c, error) =>
    error._tag === 'Refused'
      ? c.json({ errors: error.sentences } satisfies OrderRefusal, 409)
      : answerError(c, error)

// "GET, HEAD or PUT"
const alternatives = new Intl.ListFormat('en-GB', { type: 'disjunction' })

/** Every path that has a route answers 405 to other methods, and names the right ones. */
export const allowedMethods = (
  routes: readonly { readonly method: string; readonly path: string }[],
) => {
  const byPath = new Map<string, Set<string>>()
  for (const { method, path } of routes) {
    if (method === 'ALL' || method === 'OPTIONS') continue
    const methods = byPath.get(path) ?? new Set()
    byPath.set(path, methods.add(method))
    if (method === 'GET') methods.add('HEAD')
  }
  return [...byPath].map(([path, methods]) => ({
    path,
    refuse: (c: Context) =>
      problem(c, 405, `Method not allowed. Use ${alternatives.format(methods)}.`, {
        allow: [...methods].join(', '),
      }),
  }))
}

/**
 * The console and the sandbox answer a browser with a page, and every other client with JSON or a
 * problem. True if the client asks for HTML, as browsers do. A client that accepts anything, or
 * says nothing, gets JSON. Contract §2.
 */
export const wantsPage = (c: Context): boolean =>
  accepts(c, {
    header: 'Accept',
    supports: ['text/html', 'application/json'],
    default: 'application/json',
  }) === 'text/html'

export type ToErrorPage = (
  c: Context,
  status: ContentfulStatusCode,
  detail: string,
) => Promise<Response>

// The same answer as a page: it shows the detail of the problem. A browser asks for credentials
// only with the challenge.
export const asPage = async (
  c: Context,
  answer: Response,
  toPage: ToErrorPage,
): Promise<Response> => {
  const { detail } = (await answer.json()) as { readonly detail: string }
  for (const name of ['www-authenticate', 'retry-after']) {
    const value = answer.headers.get(name)
    if (value !== null) c.header(name, value)
  }
  return toPage(c, answer.status as ContentfulStatusCode, detail)
}

/** The same middleware. A browser gets its refusal as a page. */
export const refuseWithPage =
  (middleware: MiddlewareHandler, toPage: ToErrorPage): MiddlewareHandler =>
  async (c, next) => {
    const refusal = await middleware(c, next)
    return refusal instanceof Response && wantsPage(c) ? asPage(c, refusal, toPage) : refusal
  }

/** The same for errors of a route. */
export const errorsAsPages =
  (answerError: AnswerError, toPage: ToErrorPage) => async (c: Context, error: KnownError) => {
    const answer = answerError(c, error)
    return wantsPage(c) ? asPage(c, answer, toPage) : answer
  }
