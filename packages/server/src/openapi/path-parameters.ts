// Describes the parameters of paths, and the variable that represents each one in a sample.

import { PROVIDER_PORTS } from '@plazo/core'

type PathParameter = {
  readonly description: string
  readonly schema: Readonly<Record<string, unknown>>
  readonly example: string
  /** The variable in a line of curl; if absent, the example itself is used. */
  readonly variable?: string
}

const token = (description: string, variable: string): PathParameter => ({
  description,
  schema: { type: 'string' },
  example: 'kK0VbFq3TzqY1xQ5mZr2Jw',
  variable,
})

export const PATH_PARAMETERS: Readonly<Record<string, PathParameter>> = {
  uuid: {
    description: 'The uuid of the order and its checkout: the last part of Location of POST /orders.',
    schema: { type: 'string', format: 'uuid' },
    example: '0b8e6f5c-7f0e-4c53-9a6f-3d0f6c1f2a11',
    variable: 'ORDER',
  },
  port: {
    description: 'The provider’s port.',
    schema: { type: 'string', enum: PROVIDER_PORTS },
    example: 'payment',
  },
  script: { description: 'The script’s file name.', schema: { type: 'string' }, example: 'sandbox-card-form.js' },
  ref: { description: 'The merchant’s ref.', schema: { type: 'string' }, example: 'demo' },
  merchant: { description: 'The merchant’s ref.', schema: { type: 'string' }, example: 'demo' },
  order_ref_1: {
    description: 'The merchant’s primary reference of the order. It may contain slashes, raw or as %2F.',
    schema: { type: 'string' },
    example: 'A-1001',
    variable: 'ORDER_REF_1',
  },
  id: {
    description: 'The delivery: its Webhook-Id.',
    schema: { type: 'string' },
    example: '0b8e6f5c-7f0e-4c53-9a6f-3d0f6c1f2a11:7:ipn',
    variable: 'DELIVERY',
  },
  token: token('The payment or ID session: the part after the order in iframe_url or session_url.', 'TOKEN'),
  card: token('The saved card: the last part of its iframe_url.', 'CARD'),
  challenge: token('The authentication: the last part of src.', 'CHALLENGE'),
}
