// Keeps web pages of other origins from changing anything with a browser's credentials or network access. A sandbox on
// localhost needs this too: a `no-cors` request without a Content-Type is sent without a preflight.
import type { Context, MiddlewareHandler } from 'hono'
import { problem } from './problem.ts'

// A preflight always has an Origin. The route answers what it allows.
const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE'])

/** The shop's own page, which has another origin, calls these paths without cookies or credentials. Contract §2. */
const OPEN_TO_ANY_ORIGIN = '/api/v1/checkout/'

/** Servers and command-line tools send neither header. */
const isCrossOrigin = (c: Context, ownOrigin: string): boolean => {
  const site = c.req.header('sec-fetch-site')
  const origin = c.req.header('origin')
  return (
    (site !== undefined && site !== 'same-origin' && site !== 'none') || (origin !== undefined && origin !== ownOrigin)
  )
}

/**
 * Answers 403 to a change that a page of another origin asks for, at every route but the checkout's. Contract §2.
 *
 * @param baseUrl its origin is the server's own, also behind a proxy that ends TLS
 */
export const requireSameOrigin = (baseUrl: string): MiddlewareHandler => {
  const { origin } = new URL(baseUrl)
  return (c, next) => {
    if (SAFE_METHODS.has(c.req.method) || c.req.path.startsWith(OPEN_TO_ANY_ORIGIN) || !isCrossOrigin(c, origin))
      return next()
    return Promise.resolve(problem(c, 403, 'This is not taken from a page of another origin.'))
  }
}
