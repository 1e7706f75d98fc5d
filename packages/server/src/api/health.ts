// Every server has these calls that are about no order: health and metrics, for the operator's
// programs. Contract §7.
import { Alive, Ready } from '@plazo/core/internal'
import { refused } from '../http/problem.ts'
import { answer, jsonAnswer, type Route, route, SERVICE, text } from '../http/route.ts'
import type { Services } from '../http/services.ts'

export const ALIVE = { status: 'alive' } as const
export const NO_WRITES = 'The database does not answer, or accepts no writes.'

export const healthRoutes = ({
  takesWrites,
  lease,
  dispatcher,
  metrics,
}: Services): readonly Route[] => [
  route('GET /healthz', 'isAlive', 'Check liveness', {
    access: SERVICE,
    ok: jsonAnswer('The process is alive.', Alive, { alive: ALIVE }),
    handle: () => ALIVE,
  }),
  route('GET /readyz', 'isReady', 'Check readiness', {
    access: SERVICE,
    ok: jsonAnswer('The database accepts writes, and due work is processed.', Ready, {
      ready: { status: 'ready' },
    }),
    problems: { 503: 'Not ready.' },
    handle: async () => {
      if (!dispatcher.isRunning()) throw refused(503, 'The server is stopping.', 1)
      if (!(await takesWrites())) throw refused(503, NO_WRITES, 1)
      if ((await lease().catch(() => null)) === null)
        throw refused(503, 'No server runs due jobs.', 1)
      return { status: 'ready' } as const
    },
  }),
  route('GET /metrics', 'metrics', 'Scrape the metrics', {
    access: SERVICE,
    ok: answer('In the format of Prometheus.', text('text/plain')),
    handle: async (_access, _body, c) =>
      c.body(await metrics.scrape(), 200, { 'content-type': metrics.contentType }),
  }),
]
