// Each answer to a frontend names the next action that it must take. These codecs fix the shape. Interface §2.2, §4.1, §4.2.
import * as t from 'io-ts'
import { description, schemaName } from './json-schema.ts'
import { Count, exactObject, MinorAmount, namedObject, oneOf, orNull, WholeNumber } from './scalars.ts'

const Invalid = description(
  'The name of each wrong field. The only error is invalid.',
  t.record(t.string, t.literal('invalid')),
)

export const MoneyCodec = namedObject('Money', {
  value: MinorAmount,
  string: description('As the shopper reads it, in the order’s language.', t.string),
})

/** A saved card. Its `iframe_url` is a form that asks only for the CVC. */
export const ReusableCard = namedObject('ReusableCard', {
  iframe_url: description('A card form that asks only for the CVC.', t.string),
  expiry_month_year: description('MM/YY', t.string),
  last_four: t.string,
  masked_pan: description('The card number, with its middle digits masked.', t.string),
})
export type ReusableCard = t.TypeOf<typeof ReusableCard>

/** The members of an offered plan, shared by all codecs that show one. */
export const OFFERED = {
  product: t.string,
  instalment_count: WholeNumber,
  grand_total: description('The order’s total and the cost of credit.', MoneyCodec),
  instalment_total: description(
    'A regular instalment with its fee; the first one may be larger by the remainder.',
    MoneyCodec,
  ),
  down_payment_total: description('The amount due now, with fees.', MoneyCodec),
  cost_of_credit: description('All fees.', MoneyCodec),
}

/** A plan offered instead of the one that was rejected. Contract §4. */
export const OfferedAgreement = namedObject('OfferedAgreement', OFFERED)
export type OfferedAgreement = t.TypeOf<typeof OfferedAgreement>

export const IdVerificationStatus = oneOf('STARTED', 'VERIFIED', 'FAILED', 'ERROR')
export type IdVerificationStatus = t.TypeOf<typeof IdVerificationStatus>

const actionWithoutFields = <Name extends string>(name: Name) => exactObject({ action: t.literal(name) })

const RequirePayment = exactObject({
  action: t.literal('require_payment'),
  iframe_url: description('The address of the card form.', t.string),
  reusable_cards: t.readonlyArray(ReusableCard),
  amount: MoneyCodec,
})
const WaitForIdVerification = exactObject({
  action: t.literal('wait_for_id_verification'),
  session_url: t.string,
  status: IdVerificationStatus,
  message: t.string,
})
const Finish = exactObject({ action: t.literal('finish'), return_url: t.string })

/** The answer of the identification endpoint: one of eleven actions. Interface §4.1. */
export const IdentificationAction = schemaName(
  'IdentificationAction',
  t.union([
    exactObject({ action: t.literal('show_identification_form'), errors: Invalid }),
    actionWithoutFields('alt_payment'),
    RequirePayment,
    actionWithoutFields('require_validate_otp'),
    actionWithoutFields('show_on_hold'),
    exactObject({
      action: t.literal('wait_for_screening'),
      expires_in_seconds: description('The seconds until the screening expires.', Count),
      polling_url: t.string,
    }),
    exactObject({ action: t.literal('wait_for_confirmation'), polling_url: t.string }),
    WaitForIdVerification,
    exactObject({
      action: t.literal('show_error'),
      messages: t.readonlyArray(t.string),
      errors: t.readonlyArray(t.string),
    }),
    actionWithoutFields('reject'),
    Finish,
  ]),
  'The next action of the frontend.',
)
export type IdentificationAction = t.TypeOf<typeof IdentificationAction>

/** The answer of the wait endpoint and the body of action events: one of fourteen actions. Interface §4.2, §6.2. */
export const WaitAction = schemaName(
  'WaitAction',
  t.union([
    Finish,
    actionWithoutFields('show_conflict'),
    exactObject({ action: t.literal('show_on_hold'), return_url: t.string }),
    exactObject({ action: t.literal('wait_for_screening'), expires_in: Count }),
    actionWithoutFields('resume_after_screening'),
    actionWithoutFields('wait_for_confirmation'),
    actionWithoutFields('wait_for_on_hold'),
    exactObject({
      action: t.literal('alt_payment'),
      title: t.string,
      messages: t.readonlyArray(t.string),
      credit_agreements: t.readonlyArray(OfferedAgreement),
      forced_credit_agreement_index: orNull(WholeNumber),
      errors: Invalid,
    }),
    WaitForIdVerification,
    actionWithoutFields('show_identification_form'),
    RequirePayment,
    actionWithoutFields('require_validate_otp'),
    exactObject({ action: t.literal('show_error'), messages: t.readonlyArray(t.string) }),
    actionWithoutFields('reject'),
  ]),
  'The state of the checkout, as the next action.',
)
export type WaitAction = t.TypeOf<typeof WaitAction>

export type WaitActionName = WaitAction['action']
export type IdentificationActionName = IdentificationAction['action']

const Checkbox = exactObject({
  id: description('The name of the submitted field.', t.string),
  checked: description('Whether the box is checked initially.', t.boolean),
  required: t.boolean,
  url: description('The text that the shopper accepts.', t.string),
})

const Plan = namedObject('PlanOnOffer', {
  ...OFFERED,
  default: description('Whether this is the default plan.', t.boolean),
})

/** A frontend that renders the identification form itself needs this metadata. Contract §3. */
export const CheckoutMetadata = namedObject('CheckoutMetadata', {
  product_code: t.string,
  requested_fields: description(
    'The names of the fields to ask for, in the order of the form.',
    t.readonlyArray(t.string),
  ),
  checkboxes: t.readonlyArray(Checkbox),
  total_with_tax: description('Minor units.', MinorAmount),
  credit_agreement: description('The plans of the product, the default first.', t.readonlyArray(Plan)),
})
export type CheckoutMetadata = t.TypeOf<typeof CheckoutMetadata>
