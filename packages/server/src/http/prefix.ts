// Lets another program serve plazo under a prefix of its own. Everything behind this sees paths
// without the prefix, so that routes, rules about paths and relative links are the same everywhere.
import { type Context, Hono, type MiddlewareHandler } from 'hono'
import { baseRoutePath } from 'hono/route'
import { problem } from './problem.ts'

/**
 * A member of a request's context: the path that relative links of the page start from. Undefined:
 * that of the request.
 */
export const LINK_BASE = 'linkBase'

export const BODY_WAS_READ =
  'The body was read before plazo got the request, for example by express.json(). Mount plazo before every body parser.'

const fetchWithoutPrefix = (
  c: Context,
  app: Hono,
  prefix: string,
): Response | Promise<Response> => {
  if (c.req.raw.bodyUsed) return problem(c, 400, BODY_WAS_READ)
  const url = new URL(c.req.url)
  url.pathname = url.pathname.slice(prefix.length) || '/'
  return app.fetch(new Request(url, c.req.raw), c.env)
}

/**
 * At a prefix browsers may omit the slash at the end, and would resolve relative links differently.
 * `baseUrl`: where they see us.
 */
export const linksFromRoot = (baseUrl: string): MiddlewareHandler => {
  const { pathname } = new URL(baseUrl)
  const linkBase = pathname === '/' ? undefined : `${pathname}/`
  return (c, next) => {
    if (c.req.path === '/') c.set(LINK_BASE, linkBase)
    return next()
  }
}

/**
 * The app as another program gets it: `app.route('/prefix', plazo)` copies one route, which hands
 * all on without the prefix.
 */
export const mountable = (app: Hono): Hono => {
  const door = new Hono()
  door.all('*', (c) => fetchWithoutPrefix(c, app, baseRoutePath(c)))
  door.fetch = app.fetch
  return door
}
