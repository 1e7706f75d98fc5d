// Logs a line for each request: what kind it was and how long it took. It logs only the route's pattern, because paths contain
// tokens and queries may contain anything.
import type { Context, MiddlewareHandler } from 'hono'
import { matchedRoutes } from 'hono/route'
import type { Log } from './log.ts'

/** The route's pattern; null if no route matches. Handlers that cover several routes do not count. */
const routePattern = (c: Context): string | null =>
  matchedRoutes(c).findLast(({ path }) => !path.endsWith('*'))?.path ?? null

export const logRequests =
  (log: Log): MiddlewareHandler =>
  async (c, next) => {
    const { method } = c.req
    const startedAt = performance.now()
    log('requested', { method })
    await next()
    log('answered', {
      method,
      route: routePattern(c),
      order_ref: c.req.param('uuid') ?? null,
      status: c.res.status,
      duration_ms: performance.now() - startedAt,
    })
  }
