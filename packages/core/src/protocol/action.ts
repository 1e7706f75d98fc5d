// Each answer to a frontend names the next action that it must take, and a frontend shows the terms
// of the checkout. These codecs fix the shapes. Interface §2.2, §4.1, §4.2.
import * as t from 'io-ts'
import { description, schemaName } from './json-schema.ts'
import { LANGUAGES, Money } from './language.ts'
import {
  Count,
  exactObject,
  MinorAmount,
  namedObject,
  objectOf,
  oneOf,
  optional,
  orNull,
  Texts,
  WholeNumber,
} from './scalars.ts'

const Invalid = description(
  'The name of each wrong field. The only error is invalid.',
  t.record(t.string, t.literal('invalid')),
)

/** A saved card. Its `iframe_url` is a form that asks only for the CVC. */
export const ReusableCard = namedObject('ReusableCard', {
  iframe_url: t.string,
  expiry_month_year: description('MM/YY', t.string),
  last_four: t.string,
  masked_pan: t.string,
})
export type ReusableCard = t.TypeOf<typeof ReusableCard>

/** The members of an offered plan, shared by all codecs that show one. */
const OFFERED = {
  product: t.string,
  instalment_count: WholeNumber,
  grand_total: description('The order’s total and the cost of credit.', Money),
  instalment_total: description(
    'A regular instalment with its fee; the first one may be larger by the remainder.',
    Money,
  ),
  down_payment_total: description('The amount due now, with fees.', Money),
  cost_of_credit: description('All fees.', Money),
}

/** A plan offered instead of the one that was rejected. Contract §4. */
export const OfferedAgreement = namedObject('OfferedAgreement', OFFERED)
export type OfferedAgreement = t.TypeOf<typeof OfferedAgreement>

/** How far an ID session has come. VERIFIED, FAILED and ERROR end it. Interface §4.2. */
export const IdVerificationStatus = oneOf('STARTED', 'VERIFIED', 'FAILED', 'ERROR')
export type IdVerificationStatus = t.TypeOf<typeof IdVerificationStatus>

const actionOf = <Name extends string, P extends t.Props>(action: Name, fields: P) =>
  exactObject({ action: t.literal(action), ...fields })

const RequirePayment = actionOf('require_payment', {
  iframe_url: t.string,
  reusable_cards: t.readonlyArray(ReusableCard),
  amount: Money,
})
const WaitForIdVerification = actionOf('wait_for_id_verification', {
  session_url: t.string,
  status: IdVerificationStatus,
  message: t.string,
})
const Finish = actionOf('finish', { return_url: t.string })

/** The answer of the identification endpoint: one of eleven actions. Interface §4.1. */
export const IdentificationAction = schemaName(
  'IdentificationAction',
  t.union([
    actionOf('show_identification_form', { errors: Invalid }),
    actionOf('alt_payment', {}),
    RequirePayment,
    actionOf('require_validate_otp', {}),
    actionOf('show_on_hold', {}),
    actionOf('wait_for_screening', {
      expires_in_seconds: Count,
      polling_url: t.string,
    }),
    actionOf('wait_for_confirmation', { polling_url: t.string }),
    WaitForIdVerification,
    actionOf('show_error', {
      messages: Texts,
      errors: Texts,
    }),
    actionOf('reject', {}),
    Finish,
  ]),
  'The next action of the frontend.',
)
export type IdentificationAction = t.TypeOf<typeof IdentificationAction>

/**
 * The answer of the wait endpoint and the body of action events: one of fourteen actions. Interface
 * §4.2, §6.2.
 */
export const WaitAction = schemaName(
  'WaitAction',
  t.union([
    Finish,
    actionOf('show_conflict', {}),
    actionOf('show_on_hold', { return_url: t.string }),
    actionOf('wait_for_screening', { expires_in: Count }),
    actionOf('resume_after_screening', {}),
    actionOf('wait_for_confirmation', {}),
    actionOf('wait_for_on_hold', {}),
    actionOf('alt_payment', {
      title: t.string,
      messages: Texts,
      credit_agreements: t.readonlyArray(OfferedAgreement),
      forced_credit_agreement_index: orNull(WholeNumber),
      errors: Invalid,
    }),
    WaitForIdVerification,
    actionOf('show_identification_form', {}),
    RequirePayment,
    actionOf('require_validate_otp', {}),
    actionOf('show_error', { messages: Texts }),
    actionOf('reject', {}),
  ]),
  'The state of the checkout, as the next action.',
)
export type WaitAction = t.TypeOf<typeof WaitAction>

/** The name of an action that the wait endpoint answers. Interface §4.2. */
export type WaitActionName = WaitAction['action']

/** The name of an action that the identification endpoint answers. Interface §4.1. */
export type IdentificationActionName = IdentificationAction['action']

const Checkbox = exactObject({
  id: description('The name of the submitted field.', t.string),
  checked: t.boolean,
  required: t.boolean,
  url: description('The text that the shopper accepts.', t.string),
})

const ONE_SURNAME = description(
  'True: two surnames are needed, and the form may have `one_surname: true` for a shopper with one.',
  t.boolean,
)

const PLAN = { ...OFFERED, default: t.boolean }

/** A frontend that renders the identification form itself needs this metadata. Contract §3. */
export const CheckoutMetadata = namedObject('CheckoutMetadata', {
  product_code: t.string,
  requested_fields: Texts,
  checkboxes: t.readonlyArray(Checkbox),
  one_surname: ONE_SURNAME,
  total_with_tax: MinorAmount,
  credit_agreement: description(
    'The plans of the product, the default first.',
    t.readonlyArray(namedObject('PlanOnOffer', PLAN)),
  ),
})
export type CheckoutMetadata = t.TypeOf<typeof CheckoutMetadata>

/**
 * An offered plan with everything that the shopper agrees to: the date and the amount of each
 * instalment.
 */
export const PlanInFull = namedObject('PlanInFull', {
  ...PLAN,
  instalments: t.readonlyArray(
    namedObject('Instalment', {
      due: description('A date, YYYY-MM-DD.', t.string),
      amount: description('With its fee.', Money),
      is_now: description('True: it is paid during the checkout.', t.boolean),
    }),
  ),
  annual_rate: description(
    'The annual percentage rate of charge as the shopper reads it; null if nothing is credited.',
    orNull(t.string),
  ),
  order_button: description(
    'The words for the last button: that the order binds to pay, and the amount due today, or later if nothing is.',
    t.string,
  ),
})
export type PlanInFull = t.TypeOf<typeof PlanInFull>

/**
 * A shopper must know who lends, and on which conditions, before they are bound. The operator's
 * settings say it, in the language of the order. A product without credit has no terms of a credit.
 * Contract §4, Law.
 */
export const LegalFacts = schemaName(
  'LegalFacts',
  objectOf({
    lender: exactObject({
      name: t.string,
      address: t.string,
      supervisor: description('The authority that supervises the lender.', t.string),
    }),
    conditions_url: optional(t.string),
    pre_contract_url: optional(t.string),
    withdrawal: optional(t.string),
    contact: description('Where the shopper can ask for a person: a text or a URL.', t.string),
  }),
)
export type LegalFacts = t.TypeOf<typeof LegalFacts>

/**
 * A shopper must see from whom they buy, what, and on which terms, before they agree. A frontend
 * gets all of it here. Contract §4, Summary.
 */
export const CheckoutSummary = namedObject('CheckoutSummary', {
  seller: t.string,
  language: oneOf(...LANGUAGES),
  total: Money,
  items: description(
    'The cart, at most its first 100 items. Empty once the shopper’s data is erased.',
    t.readonlyArray(
      namedObject('CartItem', {
        name: t.string,
        quantity: orNull(WholeNumber),
        total: Money,
      }),
    ),
  ),
  product: exactObject({ code: t.string, title: t.string }),
  country: orNull(t.string),
  optional_fields: Texts,
  surnames_needed: description('How many surnames the form must have: 1 or 2.', WholeNumber),
  one_surname: ONE_SURNAME,
  plans: description('The plans of the product, the default first.', t.readonlyArray(PlanInFull)),
  agreed_plan: description(
    'The plan that the shopper has agreed to, of any product; null before the right code.',
    orNull(PlanInFull),
  ),
  return_url: description('The shop’s page, for a way back at any time.', t.string),
  code: description(
    'While a code is awaited: the phone that it was sent to, and when another may be sent.',
    orNull(
      exactObject({
        phone: description('Only the last three digits can be read.', t.string),
        next_in_seconds: description('0: another code may be sent now.', Count),
        can_be_sent_again: t.boolean,
        codes_left: Count,
        tries_left: description(
          'How many more codes may be entered; 0: this code is void or has expired.',
          Count,
        ),
      }),
    ),
  ),
  legal: description(
    'To be shown before the last click; null while settings are missing.',
    orNull(LegalFacts),
  ),
  missing_settings: description(
    'The settings that the operator must set before a shopper may be bound.',
    Texts,
  ),
  rejection: description(
    'Once the credit was rejected, or another plan is offered instead: how that was decided.',
    orNull(exactObject({ automated: description('False: a person decided.', t.boolean) })),
  ),
})
export type CheckoutSummary = t.TypeOf<typeof CheckoutSummary>
