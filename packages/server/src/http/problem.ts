// Errors outside the action protocol are RFC 9457 problems, except the Order API's own refusals.
// Contract §2.

import { STATUS_CODES } from 'node:http'
import { sentencesOf, statusOf, type UseCaseError } from '@plazo/adapters/host'
import type { Problem } from '@plazo/core/protocol'
import type { Context } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { ErrorReporter } from '../log/error-reporter.ts'

// RFC 9110's name for it; Node uses the older name.
const TITLES = { ...STATUS_CODES, 413: 'Content Too Large' } as Readonly<Record<number, string>>

export const PROBLEM_JSON = 'application/problem+json'

export const problemText = (status: number, detail: string): string =>
  JSON.stringify({
    type: 'about:blank',
    title: TITLES[status] ?? 'Error',
    status,
    detail,
  } satisfies Problem)

export const problem = (
  c: Context,
  status: ContentfulStatusCode,
  detail: string,
  headers: Readonly<Record<string, string>> = {},
): Response =>
  c.body(problemText(status, detail), status, { 'content-type': PROBLEM_JSON, ...headers })

/** Every error that a route can give. */
export type KnownError =
  | Exclude<UseCaseError, { readonly _tag: 'ProductNotOffered' | 'InternalError' }>
  | { readonly _tag: 'InternalError'; readonly cause: unknown }
  | RequestError

/** An error that is found before any use case sees the request. */
export type RequestError = {
  readonly _tag: 'RequestError'
  readonly status: 400 | 401 | 403 | 404 | 409 | 413 | 415 | 429 | 503
  readonly detail: string
  /** For a 429 or a 503. */
  readonly retryAfterSeconds?: number
  /** For a 401: how a client may sign in. Default: as a merchant. */
  readonly challenge?: string
}

export const requestError = (
  status: RequestError['status'],
  detail: string,
  retryAfterSeconds?: number,
): RequestError => ({
  _tag: 'RequestError',
  status,
  detail,
  ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
})

export const answerError =
  (errorReporter: ErrorReporter, challenge: string) =>
  (c: Context, error: KnownError): Response => {
    switch (error._tag) {
      case 'Unavailable':
        errorReporter.noteUnavailable(error)
        return known(c, error, { 'retry-after': '1' })
      case 'InternalError':
        return problem(
          c,
          statusOf(error._tag),
          `Internal error. It is in the log as fault ${errorReporter.report(error.cause)}.`,
        )
      case 'RequestError': {
        const { status, detail, retryAfterSeconds } = error
        return problem(c, status, detail, {
          ...(status === 401 && { 'www-authenticate': error.challenge ?? challenge }),
          ...(retryAfterSeconds !== undefined && { 'retry-after': String(retryAfterSeconds) }),
        })
      }
      default:
        return known(c, error)
    }
  }

const known = (c: Context, error: UseCaseError, headers?: Readonly<Record<string, string>>) =>
  problem(c, statusOf(error._tag), sentencesOf(error).join(' '), headers)
