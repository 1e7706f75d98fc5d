// Operators and providers read here how they check a server, and how later answers reach it.
import { Alive, CallbackBody, CallbackView, Ready } from '@plazo/core'
import { answer, body, HTML, json, type Operations, providerCall, serviceCall, text } from '../operation.ts'

export const providerOperations: Operations = {
  'POST /providers/:port': providerCall('providerCallback', 'Send a later answer to a question', {
    description:
      'The answer to an earlier question, with its id. Sign it by Webhook-Id, Webhook-Timestamp and Webhook-Signature as in Standard Webhooks. Repeat the call until it is answered 200.',
    body: body(json(CallbackBody)),
    answers: { 200: answer('Accepted, or already known.', json(CallbackView, { taken: { taken: true } })) },
    problems: {
      400: 'The body is not JSON, or does not answer a question of this port.',
      401: 'The signature is missing, wrong or too old.',
      404: 'Port, order or payment not found.',
    },
    isSampled: false,
  }),
}

export const healthOperations: Operations = {
  'GET /healthz': serviceCall('isAlive', 'Check liveness', {
    answers: { 200: answer('The process is alive.', json(Alive, { alive: { status: 'alive' } })) },
  }),
  'GET /readyz': serviceCall('isReady', 'Check readiness', {
    answers: {
      200: answer(
        'The database accepts writes, and due work is processed.',
        json(Ready, { ready: { status: 'ready' } }),
      ),
    },
    problems: { 503: 'Not ready.' },
  }),
  'GET /metrics': serviceCall('metrics', 'Scrape the metrics', {
    answers: { 200: answer('In the format of Prometheus.', text('text/plain')) },
  }),
}

const UNCHANGED = answer('The document has not changed since the version in If-None-Match.')
const ETAG = { ETag: 'Changes with the document.' }

export const referenceOperations: Operations = {
  'GET /openapi.json': serviceCall('openApiDocument', 'Load this document', {
    answers: { 200: answer('OpenAPI 3.1.', text('application/json'), ETAG), 304: UNCHANGED },
  }),
  'GET /favicon.svg': serviceCall('favicon', 'Load the icon of all pages', {
    answers: { 200: answer('The icon.', text('image/svg+xml')) },
  }),
  'GET /docs': serviceCall('referencePage', 'Read this document as a page', {
    answers: { 200: answer('The page.', HTML, ETAG), 304: UNCHANGED },
  }),
}
