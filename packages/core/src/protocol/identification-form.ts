// The frontend submits the shopper's identification; each field is checked here by itself.
// Interface §2.1, contract §4.
import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { type Agreement, isOffered, type Price } from './credit-product.ts'
import { description, schemaName } from './json-schema.ts'
import { NonEmptyText, objectOf, optional, orNull, textOf } from './scalars.ts'
import { isPrintableAscii, numberAsSeen, withoutControls, withoutUnseen } from './text-as-seen.ts'

/** The fields of a person, in the order of the form. */
export const PERSON_FIELDS = [
  'given_names',
  'surnames',
  'dob_day',
  'dob_month',
  'dob_year',
  'mobile_phone',
  'nin',
  'address',
  'postal_code',
  'city',
] as const
export type PersonField = (typeof PERSON_FIELDS)[number]

const TEXT_FIELDS: ReadonlySet<PersonField> = new Set([
  'given_names',
  'surnames',
  'address',
  'city',
])

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
}

export const Surnames = textOf('two surnames', '\\S\\s+\\S')
export const TwoDigits = textOf('two digits', '^[0-9]{2}$')
export const FourDigits = textOf('four digits', '^[0-9]{4}$')
export const MobilePhone = textOf(
  'a phone number of 7 to 15 digits, national or international',
  '^[\\s().\\/\\-]*(?:\\+[\\s().\\/\\-]*|(?:0[\\s().\\/\\-]*){2}|(?!0[\\s().\\/\\-]*0))(?:[0-9][\\s().\\/\\-]*){7,15}$',
)
export const Nin = textOf(
  '5 to 20 letters and digits',
  '^[\\s.\\-]*(?:[\\p{L}0-9][\\s.\\-]*){5,20}$',
)
export const SpanishNin = textOf(
  'a DNI, an NIE, or K, L or M with seven digits, with its check letter',
  '^[\\s.\\-]*(?:[K-MX-Zk-mx-z][\\s.\\-]*(?:[0-9][\\s.\\-]*){7}|(?:[0-9][\\s.\\-]*){8})[A-Za-z][\\s.\\-]*$',
  (value) => hasCheckLetter(value.replace(/[\s.-]/g, '')),
)
export const PostalCode = textOf(
  '3 to 10 letters, digits, spaces or hyphens',
  '^\\s*[\\p{L}0-9][\\p{L}0-9 \\-]{1,8}[\\p{L}0-9]\\s*$',
)
export const SpanishPostalCode = textOf('five digits', '^\\s*[0-9]{5}\\s*$')
/** The one-time code sent by SMS: exactly five digits. Interface §2.1, limit in §8. */
export const ValidationCode = textOf('five digits', '^[0-9]{5}$')
/** Only the shape of an agreement; `isOffered` checks the rest. Interface §2.1. */
const CreditAgreement = t.type({
  product: description('The product’s code.', t.string),
  instalment_count: description('One of the product’s numbers of instalments.', t.number),
})
const Accepted = t.literal(true)

// DNI: eight digits and a letter. NIE: X, Y or Z replaces a leading 0, 1 or 2. K, L and M are for
// people who have neither.
const hasCheckLetter = (text: string): boolean => {
  if (!/^([K-MX-Z]\d|\d{2})\d{6}[A-Z]$/i.test(text)) return false
  const nin = text.toUpperCase()
  const number = Number(
    nin.slice(0, -1).replace(/[K-MX-Z]/, (letter) => String(Math.max(0, 'XYZ'.indexOf(letter)))),
  )
  return nin.endsWith('TRWAGMYFPDXBNJZSQVHLCKE'.charAt(number % 23))
}

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

type FieldCodecs = { readonly [field in PersonField]: t.Type<string> }

const oneSurname: FieldCodecs = {
  given_names: NonEmptyText,
  surnames: NonEmptyText,
  dob_day: TwoDigits,
  dob_month: TwoDigits,
  dob_year: FourDigits,
  mobile_phone: MobilePhone,
  nin: Nin,
  address: NonEmptyText,
  postal_code: PostalCode,
  city: NonEmptyText,
}
const general = { 1: oneSurname, 2: { ...oneSurname, surnames: Surnames } }

const inSpain = { nin: SpanishNin, postal_code: SpanishPostalCode }
const spanish = { 1: { ...general[1], ...inSpain }, 2: { ...general[2], ...inSpain } }

/** The codec of each field, by the merchant's country. */
const fieldCodecs = (rules: Pick<FormRules, 'country' | 'optionalFields'>): FieldCodecs =>
  (rules.country === 'ES' ? spanish : general)[surnamesNeeded(rules)]

/**
 * The codec of the form for a merchant of this country without optional fields. It checks each
 * field as `decodeIdentification` does, except for rules over several fields (a birth date, an
 * offered agreement). `validation_code` is described here, but checked only while the order asks
 * for it.
 */
export const identificationForm = (privacyField: string, country: 'ES' | null) =>
  schemaName(
    country === 'ES' ? 'SpanishIdentificationForm' : 'IdentificationForm',
    objectOf({
      ...fieldCodecs({ country, optionalFields: [] }),
      [privacyField]: description('The privacy policy was accepted.', Accepted),
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

// `setUTCFullYear` also takes years below 100. Day 0 of a month is the last of the month before.
const daysIn = (month: number, year: number): number =>
  new Date(new Date(0).setUTCFullYear(year, month, 0)).getUTCDate()

const ADULT = 18
const OLDEST = 120

/** False for a minor, and for a year in which nobody who is alive was born. */
const isPlausibleBirth = (day: number, month: number, year: number, today: string): boolean => {
  const years = Number(today.slice(0, -6)) - year
  const hadBirthday =
    Number(today.slice(-5, -3)) * 100 + Number(today.slice(-2)) >= month * 100 + day
  return years - (hadBirthday ? 0 : 1) >= ADULT && years <= OLDEST
}

// Which parts of a birth date are well-formed, but wrong. Contract §4: if the shopper is under age,
// or the year is more than 120 years ago, the year is wrong; a month outside 01 to 12 is wrong
// itself; for any other impossible date the day is wrong. A missing or wrong part counts as the
// most favourable value: the 1st, January (31 days), a leap year.
const wrongDateFields = (day: string, month: string, year: string, today: string) => {
  const monthIsWrong = month !== '' && (Number(month) < 1 || Number(month) > 12)
  const likelyMonth = month === '' || monthIsWrong ? 1 : Number(month)
  const daysOfMonth = daysIn(likelyMonth, year === '' ? 1980 : Number(year))
  const dayIsWrong = day !== '' && (Number(day) < 1 || Number(day) > daysOfMonth)
  const likelyDay = day === '' || dayIsWrong ? 1 : Number(day)
  const yearIsWrong = year !== '' && !isPlausibleBirth(likelyDay, likelyMonth, Number(year), today)
  return { dob_day: dayIsWrong, dob_month: monthIsWrong, dob_year: yearIsWrong }
}

/**
 * `null`: the shopper named none. `undefined`: the agreement is not offered, or has the wrong
 * shape.
 */
const agreementIn = (
  body: Readonly<Record<string, unknown>>,
  rules: FormRules,
): Agreement | null | undefined => {
  const value = body.credit_agreement
  if (value === undefined || value === null) return null
  if (!CreditAgreement.is(value)) return undefined
  const agreement = { product: value.product, instalmentCount: value.instalment_count }
  return isOffered(rules.products, rules, agreement) ? agreement : undefined
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

// Only `credit_agreement` may be an object. In any other field an object is invalid, so an empty
// object can replace it.
const withoutObject = (value: unknown): unknown => (isObject(value) ? {} : value)

/**
 * The part of a submission that `decodeIdentification` reads. The rest may be large, and a host
 * need not keep it in memory while the submission waits for its order's turn.
 */
export const formFields = (privacyField: string) => {
  const names = [...PERSON_FIELDS, privacyField, 'validation_code']
  return (input: unknown): Readonly<Record<string, unknown>> => {
    const body: Readonly<Record<string, unknown>> = Object(input)
    const { credit_agreement: agreement } = body
    const fields: Record<string, unknown> = {
      credit_agreement: isObject(agreement)
        ? {
            product: withoutObject(agreement.product),
            instalment_count: withoutObject(agreement.instalment_count),
          }
        : agreement,
    }
    for (const name of names) fields[name] = withoutObject(body[name])
    return fields
  }
}

// A blank of another kind has always been sent as it was typed.
const numberToStore = (typed: string, number: string, codec: t.Type<string>): string =>
  codec.is(typed) && typed.replace(/\s/g, ' ') === number ? typed : number

/** The field as it is stored; undefined if it is wrong. */
const fieldIn = (
  value: unknown,
  field: PersonField,
  codec: t.Type<string>,
  isOptional: boolean,
): string | undefined => {
  const typed = value ?? ''
  if (typeof typed !== 'string') return undefined
  if (isPrintableAscii(typed))
    return (typed === '' && isOptional) || codec.is(typed) ? typed : undefined
  const isText = TEXT_FIELDS.has(field)
  const text = isText ? withoutUnseen(typed) : numberAsSeen(typed)
  if (text === '' && isOptional) return ''
  if (!codec.is(text)) return undefined
  return isText ? withoutControls(typed) : numberToStore(typed, text, codec)
}

/**
 * Returns the identification, or all wrong fields. A wrong type, a missing field and a bad format
 * give the same error. If `input` is not an object, every field is missing.
 */
export const decodeIdentification = (
  input: unknown,
  rules: FormRules,
): E.Either<FieldErrors, Identification> => {
  const body: Readonly<Record<string, unknown>> = Object(input)
  const errors: Record<string, 'invalid'> = {}
  const codecs = fieldCodecs(rules)
  const person = {} as Record<PersonField, string>
  for (const field of PERSON_FIELDS) {
    const value = fieldIn(body[field], field, codecs[field], rules.optionalFields.includes(field))
    if (value === undefined) errors[field] = 'invalid'
    else person[field] = value
  }
  const { dob_day: day = '', dob_month: month = '', dob_year: year = '' }: Partial<Person> = person
  for (const [field, isWrong] of Object.entries(wrongDateFields(day, month, year, rules.today)))
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
