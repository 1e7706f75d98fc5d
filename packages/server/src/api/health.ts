// Every server has these calls that are about no order: health and metrics, for the operator's
// programs. Contract §7.
import { Alive, Ready } from '@plazo/core/protocol'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { requestError } from '../http/problem.ts'
import { answer, jsonAnswer, type Route, route, SERVICE, text } from '../http/route.ts'
import type { Services } from '../http/services.ts'

export const ALIVE = { status: 'alive' } as const
export const NO_WRITES = 'The database does not answer, or accepts no writes.'

export const healthRoutes = ({ takesWrites, dispatcher, metrics }: Services): readonly Route[] => [
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
    handle: () => async () => {
      if (!dispatcher.isRunning()) return E.left(requestError(503, 'The server is stopping.', 1))
      return (await takesWrites())
        ? E.right({ status: 'ready' } as const)
        : E.left(requestError(503, NO_WRITES, 1))
    },
  }),
  route('GET /metrics', 'metrics', 'Scrape the metrics', {
    access: SERVICE,
    ok: answer('In the format of Prometheus.', text('text/plain')),
    handle: (_access, _body, c) =>
      pipe(
        metrics.scrape,
        TE.map((scraped) => c.body(scraped, 200, { 'content-type': metrics.contentType })),
      ),
  }),
]
