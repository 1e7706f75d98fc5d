// Describes the routes in merchants.ts for the OpenAPI document.
import { Credentials } from '@plazo/core'
import * as t from 'io-ts'
import { answer, json, type Operations } from '../openapi/operation.ts'

const demo: Credentials = {
  ref: 'demo',
  name: 'Demo',
  country: null,
  currency: 'EUR',
  signature_secret: '0123456789abcdef0123456789abcdef',
  verify_signature: true,
  options: { send_action_events_in_identification: false },
}

export const merchantOperations: Operations = {
  'GET /merchants/credentials': {
    id: 'listCredentials',
    caller: 'merchant',
    title: 'See the credentials of all the account’s merchants',
    answers: {
      200: answer(
        'One for each merchant, in the order they were added.',
        json(t.readonlyArray(Credentials), { demo: [demo] }),
      ),
    },
  },
  'GET /merchants/:ref/credentials': {
    id: 'showCredentials',
    caller: 'merchant',
    title: 'See a merchant’s credentials',
    description: 'Above all signature_secret, which verifies the signatures of webhooks.',
    answers: { 200: answer('The credentials.', json(Credentials, { demo })) },
  },
}
