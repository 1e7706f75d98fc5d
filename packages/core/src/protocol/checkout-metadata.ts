// A frontend that renders the identification form itself needs this metadata. Contract §3.
import * as t from 'io-ts'
import { OFFERED } from './action.ts'
import { about, named } from './annotation.ts'
import { MinorAmount } from './scalars.ts'

const Checkbox = t.readonly(
  t.strict({
    id: about('The name of the field it is submitted as.', t.string),
    checked: about('Whether it is ticked from the start.', t.boolean),
    required: t.boolean,
    url: about('What is agreed to.', t.string),
  }),
)

const Plan = named(
  'PlanOnOffer',
  t.readonly(t.strict({ ...OFFERED, default: about('Whether it is taken unless another is chosen.', t.boolean) })),
)

export const CheckoutMetadata = named(
  'CheckoutMetadata',
  t.readonly(
    t.strict({
      product_code: t.string,
      requested_fields: about(
        'The names of the fields to ask for, in the order of the form.',
        t.readonlyArray(t.string),
      ),
      checkboxes: t.readonlyArray(Checkbox),
      total_with_tax: about('Minor units.', MinorAmount),
      credit_agreement: about('The plans of the product, the default first.', t.readonlyArray(Plan)),
    }),
  ),
)
export type CheckoutMetadata = t.TypeOf<typeof CheckoutMetadata>
