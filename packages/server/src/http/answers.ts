// Shows errors to clients: as problems, as the Order API's sentences, or as pages for browsers.
import type { OrderRefusal, Problem } from '@plazo/core/protocol'
import type { Context, ErrorHandler, Hono } from 'hono'
import { accepts } from 'hono/accepts'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { type KnownError, problem } from './problem.ts'

export type AnswerError = (c: Context, error: KnownError) => Response

/** Shows an error to a client. `problem`: how most routes show it. */
export type ShowError = (c: Context, error: KnownError, problem: Response) => Response

/** The Order API gives its own refusals as a list of sentences. Contract §2. */
export const showSentences: ShowError = (c, error, problem) =>
  error._tag === 'Refused'
    ? c.json({ errors: error.sentences } satisfies OrderRefusal, 409)
    : problem

/**
 * A page's path answers a browser with a page also if it fails, and every other client with a
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

/** Thrown by a handler. `back`: for a page, the path of another where its reader can go on. */
export class HandlerError extends Error {
  readonly error: KnownError
  readonly back: string
  constructor(error: KnownError, back = '') {
    super('detail' in error ? error.detail : error._tag)
    this.error = error
    this.back = back
  }
}

/**
 * Answers what was thrown. A browser gets a page with the detail of the problem, and asks for
 * credentials only with the challenge.
 */
export const showThrown =
  (answerError: AnswerError, toPage: ToErrorPage): ErrorHandler =>
  async (thrown, c) => {
    const answer = answerError(
      c,
      thrown instanceof HandlerError ? thrown.error : { _tag: 'InternalError', cause: thrown },
    )
    if (!wantsPage(c)) return answer
    const { detail } = (await answer.json()) as Problem
    for (const name of ['www-authenticate', 'retry-after']) {
      const value = answer.headers.get(name)
      if (value !== null) c.header(name, value)
    }
    return toPage(c, answer.status as ContentfulStatusCode, detail)
  }

/** Answers 405 to every other method of each path that the app has so far. */
export const refuseOtherMethods = (app: Pick<Hono, 'routes' | 'all'>): void => {
  const routes = app.routes.filter(({ method, path }) => method !== 'ALL' && !path.endsWith('*'))
  for (const [path, those] of Map.groupBy(routes, ({ path }) => path)) {
    const methods = new Set(those.map(({ method }) => method))
    // HEAD is answered as GET.
    if (methods.has('GET')) methods.add('HEAD')
    const allow = [...methods].join(', ')
    app.all(path, (c) => problem(c, 405, `Method not allowed. Use one of: ${allow}.`, { allow }))
  }
}
