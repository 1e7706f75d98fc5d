// The console answers a browser with a page, and every other client with the same as JSON or a problem. Contract §8.
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Context } from 'hono'
import { accepts } from 'hono/accepts'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { errorPage } from '../pages/console.ts'
import type { KnownError } from '../problem.ts'
import type { AnswerError } from './answers.ts'

/** True if the client asks for HTML, as browsers do. A client that accepts anything, or says nothing, gets JSON. */
export const wantsPage = (c: Context): boolean =>
  accepts(c, { header: 'Accept', supports: ['text/html', 'application/json'], default: 'application/json' }) ===
  'text/html'

// The same answer as a page: it shows the detail of the problem.
const respondWithPage = async (c: Context, answer: Response): Promise<Response> => {
  const { detail } = (await answer.json()) as { readonly detail: string }
  return errorPage(c, answer.status as ContentfulStatusCode, detail)
}

export const respondOnConsole = (
  c: Context,
  answerError: AnswerError,
  outcome: TE.TaskEither<KnownError, Response>,
): Promise<Response> =>
  pipe(
    outcome,
    TE.getOrElse((error) => async () => {
      const answer = answerError(c, error)
      return wantsPage(c) ? respondWithPage(c, answer) : answer
    }),
  )()
