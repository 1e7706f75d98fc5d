// Valid and invalid forms, with the result that interface §2.1 and contract §4 require. They share
// no rule with the codecs, so that an error in a codec is found: a check letter or an age is
// computed here from the law, not from the code.
import fc from 'fast-check'
import { CATALOGUE, type CreditProduct, catalogueOf, PRODUCTS } from '../protocol/credit-product.ts'
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
 * offers.
 */
export const validIdentification = (rules: FormRules): fc.Arbitrary<JsonObject> =>
  fc
    .record({
      person: validPerson(rules),
      accepted: optionalValue(rules, rules.privacyField, fc.constant(true)),
      agreement: fc.oneof(fc.constantFrom(undefined, null), validAgreement(rules)),
      code: fc.option(fc.jsonValue(), { nil: undefined }),
      unknown: fc.option(fc.jsonValue(), { nil: undefined }),
    })
    .map(({ person, accepted, agreement, code, unknown }) =>
      withoutUndefined({
        ...person,
        [rules.privacyField]: accepted,
        credit_agreement: agreement,
        validation_code: code,
        not_a_field: unknown,
      }),
    )

/**
 * A valid identification in which one or more fields are wrong: missing, of a wrong JSON type, or
 * badly formed.
 */
export const invalidIdentification = (rules: FormRules): fc.Arbitrary<WrongIdentification> =>
  fc
    .record({
      body: validIdentification(rules),
      wrongFields: fc.subarray([...PERSON_FIELDS, rules.privacyField, 'credit_agreement'], {
        minLength: 1,
      }),
    })
    .chain(({ body, wrongFields }) =>
      fc.tuple(...wrongFields.map((field) => wrongValue(rules, field))).map((values) => ({
        body: withoutUndefined({
          ...body,
          ...Object.fromEntries(wrongFields.map((field, index) => [field, values[index]])),
        }),
        wrongFields,
      })),
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

/** The rules for the fields of an order: any merchant of these products, with any fields optional. */
export const formRulesFor = (products: readonly CreditProduct[]): fc.Arbitrary<FormRules> =>
  fc.record({
    privacyField: fc.constantFrom(
      'service_privacy_policy_accepted',
      'plazo_privacy_policy_accepted',
    ),
    country: fc.constantFrom('ES', 'PT', 'MX', null),
    optionalFields: fc.oneof(
      { weight: 3, arbitrary: fc.constant([]) },
      { weight: 1, arbitrary: fc.subarray([...PERSON_FIELDS, 'service_privacy_policy_accepted']) },
    ),
    catalogue: fc.constant(catalogueOf(products)),
    products: fc.shuffledSubarray(
      products.map(({ code }) => code),
      { minLength: 1 },
    ),
    total: fc.integer({ min: 100, max: 1_000_000 }),
    currency: fc.constant('EUR'),
    today: moment.map((at) => new Date(at).toISOString().slice(0, 10)),
  })

/** The rules for the fields of an order of our products. */
export const formRules = formRulesFor(CATALOGUE)

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

const padNumber = (number: number, digits: number): string => String(number).padStart(digits, '0')

const CHECK_LETTERS = 'TRWAGMYFPDXBNJZSQVHLCKE'
const checkLetter = (number: number): string => CHECK_LETTERS.charAt(number % 23)

const textOf = (pattern: RegExp): fc.Arbitrary<string> => fc.stringMatching(pattern)

const isOptional = ({ optionalFields }: FormRules, field: string): boolean =>
  optionalFields.includes(field)

const optionalValue = (
  rules: FormRules,
  field: string,
  value: fc.Arbitrary<unknown>,
): fc.Arbitrary<unknown> =>
  isOptional(rules, field) ? fc.oneof(value, fc.constantFrom(undefined, null)) : value

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

const validValues = (rules: FormRules) => ({
  given_names: spacedText,
  surnames: fc
    .tuple(
      fc.array(word, { minLength: needsTwoSurnames(rules) ? 2 : 1, maxLength: 4 }),
      fc.constantFrom(' ', '  ', '\t', '\u00a0'),
    )
    .map(([words, blank]) => words.join(blank)),
  mobile_phone: fc.oneof(
    textOf(/^[1-9]\d{6,11}$/),
    textOf(/^(\+|00)[1-9]\d{8,11}$/),
    textOf(/^\+\d{2} \d{3} \d{3}-\d{3}$/),
  ),
  nin: rules.country === 'ES' ? spanishNin : textOf(/^[A-Za-z\d]{5,20}$/),
  address: spacedText,
  postal_code:
    rules.country === 'ES' ? textOf(/^\d{5}$/) : textOf(/^[A-Z\d][A-Z\d -]{1,8}[A-Z\d]$/),
  city: spacedText,
})

const validPerson = (rules: FormRules): fc.Arbitrary<JsonObject> =>
  fc
    .record({ ...validValues(rules), born: birthDate(rules.today) }, { noNullPrototype: true })
    .chain(({ born, ...rest }) => {
      const person: Readonly<Record<PersonField, string>> = {
        ...rest,
        dob_day: padNumber(born.getUTCDate(), 2),
        dob_month: padNumber(born.getUTCMonth() + 1, 2),
        dob_year: padNumber(born.getUTCFullYear(), 4),
      }
      return fc
        .tuple(
          ...PERSON_FIELDS.map((field) => optionalValue(rules, field, fc.constant(person[field]))),
        )
        .map((values) =>
          Object.fromEntries(PERSON_FIELDS.map((field, index) => [field, values[index]])),
        )
    })

const productsOf = ({ catalogue = PRODUCTS }: FormRules): readonly CreditProduct[] => [
  ...catalogue.values(),
]

const plans = (rules: FormRules) =>
  productsOf(rules)
    .filter(({ code }) => rules.products.includes(code))
    .flatMap(({ code, instalmentCounts }) =>
      instalmentCounts.map((count) => ({ product: code, instalment_count: count })),
    )

const validAgreement = (rules: FormRules): fc.Arbitrary<JsonObject> =>
  fc.constantFrom(...plans(rules))

// Each value is wrong by itself, independent of the other fields. Years are leap years, so that a
// 29 February stays valid.
const malformedValues = (
  rules: FormRules,
): { readonly [field in PersonField]: fc.Arbitrary<string> } => ({
  given_names: fc.constantFrom(' ', '\t\n', '\u00a0'),
  surnames: needsTwoSurnames(rules)
    ? fc.oneof(word, fc.constantFrom(' ', ' Prueba '))
    : fc.constantFrom(' ', '\t\n'),
  dob_day: fc.constantFrom(
    '00',
    '32',
    '99',
    '1',
    '001',
    ' 1',
    '1 ',
    '+1',
    '1.',
    '0x',
    '٣٢',
    '02\n',
  ),
  dob_month: fc.constantFrom('00', '13', '99', '1', '001', ' 1', '1 ', '-1', 'Jan', '١٣', '01\n'),
  dob_year: fc.oneof(
    fc.constantFrom('80', '980', '01980', '1980 ', '-980', 'MCMX', '1e03', '١٩٨', '1896', '0004'),
    fc
      .integer({ min: Number(rules.today.slice(0, 4)) - 17, max: 9999 })
      .filter(isLeap)
      .map(String),
  ),
  mobile_phone: fc.constantFrom(
    ' ',
    '600123',
    '+',
    '+12345',
    '0012345',
    '1234567890123456',
    '60012345x',
    '+34+600123456',
  ),
  nin:
    rules.country === 'ES'
      ? badSpanishNin
      : fc.constantFrom('1234', '123456789012345678901', '12345_Z', '12345678/Z', ' '),
  address: fc.constantFrom(' ', '\t\n', '\u00a0'),
  postal_code:
    rules.country === 'ES'
      ? fc.constantFrom('2801', '280130', '2801A', '28 13', '28-013', '٢٨٠١')
      : fc.constantFrom('12', '12345678901', '28_13', '28.013', '   '),
  city: fc.constantFrom(' ', '\t\n', '\u00a0'),
})

const isLeap = (year: number): boolean => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)

const badSpanishNin: fc.Arbitrary<string> = fc.oneof(
  fc
    .tuple(fc.nat(99_999_999), fc.integer({ min: 1, max: 22 }))
    .map(([number, off]) => `${padNumber(number, 8)}${checkLetter(number + off)}`),
  fc.constantFrom(
    '12345678',
    '1234567Z',
    '123456789Z',
    'Z12345678',
    'X1234567',
    'W1234567L',
    '12345678Ñ',
    'ABCDEFGHI',
  ),
)

const noText: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom(0, 1, 1980, true, false, [], {}, ['Ana'], { value: 'Ana' }),
  fc.jsonValue().filter((value) => value !== null && typeof value !== 'string'),
)

const nothing = fc.constantFrom<unknown>(undefined, null, '')

const isPersonField = (field: string): field is PersonField =>
  PERSON_FIELDS.some((name) => name === field)

const wrongValue = (rules: FormRules, field: string): fc.Arbitrary<unknown> => {
  if (field === 'credit_agreement') return wrongAgreement(rules)
  const missing = isOptional(rules, field) ? [] : [nothing]
  return isPersonField(field)
    ? fc.oneof(malformedValues(rules)[field], noText, ...missing)
    : fc.oneof(fc.constantFrom<unknown>(false, 'true', 1, 0, {}, [true]), ...missing)
}

const wrongAgreement = (rules: FormRules): fc.Arbitrary<unknown> => {
  const offered = plans(rules)
  const isOffered = (product: string, count: unknown): boolean =>
    offered.some((plan) => plan.product === product && plan.instalment_count === count)
  return fc.oneof(
    fc.constantFrom<unknown>(
      '',
      'i1',
      3,
      0,
      true,
      false,
      [],
      {},
      ['i1', 1],
      { product: 'i1' },
      { instalment_count: 1 },
    ),
    fc
      .constantFrom(...offered)
      .map((plan) => ({ ...plan, instalment_count: String(plan.instalment_count) })),
    fc.constantFrom(...offered).map((plan) => ({ ...plan, product: [plan.product] })),
    fc
      .record({
        product: fc.oneof(
          fc.constantFrom(...productsOf(rules).map(({ code }) => code), 'I1', '__proto__'),
          fc.string(),
        ),
        instalment_count: fc.oneof(
          fc.integer({ min: -1, max: 36 }),
          fc.double(),
          fc.constant(null),
        ),
      })
      .filter(({ product, instalment_count: count }) => !isOffered(product, count)),
  )
}
