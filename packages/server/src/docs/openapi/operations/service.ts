// Operators read here how they check a server, providers how they send it their later answers, and
// shops which scripts it serves.
import { Alive, CallbackBody, CallbackView, Ready } from '@plazo/core/protocol'
import {
  answer,
  CSS,
  call,
  HTML,
  JAVASCRIPT,
  jsonAnswer,
  jsonRequest,
  type Operations,
  text,
} from '../operation.ts'

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
    ok: jsonAnswer('The database accepts writes, and due work is processed.', Ready, {
      ready: { status: 'ready' },
    }),
    problems: { 503: 'Not ready.' },
  }),
  'GET /metrics': call.service('metrics', 'Scrape the metrics', {
    ok: answer('In the format of Prometheus.', text('text/plain')),
  }),
  'GET /openapi.json': call.service('openApiDocument', 'Load this document', {
    answers: { 200: answer('OpenAPI 3.1.', text('application/json'), ETAG), 304: UNCHANGED },
  }),
  'GET /sdk/checkout.js': call.frontend(
    'checkoutScript',
    'Load the module that drives a checkout',
    {
      description:
        'For a frontend of your own: startCheckout asks the identification and wait endpoints, tries again where that helps, and calls back once per action.',
      ok: answer('The module.', JAVASCRIPT),
    },
  ),
  'GET /sdk/plazo-checkout.js': call.frontend(
    'checkoutElementScript',
    'Load the custom element of the whole checkout',
    {
      description: 'It defines <plazo-checkout order="…">, which shows every step in any page.',
      ok: answer('The module.', JAVASCRIPT),
    },
  ),
  'GET /sdk/plazo-checkout.css': call.frontend(
    'checkoutElementStyle',
    'Load the style of the custom element',
    {
      description:
        'Older browsers load it by themselves: Firefox before 101, and Safari before 16.4.',
      ok: answer('The style sheet.', CSS),
    },
  ),
  'GET /sdk/machine.js': call.frontend(
    'machineSdk',
    'Load the script of the custom element plazo-machine',
    {
      description:
        'A module that pages of any origin may load. The element shows the statechart and an order’s path.',
      ok: answer('The script.', JAVASCRIPT),
    },
  ),
  'GET /sdk/pages/:script': call.frontend('pageScript', 'Load a script of one of plazo’s pages', {
    description: 'The pages name it, with a version that changes with its text.',
    ok: answer('The script.', JAVASCRIPT),
    problems: { 404: 'No page has this script.' },
  }),
  'GET /favicon.svg': call.service('favicon', 'Load the icon of all pages', {
    ok: answer('The icon.', text('image/svg+xml')),
  }),
  'GET /docs': call.service('referencePage', 'Read this document as a page', {
    answers: { 200: answer('The page.', HTML, ETAG), 304: UNCHANGED },
  }),
}
