// Shows errors to clients: RFC 9457 problems, but the Order API's own refusals are sentences, and browsers
// get pages. Contract §2.

import { STATUS_CODES } from 'node:http'
import { sentencesOf, statusOf, type UseCaseError } from '@plazo/adapters/internal/host'
import type { Problem } from '@plazo/core/protocol'
import type { Context, ErrorHandler } from 'hono'
import { accepts } from 'hono/accepts'
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
  readonly retryAfterSeconds?: number | undefined
  /** For a 401: how a client may sign in. Default: as a merchant. */
  readonly challenge?: string
}

export const requestError = (
  status: RequestError['status'],
  detail: string,
  retryAfterSeconds?: number,
): RequestError => ({ _tag: 'RequestError', status, detail, retryAfterSeconds })

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

/** To be thrown, for a request that no use case may see. */
export const refused = (...error: Parameters<typeof requestError>): HandlerError =>
  new HandlerError(requestError(...error))

/** What a client may know of an error. */
type ShownError = {
  readonly status: ContentfulStatusCode
  readonly detail: string
  readonly headers?: Readonly<Record<string, string>>
}

export type ShowError = (error: KnownError) => ShownError

export const errorsShownBy =
  (errorReporter: ErrorReporter, challenge: string): ShowError =>
  (error) => {
    switch (error._tag) {
      case 'Unavailable':
        errorReporter.noteUnavailable(error)
        return { ...known(error), headers: { 'retry-after': '1' } }
      case 'InternalError': {
        const fault = errorReporter.report(error.cause)
        const detail = `Internal error. It is in the log as fault ${fault}.`
        return { status: statusOf(error._tag), detail }
      }
      case 'RequestError': {
        const { status, detail, retryAfterSeconds } = error
        const headers = {
          ...(status === 401 && { 'www-authenticate': error.challenge ?? challenge }),
          ...(retryAfterSeconds !== undefined && { 'retry-after': String(retryAfterSeconds) }),
        }
        return { status, detail, headers }
      }
      default:
        return known(error)
    }
  }

const known = (error: UseCaseError): ShownError => ({
  status: statusOf(error._tag),
  detail: sentencesOf(error).join(' '),
})

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

/** Answers what was thrown. A browser asks for credentials only with the challenge. */
export const showThrown =
  (showError: ShowError, toPage: ToErrorPage): ErrorHandler =>
  (thrown, c) => {
    const { status, detail, headers } = showError(
      thrown instanceof HandlerError ? thrown.error : { _tag: 'InternalError', cause: thrown },
    )
    if (!wantsPage(c)) return problem(c, status, detail, headers)
    for (const [name, value] of Object.entries(headers ?? {})) c.header(name, value)
    return toPage(c, status, detail)
  }
