// Lets another program serve plazo under a prefix of its own. Everything behind this sees paths
// without the prefix, so that routes, rules about paths and relative links are the same everywhere.
import { type Context, Hono } from 'hono'
import { baseRoutePath } from 'hono/route'
import { problem } from './problem.ts'

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
 * The app as another program gets it: `app.route('/prefix', plazo)` copies one route, which hands
 * all on without the prefix.
 */
export const mountable = (app: Hono): Hono => {
  const door = new Hono()
  door.all('*', (c) => fetchWithoutPrefix(c, app, baseRoutePath(c)))
  door.fetch = app.fetch
  return door
}
