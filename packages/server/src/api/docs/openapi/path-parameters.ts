// The parameters of paths mean the same in every route, so they are described once.
import { type JsonSchema, PROVIDER_PORTS } from '@plazo/core/protocol'
import type { Parameters } from '../../../http/route.ts'
import { ORDER_REF, TOKEN } from './examples.ts'

const textParameter = (
  description: string,
  example: string,
  more: JsonSchema = {},
): Parameters<JsonSchema>[string] => ({
  in: 'path',
  required: true,
  description,
  example,
  schema: { type: 'string', ...more },
})

export const PATH_PARAMETERS: Parameters<JsonSchema> = {
  uuid: textParameter(
    'The uuid of the order and its checkout: the last part of Location of POST /orders.',
    ORDER_REF,
    { format: 'uuid' },
  ),
  port: textParameter('The provider’s port.', 'payment', { enum: PROVIDER_PORTS }),
  ref: textParameter('The merchant’s ref.', 'demo'),
  order_ref_1: textParameter(
    'The merchant’s primary reference of the order. It may contain slashes, raw or as %2F.',
    'A-1001',
  ),
  id: textParameter('The delivery: its Webhook-Id.', `${ORDER_REF}:7:ipn`),
  token: textParameter(
    'The payment or ID session: the part after the order in iframe_url or session_url.',
    TOKEN,
  ),
  card: textParameter('The saved card: the last part of its iframe_url.', TOKEN),
  challenge: textParameter('The authentication: the last part of src.', TOKEN),
}
