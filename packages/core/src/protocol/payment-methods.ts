// A shop shows its shoppers this list: the products of a merchant by category, with their costs.
// Contract §3.
import * as t from 'io-ts'
import { description, schemaName } from './json-schema.ts'
import { exactObject, Instant, MinorAmount, namedObject, oneOf, orNull } from './scalars.ts'

const Cost = exactObject({
  setup_fee: MinorAmount,
  instalment_fee: description('Minor units, in each instalment.', MinorAmount),
  down_payment_fees: description('Minor units: the fees that are due now.', MinorAmount),
  instalment_total: description(
    'Minor units: a regular instalment of the default plan with its fee. For a merchant, only the fee.',
    MinorAmount,
  ),
})

/** A product of a merchant, with its cost and the amounts for which it is offered. Contract §3. */
export const PaymentMethod = namedObject('PaymentMethod', {
  product: t.string,
  title: t.string,
  long_title: t.string,
  starts_at: Instant,
  ends_at: Instant,
  cost: Cost,
  min_amount: MinorAmount,
  max_amount: MinorAmount,
})
export type PaymentMethod = t.TypeOf<typeof PaymentMethod>

/** The methods of one category, with texts and an icon for a shop's page. Contract §3. */
export const PaymentOption = namedObject('PaymentOption', {
  category: oneOf('pay_later', 'part_payment', 'pay_now'),
  title: t.string,
  description: t.string,
  icon: description('SVG markup in the colour of the surrounding text.', t.string),
  methods: t.readonlyArray(PaymentMethod),
})
export type PaymentOption = t.TypeOf<typeof PaymentOption>

/** All that a merchant offers for an amount. Contract §3. */
export const PaymentMethods = schemaName(
  'PaymentMethods',
  exactObject({ payment_options: t.readonlyArray(PaymentOption) }),
  'The payment methods by category. A category without methods is left out.',
)
export type PaymentMethods = t.TypeOf<typeof PaymentMethods>

/**
 * A merchant's shop reads its credentials here, above all the secret that verifies signatures.
 * Interface §4.3, contract §3.
 */
export const Credentials = namedObject('Credentials', {
  ref: t.string,
  name: t.string,
  country: orNull(t.string),
  currency: t.string,
  signature_secret: description('The key that signs webhooks: these 32 characters.', t.string),
  verify_signature: t.literal(true),
  options: exactObject({
    send_action_events_in_identification: t.boolean,
  }),
})
export type Credentials = t.TypeOf<typeof Credentials>
