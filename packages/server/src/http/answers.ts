// Shows errors to clients: as problems, as the Order API's sentences, or as pages for browsers.
import type { OrderRefusal } from '@plazo/core/protocol'
import type { Context } from 'hono'
import { accepts } from 'hono/accepts'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { type KnownError, problem } from './problem.ts'
import type { ShowError } from './route.ts'

export type AnswerError = (c: Context, error: KnownError) => Response

/** The Order API gives its own refusals as a list of sentences. Contract §2. */
export const showSentences: ShowError = (c, error, problem) =>
  error._tag === 'Refused'
    ? c.json({ errors: error.sentences } satisfies OrderRefusal, 409)
    : problem

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

/** The page shows the detail of the problem. A browser asks for credentials only with the challenge. */
export const pageOfProblem =
  (toPage: ToErrorPage) =>
  async (c: Context, answer: Response): Promise<Response> => {
    const { detail } = (await answer.json()) as { readonly detail: string }
    for (const name of ['www-authenticate', 'retry-after']) {
      const value = answer.headers.get(name)
      if (value !== null) c.header(name, value)
    }
    return toPage(c, answer.status as ContentfulStatusCode, detail)
  }

/** Shows an error as a page to a browser. */
export const showAsPage = (toPage: ToErrorPage): ShowError => {
  const showPage = pageOfProblem(toPage)
  return (c, _error, answer) => (wantsPage(c) ? showPage(c, answer) : answer)
}

// "GET, HEAD or PUT"
const alternatives = new Intl.ListFormat('en-GB', { type: 'disjunction' })

/** Answers 405 at a path that has only these methods. HEAD is answered as GET. */
export const methodNotAllowed = (methods: Iterable<string>) => {
  const all = [...new Set(methods)].flatMap((name) => (name === 'GET' ? ['GET', 'HEAD'] : name))
  const detail = `Method not allowed. Use ${alternatives.format(all)}.`
  return (c: Context): Response => problem(c, 405, detail, { allow: all.join(', ') })
}
