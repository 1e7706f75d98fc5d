// Turns a use case's outcome into an HTTP answer, so that the routes only translate.
import type { OrderRefusal } from '@plazo/core'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Context } from 'hono'
import { type KnownError, problem } from '../problem.ts'

export type AnswerError = (c: Context, error: KnownError) => Response

/** Runs the outcome; `toResponse` builds the answer of a success. */
export const respond = <A>(
  c: Context,
  answerError: AnswerError,
  outcome: TE.TaskEither<KnownError, A>,
  toResponse: (answer: A) => Response,
): Promise<Response> =>
  pipe(
    outcome,
    TE.match((error) => answerError(c, error), toResponse),
  )()

/** The Order API gives its own refusals as a list of sentences. Contract §2. */
export const orderApiError =
  (answerError: AnswerError): AnswerError =>
  (c, error) =>
    error._tag === 'Refused' ? c.json({ errors: error.sentences } satisfies OrderRefusal, 409) : answerError(c, error)

/** Every path that has a route answers 405 to other methods, and names the right ones. */
export const allowedMethods = (routes: readonly { readonly method: string; readonly path: string }[]) => {
  const byPath = new Map<string, Set<string>>()
  for (const { method, path } of routes) {
    if (method === 'ALL') continue
    const methods = byPath.get(path) ?? new Set()
    byPath.set(path, methods.add(method))
    if (method === 'GET') methods.add('HEAD')
  }
  return [...byPath].map(([path, methods]) => ({
    path,
    refuse: (c: Context) =>
      problem(c, 405, `This path knows ${[...methods].join(', ')}.`, { allow: [...methods].join(', ') }),
  }))
}
