// Operators read here how they check a server, and providers read how they send it their later answers.
import { Alive, CallbackBody, CallbackView, Ready } from '@plazo/core'
import { answer, call, HTML, jsonAnswer, jsonRequest, type Operations, text } from '../operation.ts'

const UNCHANGED = answer('The document has not changed since the version in If-None-Match.')
const ETAG = { ETag: 'Changes with the document.' }

export const serviceOperations: Operations = {
  'POST /providers/:port': call.provider('providerCallback', 'Send a later answer to a question', {
    description:
      'The answer to an earlier question, with its id. Sign it by Webhook-Id, Webhook-Timestamp and Webhook-Signature as in Standard Webhooks. Repeat the call until it is answered 200.',
    body: jsonRequest(CallbackBody),
    ok: jsonAnswer('Accepted, or already known.', CallbackView, { taken: { taken: true } }),
    problems: {
      400: 'The body is not JSON, or does not answer a question of this port.',
      401: 'The signature is missing, wrong or too old.',
      404: 'Port, order or payment not found.',
    },
    isSampled: false,
  }),
  'GET /healthz': call.service('isAlive', 'Check liveness', {
    ok: jsonAnswer('The process is alive.', Alive, { alive: { status: 'alive' } }),
  }),
  'GET /readyz': call.service('isReady', 'Check readiness', {
    ok: jsonAnswer('The database accepts writes, and due work is processed.', Ready, { ready: { status: 'ready' } }),
    problems: { 503: 'Not ready.' },
  }),
  'GET /metrics': call.service('metrics', 'Scrape the metrics', {
    ok: answer('In the format of Prometheus.', text('text/plain')),
  }),
  'GET /openapi.json': call.service('openApiDocument', 'Load this document', {
    answers: { 200: answer('OpenAPI 3.1.', text('application/json'), ETAG), 304: UNCHANGED },
  }),
  'GET /favicon.svg': call.service('favicon', 'Load the icon of all pages', {
    ok: answer('The icon.', text('image/svg+xml')),
  }),
  'GET /docs': call.service('referencePage', 'Read this document as a page', {
    answers: { 200: answer('The page.', HTML, ETAG), 304: UNCHANGED },
  }),
}
