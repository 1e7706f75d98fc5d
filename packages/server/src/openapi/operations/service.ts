// Describes the routes in providers.ts for the OpenAPI document.
import { Alive, CallbackBody, CallbackView, Ready } from '@plazo/core'
import { BODY_KIB_MAX } from '../../http/request.ts'
import { answer, HTML, json, type Operations, text } from '../operation.ts'

export const providerOperations: Operations = {
  'POST /providers/:port': {
    id: 'providerCallback',
    caller: 'provider',
    title: 'Tell what became of a question',
    description:
      'The answer to a question that was asked before, with its id, signed by Webhook-Id, Webhook-Timestamp and Webhook-Signature as Standard Webhooks has it. Told again until it gets a 200.',
    body: { kibMax: BODY_KIB_MAX, contents: [json(CallbackBody)] },
    answers: { 200: answer('Taken, or known already.', json(CallbackView, { taken: { taken: true } })) },
    problems: {
      400: 'The body is not JSON, or tells nothing that this port is asked.',
      401: 'The signature is missing, wrong or too old.',
      404: 'There is no such port, order or payment.',
    },
    isSampled: false,
  },
}

// Describes the routes in health.ts and metrics.ts for the OpenAPI document.

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

// Describes the routes in reference.ts, which serve the OpenAPI document itself.

const UNCHANGED = answer('It is what If-None-Match names.')
const ETAG = { ETag: 'Changes with the document.' }

export const referenceOperations: Operations = {
  'GET /openapi.json': {
    id: 'openApiDocument',
    caller: 'service',
    title: 'Load this document',
    answers: { 200: answer('OpenAPI 3.1.', text('application/json'), ETAG), 304: UNCHANGED },
  },
  'GET /docs': {
    id: 'referencePage',
    caller: 'service',
    title: 'Read this document as a page',
    answers: { 200: answer('The page.', HTML, ETAG), 304: UNCHANGED },
  },
}
