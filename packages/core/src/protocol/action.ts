// Each answer to a frontend names the next action that it must take. These codecs fix the shape. Interface §2.2, §4.1, §4.2.
import * as t from 'io-ts'
import { about, named } from './annotation.ts'
import { Count, MinorAmount, orNull, WholeNumber } from './scalars.ts'

const Invalid = about(
  'Each wrong field’s name; invalid is the only error there is.',
  t.record(t.string, t.literal('invalid')),
)

export const MoneyCodec = named(
  'Money',
  t.readonly(
    t.strict({ value: MinorAmount, string: about('As the shopper reads it, in the language of the order.', t.string) }),
  ),
)

/** A saved card. Its `iframe_url` is a form that asks only for the CVC. */
export const ReusableCard = named(
  'ReusableCard',
  t.readonly(
    t.strict({
      iframe_url: about('A card form that asks for the CVC alone.', t.string),
      expiry_month_year: about('MM/YY', t.string),
      last_four: t.string,
      masked_pan: about('The number, its middle digits masked.', t.string),
    }),
  ),
)
export type ReusableCard = t.TypeOf<typeof ReusableCard>

/** The members of an offered plan, shared by all codecs that show one. */
export const OFFERED = {
  product: t.string,
  instalment_count: WholeNumber,
  grand_total: about('The order’s total and the cost of credit.', MoneyCodec),
  instalment_total: about(
    'A regular instalment with its fee; the first one may be larger by the remainder.',
    MoneyCodec,
  ),
  down_payment_total: about('What is due now, fees included.', MoneyCodec),
  cost_of_credit: about('All fees.', MoneyCodec),
}

/** A plan offered instead of the one that was rejected. Contract §4. */
export const OfferedAgreement = named('OfferedAgreement', t.readonly(t.strict(OFFERED)))
export type OfferedAgreement = t.TypeOf<typeof OfferedAgreement>

export const IdVerificationStatus = t.keyof({ STARTED: null, VERIFIED: null, FAILED: null, ERROR: null })
export type IdVerificationStatus = t.TypeOf<typeof IdVerificationStatus>

const bare = <Name extends string>(name: Name) => t.readonly(t.strict({ action: t.literal(name) }))

const RequirePayment = t.readonly(
  t.strict({
    action: t.literal('require_payment'),
    iframe_url: about('The address of the card form.', t.string),
    reusable_cards: t.readonlyArray(ReusableCard),
    amount: MoneyCodec,
  }),
)
const WaitForIdVerification = t.readonly(
  t.strict({
    action: t.literal('wait_for_id_verification'),
    session_url: t.string,
    status: IdVerificationStatus,
    message: t.string,
  }),
)
const Finish = t.readonly(t.strict({ action: t.literal('finish'), return_url: t.string }))

/** The answer of the identification endpoint: one of eleven actions. Interface §4.1. */
export const IdentificationAction = named(
  'IdentificationAction',
  t.union([
    t.readonly(t.strict({ action: t.literal('show_identification_form'), errors: Invalid })),
    bare('alt_payment'),
    RequirePayment,
    bare('require_validate_otp'),
    bare('show_on_hold'),
    t.readonly(
      t.strict({
        action: t.literal('wait_for_screening'),
        expires_in_seconds: about('How long the screening may still take.', Count),
        polling_url: t.string,
      }),
    ),
    t.readonly(t.strict({ action: t.literal('wait_for_confirmation'), polling_url: t.string })),
    WaitForIdVerification,
    t.readonly(
      t.strict({
        action: t.literal('show_error'),
        messages: t.readonlyArray(t.string),
        errors: t.readonlyArray(t.string),
      }),
    ),
    bare('reject'),
    Finish,
  ]),
  'The next action: what the frontend must do now.',
)
export type IdentificationAction = t.TypeOf<typeof IdentificationAction>

/** The answer of the wait endpoint and the body of action events: one of fourteen actions. Interface §4.2, §6.2. */
export const WaitAction = named(
  'WaitAction',
  t.union([
    Finish,
    bare('show_conflict'),
    t.readonly(t.strict({ action: t.literal('show_on_hold'), return_url: t.string })),
    t.readonly(t.strict({ action: t.literal('wait_for_screening'), expires_in: Count })),
    bare('resume_after_screening'),
    bare('wait_for_confirmation'),
    bare('wait_for_on_hold'),
    t.readonly(
      t.strict({
        action: t.literal('alt_payment'),
        title: t.string,
        messages: t.readonlyArray(t.string),
        credit_agreements: t.readonlyArray(OfferedAgreement),
        forced_credit_agreement_index: orNull(WholeNumber),
        errors: Invalid,
      }),
    ),
    WaitForIdVerification,
    bare('show_identification_form'),
    RequirePayment,
    bare('require_validate_otp'),
    t.readonly(t.strict({ action: t.literal('show_error'), messages: t.readonlyArray(t.string) })),
    bare('reject'),
  ]),
  'What has become of the checkout, as the next action.',
)
export type WaitAction = t.TypeOf<typeof WaitAction>

export type WaitActionName = WaitAction['action']
export type IdentificationActionName = IdentificationAction['action']
