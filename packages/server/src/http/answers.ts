// Turns a use case's outcome into an HTTP answer, so that the routes only translate.
import type { OrderRefusal } from '@plazo/core/protocol'
import * as E from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { Context } from 'hono'
import { accepts } from 'hono/accepts'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
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
  (c, toResponse = (body) => c.json(body)) =>
  async (outcome) => {
    const answer = await outcome()
    return E.isLeft(answer) ? answerError(c, answer.left) : toResponse(answer.right)
  }

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
 * Routes for people answer a browser with a page, and every other client with JSON or a
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

/**
 * Shows an error as a page to a browser. The page shows the detail of the problem. A browser asks
 * for credentials only with the challenge.
 */
export const showAsPage =
  (toPage: ToErrorPage): ShowError =>
  async (c, _error, problem) => {
    if (!wantsPage(c)) return problem
    const { detail } = (await problem.json()) as { readonly detail: string }
    for (const name of ['www-authenticate', 'retry-after']) {
      const value = problem.headers.get(name)
      if (value !== null) c.header(name, value)
    }
    return toPage(c, problem.status as ContentfulStatusCode, detail)
  }

/** Until the sandbox's routes are values. */
export const errorsAsPages =
  (answerError: AnswerError, toPage: ToErrorPage) => (c: Context, error: KnownError) =>
    showAsPage(toPage)(c, error, answerError(c, error))
