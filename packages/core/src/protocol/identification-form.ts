// The frontend submits the shopper's identification; each field is checked here by itself.
// Interface §2.1, contract §4.
import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import {
  type Agreement,
  type Catalogue,
  isOffered,
  PRODUCTS,
  type Price,
} from './credit-product.ts'
import { description, schemaName } from './json-schema.ts'
import {
  fieldAsSeen,
  fieldRules,
  fitsRule,
  isTextField,
  PERSON_FIELDS,
  type PersonField,
  type TextRule,
  wrongDateFields,
} from './person-fields.ts'
import { type JsonObject, objectOf, optional, orNull, textOf } from './scalars.ts'
import { withoutControls } from './text-as-seen.ts'

/**
 * Names and addresses as the shopper typed them, without control and bidi characters. The other
 * fields as people see them. An optional field left out is an empty string.
 */
export type Person = { readonly [field in PersonField]: string }

export type Identification = {
  readonly person: Person
  /** `null` if the shopper named none. */
  readonly agreement: Agreement | null
  /** The code as sent, unchecked: it is checked only while the order asks for one. */
  readonly validationCode: unknown
}

/** The form as a frontend sends it. The consent has the service's name. Interface §2.1. */
export type IdentificationBody = Partial<Person> & {
  readonly [consent: `${string}_privacy_policy_accepted`]: boolean
  /** The shopper's choice. Absent or null: the order's default product with its default plan. */
  readonly credit_agreement?: t.TypeOf<typeof CreditAgreement> | null
  /** The code from the SMS. */
  readonly validation_code?: string
  /** With `true`, one word is a whole name. Contract §4, Fields. */
  readonly one_surname?: boolean
}

/** Any value, because every field is checked. An editor completes the fields of the form. */
export type SubmittedForm = IdentificationBody | NonNullable<unknown> | null | undefined

/** Maps each wrong field to `invalid`, the only error there is. Interface §2.2. */
export type FieldErrors = { readonly [field: string]: 'invalid' }

/**
 * The rules by which the fields for an order are checked. `today`: the merchant's day,
 * `YYYY-MM-DD`.
 */
export type FormRules = Price & {
  readonly privacyField: string
  readonly country: string | null
  readonly optionalFields: readonly string[]
  readonly products: readonly string[]
  readonly today: string
  /** The products of the host's model. Default: `PRODUCTS`. */
  readonly catalogue?: Catalogue
}

/** The one-time code sent by SMS: exactly five digits. Interface §2.1, limit in §8. */
export const ValidationCode = textOf('five digits', /^[0-9]{5}$/u)
/** Only the shape of an agreement; `isOffered` checks the rest. Interface §2.1. */
const CreditAgreement = t.type({
  product: t.string,
  instalment_count: t.number,
})
const Accepted = t.literal(true)

// Where people have two surnames, a bank asks for both.
const TWO_SURNAMES = new Set(
  'ES MX CO PE CL EC VE BO PY UY CR PA NI HN SV GT CU DO PR GQ'.split(' '),
)

/** How many surnames a form must have. Without a country it is two, as interface §2.1 says. */
export const surnamesNeeded = ({
  country,
  optionalFields,
}: Pick<FormRules, 'country' | 'optionalFields'>): 1 | 2 =>
  !optionalFields.includes('surnames') && (country === null || TWO_SURNAMES.has(country)) ? 2 : 1

/** Any other value of `one_surname` counts as absent. */
const surnamesIn = (body: JsonObject, rules: FormRules): 1 | 2 =>
  body.one_surname === true ? 1 : surnamesNeeded(rules)

/**
 * The codec of the form for a merchant of this country without optional fields, for a shopper with
 * so many surnames. It checks each
 * field as `decodeIdentification` does, except for rules over several fields (a birth date, an
 * offered agreement). `validation_code` is described here, but checked only while the order asks
 * for it.
 */
export const identificationForm = (
  privacyField: string,
  country: 'ES' | null,
  surnames: 1 | 2 = 2,
) =>
  schemaName(
    `${country === 'ES' ? 'Spanish' : ''}IdentificationForm${surnames === 1 ? 'OfOneSurname' : ''}`,
    objectOf({
      ...Object.fromEntries(
        Object.entries(fieldRules({ country, surnames_needed: surnames })).map(([field, rule]) => [
          field,
          textOf(...rule),
        ]),
      ),
      [privacyField]: Accepted,
      ...(surnames === 1 && {
        one_surname: Accepted,
      }),
      credit_agreement: description(
        'The shopper’s choice. If absent or null: the order’s default product with its default plan.',
        optional(orNull(CreditAgreement)),
      ),
      validation_code: description(
        'The code from the SMS. It is checked only if a code is asked for.',
        optional(ValidationCode),
      ),
    }),
  )

/**
 * `null`: the shopper named none. `undefined`: the agreement is not offered, or has the wrong
 * shape.
 */
const agreementIn = (body: JsonObject, rules: FormRules): Agreement | null | undefined => {
  const value = body.credit_agreement
  if (value === undefined || value === null) return null
  if (!CreditAgreement.is(value)) return undefined
  const agreement = { product: value.product, instalmentCount: value.instalment_count }
  return isOffered(rules.products, rules, agreement, rules.catalogue ?? PRODUCTS)
    ? agreement
    : undefined
}

/**
 * The part of a submission that `decodeIdentification` reads. A host need not keep the rest in memory
 * while the submission waits for its order's turn.
 */
export const formFields = (privacyField: string) => {
  const names = [
    ...PERSON_FIELDS,
    privacyField,
    'credit_agreement',
    'validation_code',
    'one_surname',
  ]
  return (body: JsonObject): JsonObject =>
    Object.fromEntries(names.map((name) => [name, body[name]]))
}

/** The field as it is stored; undefined if it is wrong. */
const fieldIn = (
  value: unknown,
  field: PersonField,
  rule: TextRule,
  isOptional: boolean,
): string | undefined => {
  const typed = value ?? ''
  if (typeof typed !== 'string') return undefined
  const text = fieldAsSeen(field, typed)
  if (text === '' && isOptional) return ''
  if (!fitsRule(rule, text)) return undefined
  if (isTextField(field)) return withoutControls(typed)
  // A blank of another kind has always been sent as it was typed.
  return typed.replace(/\s/g, ' ') === text && fitsRule(rule, typed) ? typed : text
}

/**
 * Returns the identification, or all wrong fields. A wrong type, a missing field and a bad format
 * give the same error. If `input` is not an object, every field is missing.
 */
export const decodeIdentification = (
  input: unknown,
  rules: FormRules,
): E.Either<FieldErrors, Identification> => {
  const body: JsonObject = Object(input)
  const errors: Record<string, 'invalid'> = {}
  const fields = fieldRules({ country: rules.country, surnames_needed: surnamesIn(body, rules) })
  const person = {} as Record<PersonField, string>
  for (const field of PERSON_FIELDS) {
    const value = fieldIn(body[field], field, fields[field], rules.optionalFields.includes(field))
    if (value === undefined) errors[field] = 'invalid'
    else person[field] = value
  }
  for (const [field, isWrong] of Object.entries(wrongDateFields(person, rules.today)))
    if (isWrong) errors[field] = 'invalid'
  const accepted = body[rules.privacyField] ?? undefined
  if (
    !Accepted.is(accepted) &&
    !(accepted === undefined && rules.optionalFields.includes(rules.privacyField))
  )
    errors[rules.privacyField] = 'invalid'
  const agreement = agreementIn(body, rules)
  if (agreement === undefined) errors.credit_agreement = 'invalid'
  return agreement === undefined || Object.keys(errors).length > 0
    ? E.left(errors)
    : E.right({ person, agreement, validationCode: body.validation_code })
}
