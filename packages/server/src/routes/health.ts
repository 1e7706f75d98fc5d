// Whether the process lives, and whether it can serve. Contract §7.
import { Hono } from 'hono'
import { problem } from '../problem.ts'

export type Readiness = { readonly isDatabaseReachable: () => boolean; readonly isDispatching: () => boolean }

export const healthRoutes = ({ isDatabaseReachable, isDispatching }: Readiness) =>
  new Hono()
    .get('/healthz', (c) => c.json({ status: 'alive' }))
    .get('/readyz', (c) => {
      if (!isDatabaseReachable()) return problem(c, 503, 'The database does not answer.', { 'retry-after': '1' })
      if (!isDispatching()) return problem(c, 503, 'The dispatcher is not running.', { 'retry-after': '1' })
      return c.json({ status: 'ready' })
    })
