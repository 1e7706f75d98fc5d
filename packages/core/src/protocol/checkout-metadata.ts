// A frontend that renders the identification form itself needs this metadata. Contract §3.
import * as t from 'io-ts'
import { OFFERED } from './action.ts'
import { description, schemaName } from './annotation.ts'
import { MinorAmount } from './scalars.ts'

const Checkbox = t.readonly(
  t.strict({
    id: description('The name of the submitted field.', t.string),
    checked: description('Whether the box is checked initially.', t.boolean),
    required: t.boolean,
    url: description('The text that the shopper accepts.', t.string),
  }),
)

const Plan = schemaName(
  'PlanOnOffer',
  t.readonly(t.strict({ ...OFFERED, default: description('Whether this is the default plan.', t.boolean) })),
)

export const CheckoutMetadata = schemaName(
  'CheckoutMetadata',
  t.readonly(
    t.strict({
      product_code: t.string,
      requested_fields: description(
        'The names of the fields to ask for, in the order of the form.',
        t.readonlyArray(t.string),
      ),
      checkboxes: t.readonlyArray(Checkbox),
      total_with_tax: description('Minor units.', MinorAmount),
      credit_agreement: description('The plans of the product, the default first.', t.readonlyArray(Plan)),
    }),
  ),
)
export type CheckoutMetadata = t.TypeOf<typeof CheckoutMetadata>
