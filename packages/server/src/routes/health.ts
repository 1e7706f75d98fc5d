// Supervisors ask here if the process is alive and can serve requests, and Prometheus reads the metrics. Contract §7.
import type { Alive, FullStore, Ready } from '@plazo/core'
import { Hono } from 'hono'
import type * as t from 'io-ts'
import { problem } from '../http/problem.ts'
import type { Metrics } from '../metrics/prometheus.ts'
import { type AnswerError, respond } from './answers.ts'

export type HealthParts = Pick<FullStore, 'takesWrites'> & { readonly isDispatching: () => boolean }

export const HEALTH_PATHS: ReadonlySet<string> = new Set(['/healthz', '/readyz'])

export const healthRoutes = ({ takesWrites, isDispatching }: HealthParts) =>
  new Hono()
    .get('/healthz', (c) => c.json({ status: 'alive' } satisfies t.TypeOf<typeof Alive>))
    .get('/readyz', async (c) => {
      if (!(await takesWrites()))
        return problem(c, 503, 'The database does not answer, or accepts no writes.', { 'retry-after': '1' })
      if (!isDispatching()) return problem(c, 503, 'The dispatcher is not running.', { 'retry-after': '1' })
      return c.json({ status: 'ready' } satisfies t.TypeOf<typeof Ready>)
    })

/** Serves the metrics that Prometheus scrapes. Contract §7. */
export const metricsRoutes = ({ scrape, contentType }: Metrics, answerError: AnswerError) =>
  new Hono().get('/metrics', (c) =>
    respond(c, answerError, scrape, (text) =>
      c.body(text, 200, { 'content-type': contentType, 'cache-control': 'no-store' }),
    ),
  )
