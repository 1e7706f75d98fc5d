// Describes the routes in health.ts and metrics.ts for the OpenAPI document.
import { Alive, Ready } from '@plazo/core'
import { answer, json, type Operations, text } from '../openapi/operation.ts'

export const healthOperations: Operations = {
  'GET /healthz': {
    id: 'isAlive',
    caller: 'service',
    title: 'Ask whether the process lives',
    answers: { 200: answer('It does.', json(Alive, { alive: { status: 'alive' } })) },
  },
  'GET /readyz': {
    id: 'isReady',
    caller: 'service',
    title: 'Ask whether it can serve',
    answers: {
      200: answer('Its database takes writes, and work is dispatched.', json(Ready, { ready: { status: 'ready' } })),
    },
    problems: { 503: 'Not now.' },
  },
  'GET /metrics': {
    id: 'metrics',
    caller: 'service',
    title: 'Scrape the metrics',
    answers: { 200: answer('As Prometheus reads them.', text('text/plain')) },
  },
}
