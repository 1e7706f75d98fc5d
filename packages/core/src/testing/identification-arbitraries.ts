// Valid and invalid forms, with the result that interface §2.1 and contract §4 require. They share
// no rule with the codecs, so that an error in a codec is found: a check letter or an age is
// computed here from the law, not from the code.
import fc from 'fast-check'
import { CATALOGUE } from '../protocol/credit-product.ts'
import type { FormRules } from '../protocol/identification-form.ts'
import { PERSON_FIELDS, type PersonField } from '../protocol/person-fields.ts'

/** A JSON object as `JSON.parse` returns it. */
export type JsonObject = { readonly [member: string]: unknown }

/** A body that must be refused, and exactly the fields that must be named. */
export type WrongIdentification = {
  readonly body: JsonObject
  readonly wrongFields: readonly string[]
}

/**
 * A person who accepts the privacy policy, in some cases with an agreement that the merchant
 * offers. Optional fields may be missing.
 */
export const validIdentification = (rules: FormRules): fc.Arbitrary<JsonObject> =>
  fc
    .record({
      person: validPerson(rules),
      agreement: fc.constantFrom(undefined, null, ...plans(rules)),
      extra: fc.option(fc.jsonValue(), { nil: undefined }),
      left: fc.subarray([...rules.optionalFields]),
      empty: fc.constantFrom(undefined, null),
    })
    .map(({ person, agreement, extra, left, empty }) =>
      withoutUndefined({
        ...person,
        [rules.privacyField]: true,
        credit_agreement: agreement,
        validation_code: extra,
        not_a_field: extra,
        ...withEach(left, () => empty),
      }),
    )

/**
 * A valid identification in which one or more fields are wrong: missing, of a wrong JSON type, or
 * badly formed.
 */
export const invalidIdentification = (rules: FormRules): fc.Arbitrary<WrongIdentification> =>
  fc
    .subarray([...PERSON_FIELDS, rules.privacyField, 'credit_agreement'], { minLength: 1 })
    .chain((wrongFields) =>
      fc
        .tuple(
          validIdentification(rules),
          fc.record(withEach(wrongFields, (field) => wrongValue(rules, field))),
        )
        .map(([body, wrong]) => ({ body: withoutUndefined({ ...body, ...wrong }), wrongFields })),
    )

// Zero width, soft hyphen, direction, isolates, variation selectors, fillers, tags, byte order,
// control characters.
const UNSEEN =
  '\u200b\u200c\u200d\u200e\u200f\u00ad\u034f\u061c\u115f\u180e\u202a\u202b\u202c\u202d\u202e\u2060\u2061\u2066\u2067\u2068\u2069\u206f\u2800\u3164\ufe00\ufe0d\ufe0f\ufeff\uffa0\ufff9\u{e0020}\u{e0100}\u0000\u0007\u007f'

/** The text with marks in it that nobody sees, anywhere but inside a letter. */
export const withUnseenMarks = (text: string): fc.Arbitrary<string> =>
  fc
    .array(fc.tuple(fc.nat(text.length), fc.constantFrom(...UNSEEN)), {
      minLength: 1,
      maxLength: 40,
    })
    .map((marks) =>
      marks.reduce((marked, [place, mark]) => insertBetweenLetters(marked, place, mark), text),
    )

const insertBetweenLetters = (text: string, place: number, mark: string): string => {
  const letters = [...text]
  return [...letters.slice(0, place), mark, ...letters.slice(place)].join('')
}

/** A moment from 2020 to 2040, in epoch milliseconds. */
export const moment: fc.Arbitrary<number> = fc.integer({
  min: Date.UTC(2020, 0),
  max: Date.UTC(2040, 0),
})

/** The rules for the fields of an order: any merchant of our products, with any fields optional. */
export const formRules: fc.Arbitrary<FormRules> = fc.record({
  privacyField: fc.constantFrom('service_privacy_policy_accepted', 'plazo_privacy_policy_accepted'),
  country: fc.constantFrom('ES', 'PT', 'MX', null),
  optionalFields: fc.oneof(
    { weight: 3, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.subarray([...PERSON_FIELDS, 'service_privacy_policy_accepted']) },
  ),
  products: fc.shuffledSubarray(
    CATALOGUE.map(({ code }) => code),
    { minLength: 1 },
  ),
  total: fc.integer({ min: 100, max: 1_000_000 }),
  currency: fc.constant('EUR'),
  today: moment.map((at) => new Date(at).toISOString().slice(0, 10)),
})

/**
 * A DNI, an NIE, or a number with K, L or M, with its check letter, in either case, with or without
 * separators.
 */
export const spanishNin: fc.Arbitrary<string> = fc
  .record({
    prefix: fc.constantFrom('', 'X', 'Y', 'Z', 'K', 'L', 'M'),
    number: fc.nat(99_999_999),
    separator: fc.constantFrom('', '-', ' '),
    isLower: fc.boolean(),
  })
  .map(({ prefix, number, separator, isLower }) => {
    const digits = prefix === '' ? padNumber(number, 8) : padNumber(number % 10_000_000, 7)
    const letter = checkLetter(
      Number(`${prefix === 'Y' ? '1' : prefix === 'Z' ? '2' : ''}${digits}`),
    )
    const nin = `${prefix}${digits}${separator}${letter}`
    return isLower ? nin.toLowerCase() : nin
  })

const withoutUndefined = (object: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined))

const withEach = <A>(
  fields: readonly string[],
  choose: (field: string) => A,
): { readonly [field: string]: A } =>
  Object.fromEntries(fields.map((field) => [field, choose(field)]))

const padNumber = (number: number, digits: number): string => String(number).padStart(digits, '0')

const CHECK_LETTERS = 'TRWAGMYFPDXBNJZSQVHLCKE'
const checkLetter = (number: number): string => CHECK_LETTERS.charAt(number % 23)

// Calendar days from the year 120 years ago to the one on which the shopper turns eighteen. A
// person born on 29 February turns eighteen on 1 March, so 28 February replaces the leap day.
const birthDate = (today: string): fc.Arbitrary<Date> => {
  const [year = 0, month = 0, day = 0] = today.split('-').map(Number)
  return fc.date({
    min: new Date(Date.UTC(year - 120, 0)),
    max: new Date(Date.UTC(year - 18, month - 1, month === 2 ? Math.min(day, 28) : day)),
    noInvalidDate: true,
  })
}

const spacedText = fc
  .string({ minLength: 1, unit: 'grapheme' })
  .filter((value) => value.trim() !== '')
const word = fc.string({ minLength: 1, unit: 'grapheme' }).filter((value) => !/\s/u.test(value))

// Interface §2.1 and contract §4: without a country, and in Spain and Latin America. Portugal has
// no such rule.
const needsTwoSurnames = ({ country, optionalFields }: FormRules): boolean =>
  country !== 'PT' && !optionalFields.includes('surnames')

const isPremiumOrSatellite = (phone: string, country: string | null): boolean => {
  const digits = phone.replace(/[ -]/g, '').replace(/^00/, '+')
  return /^\+(870|88[123]|979|34[89]0)/.test(digits) || (country === 'ES' && /^[89]0/.test(digits))
}

const validPerson = (rules: FormRules): fc.Arbitrary<Readonly<Record<PersonField, string>>> =>
  fc
    .record(
      {
        given_names: spacedText,
        surnames: fc
          .array(word, { minLength: needsTwoSurnames(rules) ? 2 : 1, maxLength: 4 })
          .chain((words) => fc.constantFrom(words.join(' '), words.join('\t\u00a0'))),
        mobile_phone: fc
          .stringMatching(/^([1-9]\d{6,11}|(\+|00)[1-9]\d{8,11}|\+\d{2} \d{3} \d{3}-\d{3})$/)
          .filter((phone) => !isPremiumOrSatellite(phone, rules.country)),
        nin: rules.country === 'ES' ? spanishNin : fc.stringMatching(/^[A-Za-z\d]{5,20}$/),
        address: spacedText,
        postal_code: fc.stringMatching(
          rules.country === 'ES' ? /^\d{5}$/ : /^[A-Z\d][A-Z\d -]{1,8}[A-Z\d]$/,
        ),
        city: spacedText,
        born: birthDate(rules.today),
      },
      { noNullPrototype: true },
    )
    .map(({ born, ...rest }) => ({
      ...rest,
      dob_day: padNumber(born.getUTCDate(), 2),
      dob_month: padNumber(born.getUTCMonth() + 1, 2),
      dob_year: padNumber(born.getUTCFullYear(), 4),
    }))

const plans = ({ products }: FormRules) =>
  CATALOGUE.filter(({ code }) => products.includes(code)).flatMap(({ code, instalmentCounts }) =>
    instalmentCounts.map((count) => ({ product: code, instalment_count: count })),
  )

const BLANK = [' ', '\t\n', '\u00a0']

// Each value is wrong by itself, independent of the other fields. Years are leap years, so that a
// 29 February stays valid.
const malformedValues = (
  rules: FormRules,
): { readonly [field in PersonField]: readonly string[] } => ({
  given_names: BLANK,
  surnames: needsTwoSurnames(rules) ? ['Ana', ' Prueba ', ' '] : BLANK,
  dob_day: ['00', '32', '1', '001', '+1', '٣٢', '02\n'],
  dob_month: ['00', '13', '1', 'Jan', '١٣', '01\n'],
  dob_year: [
    ...['80', '01980', '1980 ', '1e03', '1896', '9996'],
    String(4 * Math.ceil((Number(rules.today.slice(0, 4)) - 17) / 4)),
  ],
  mobile_phone: [
    ...[' ', '600123', '+', '0012345', '1234567890123456', '60012345x', '00870123456789'],
    rules.country === 'ES' ? '806-123456' : '+34905123456',
  ],
  nin:
    rules.country === 'ES'
      ? ['12345678', '12345678A', '123456789Z', 'X1234567', 'W1234567L', '12345678Ñ']
      : ['1234', '123456789012345678901', '12345_Z', '12345678/Z', ' '],
  address: BLANK,
  postal_code:
    rules.country === 'ES'
      ? ['2801', '280130', '2801A', '28 13', '٢٨٠١']
      : ['12', '12345678901', '28_13', '   '],
  city: BLANK,
})

const noText = fc.jsonValue().filter((value) => value !== null && typeof value !== 'string')

const isPersonField = (field: string): field is PersonField =>
  PERSON_FIELDS.some((name) => name === field)

const wrongValue = (rules: FormRules, field: string): fc.Arbitrary<unknown> => {
  if (field === 'credit_agreement') return wrongAgreement(rules)
  const missing = rules.optionalFields.includes(field) ? [] : [undefined, null, '']
  return isPersonField(field)
    ? fc.oneof(fc.constantFrom(...malformedValues(rules)[field], ...missing), noText)
    : fc.constantFrom<unknown>(false, 'true', 1, 0, {}, [true], ...missing)
}

const wrongAgreement = (rules: FormRules): fc.Arbitrary<unknown> => {
  const offered = plans(rules)
  const [plan] = offered
  return fc.oneof(
    fc.constantFrom<unknown>('', 'i1', 3, [], {}, ['i1', 1], { product: 'i1' }, plan?.product),
    fc.constant({ ...plan, instalment_count: String(plan?.instalment_count) }),
    fc.constant({ ...plan, product: [plan?.product] }),
    fc
      .record({
        product: fc.constantFrom(...offered.map(({ product }) => product), 'I1', '__proto__'),
        instalment_count: fc.oneof(fc.integer({ min: -1, max: 36 }), fc.double()),
      })
      .filter((wrong) => !offered.some((each) => JSON.stringify(each) === JSON.stringify(wrong))),
  )
}
