// Lets another program serve plazo under a prefix of its own. Everything behind this sees paths without the prefix, so that routes,
// rules about paths and relative links are the same everywhere.
import type { Context, Hono, MiddlewareHandler } from 'hono'
import { baseRoutePath } from 'hono/route'
import { problem } from './problem.ts'

/** A member of a request's context: the path that relative links of the page start from. Undefined: that of the request. */
export const LINK_BASE = 'linkBase'

export const BODY_WAS_READ =
  'The body was read before plazo got the request, for example by express.json(). Mount plazo before every body parser.'

/** `app.route('/prefix', plazo)` copies our routes to another app. All its requests come back to ours, without the prefix. */
const fetchWithoutPrefix = (c: Context, app: Hono, prefix: string): Response | Promise<Response> => {
  if (c.req.raw.bodyUsed) return problem(c, 400, BODY_WAS_READ)
  const url = new URL(c.req.url)
  url.pathname = url.pathname.slice(prefix.length) || '/'
  return app.fetch(new Request(url, c.req.raw), c.env)
}

/**
 * Call it first. `baseUrl`: where browsers see the server. At its root they may see the prefix with or without a slash at the end,
 * and would resolve relative links differently.
 */
export const underPrefix = (app: Hono, baseUrl: string): MiddlewareHandler => {
  const { pathname } = new URL(baseUrl)
  const linkBase = pathname === '/' ? undefined : `${pathname}/`
  return (c, next) => {
    const prefix = baseRoutePath(c)
    if (prefix !== '/') return Promise.resolve(fetchWithoutPrefix(c, app, prefix))
    if (c.req.path === '/') c.set(LINK_BASE, linkBase)
    return next()
  }
}
