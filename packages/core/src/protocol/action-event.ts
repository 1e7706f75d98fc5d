// The identification_action event pushes the answer of the wait endpoint as JSON, so that merchants need not poll.
// Interface §6.2, contract §6.
import * as t from 'io-ts'
import { WaitAction } from './action.ts'
import { annotated, description, type JsonSchema, schemaName } from './annotation.ts'
import { sortedParameters } from './form-encoding.ts'
import { mergeObjectSchemas } from './json-schema.ts'
import { withMerchantParameters } from './lifecycle-event.ts'
import type { OrderReferences } from './order-payload.ts'

const Envelope = withMerchantParameters(
  t.type({
    event: t.literal('identification_action'),
    order_ref: description('The service’s own reference, the uuid of the checkout.', t.string),
    order_ref_1: description('The merchant’s primary reference; empty where there is none.', t.string),
    order_ref_2: description('The merchant’s secondary reference; empty where there is none.', t.string),
  }),
)

/** One of the wait endpoint's actions with its fields, and the references of its order. */
export const ActionEvent = schemaName(
  'IdentificationActionEvent',
  annotated(t.intersection([Envelope, WaitAction]), {
    schema: (schemaOf) => {
      const { patternProperties, ...envelope } = schemaOf(Envelope)
      const actions = schemaOf(annotated(WaitAction, { name: null })).oneOf as readonly JsonSchema[]
      return { oneOf: actions.map((action) => ({ ...mergeObjectSchemas([envelope, action]), patternProperties })) }
    },
  }),
  'What the wait endpoint answers now, beside the order it is about.',
)

/** The exact body of the request. */
export const actionEventBody = (
  action: WaitAction,
  orderRef: string,
  references: OrderReferences,
  merchantParameters: Readonly<Record<string, string>>,
): string => {
  const fields: t.TypeOf<typeof ActionEvent> = {
    event: 'identification_action',
    ...action,
    order_ref: orderRef,
    order_ref_1: references.first,
    order_ref_2: references.second,
  }
  return JSON.stringify({
    ...fields,
    ...Object.fromEntries(sortedParameters(merchantParameters).map(([name, value]) => [`m_${name}`, value])),
  })
}
