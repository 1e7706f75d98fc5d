// Describes the routes in providers.ts for the OpenAPI document.
import { CallbackBody, CallbackView } from '@plazo/core'
import { answer, json, type Operations } from '../openapi/operation.ts'
import { BODY_KIB_MAX } from '../request.ts'

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
