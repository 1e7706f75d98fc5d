import fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { isSamePerson } from '../order/person.ts'
import { SHOPPER as person } from '../testing/harness/order-fixture.ts'
import {
  formRules,
  invalidIdentification,
  validIdentification,
  withUnseenMarks,
} from '../testing/identification-arbitraries.ts'
import { decodeIdentification, type FormRules, formFields } from './identification-form.ts'
import { PERSON_FIELDS } from './person-fields.ts'

const rules: FormRules = {
  privacyField: 'service_privacy_policy_accepted',
  country: 'ES',
  optionalFields: [],
  products: ['i1', 'pp3', 'sp1', 'fp1'],
  currency: 'EUR',
  total: 12100,
  today: '2026-05-15',
}
const abroad = { ...rules, country: null }

const body = {
  ...person,
  service_privacy_policy_accepted: true,
  credit_agreement: { product: 'pp3', instalment_count: 3 },
}

type FormBody = Readonly<Record<string, unknown>>

/** The fields reported as wrong when the members of `given` replace those of a valid body. */
const wrong = (overrides: FormBody, by: FormRules = rules): readonly string[] => {
  const decoded = decodeIdentification({ ...body, ...overrides }, by)
  if (E.isRight(decoded)) return []
  expect(new Set(Object.values(decoded.left))).toEqual(new Set(['invalid']))
  return Object.keys(decoded.left).sort()
}

const born = (year: string, month: string, day: string): FormBody => ({
  dob_day: day,
  dob_month: month,
  dob_year: year,
})

describe('an identification', () => {
  it('is accepted as typed if every field is valid', () => {
    expect(decodeIdentification(body, rules)).toEqual(
      E.right({
        person,
        agreement: { product: 'pp3', instalmentCount: 3 },
        validationCode: undefined,
      }),
    )
  })

  it('is validated only by the fields of the form', () => {
    const submitted = { ...body, nin: 7, other: { large: [] } }
    const fieldsOnly = formFields(rules.privacyField)(submitted)
    expect(fieldsOnly).toEqual({ ...body, nin: 7, validation_code: undefined })
    expect(decodeIdentification(fieldsOnly, rules)).toEqual(decodeIdentification(submitted, rules))
  })

  it('is always accepted if every field is valid', () => {
    fc.assert(
      fc.property(
        formRules.chain((by) => fc.tuple(fc.constant(by), validIdentification(by))),
        ([by, form]) => E.isRight(decodeIdentification(form, by)),
      ),
      { numRuns: 200 },
    )
  })

  it('is rejected with all invalid fields at once, and only those', () => {
    fc.assert(
      fc.property(
        formRules.chain((by) => fc.tuple(fc.constant(by), invalidIdentification(by))),
        ([by, { body: form, wrongFields }]) => {
          expect(decodeIdentification(form, by)).toEqual(
            E.left(Object.fromEntries(wrongFields.map((field) => [field, 'invalid']))),
          )
        },
      ),
      { numRuns: 300 },
    )
  })

  it.each([{}, null, JSON.parse(`{"__proto__":${JSON.stringify(body)}}`)])(
    'reports exactly the required fields for an empty body: %j',
    (input) => {
      const required = [...PERSON_FIELDS, 'service_privacy_policy_accepted']
      expect(decodeIdentification(input, rules)).toEqual(
        E.left(Object.fromEntries(required.map((field) => [field, 'invalid']))),
      )
    },
  )
})

it('one surname is whole with `one_surname: true`, which nothing else is', () => {
  const typed = { surnames: ' De\u200bla ' }
  for (const by of [rules, abroad]) {
    expect(wrong({ ...typed, one_surname: true }, by)).toEqual([])
    expect(wrong({ surnames: 'De la Cruz', one_surname: true }, by)).toEqual([])
    expect(wrong({ surnames: ' \u200b', one_surname: true }, by)).toEqual(['surnames'])
    for (const one_surname of [undefined, null, false, 'true', 1, {}])
      expect(wrong({ ...typed, one_surname }, by)).toEqual(['surnames'])
  }
  const fields = formFields(rules.privacyField)({ ...body, surnames: 'Sukarno', one_surname: true })
  expect(decodeIdentification(fields, rules)).toMatchObject(
    E.right({ person: { surnames: 'Sukarno' } }),
  )
})

it.each(PERSON_FIELDS)(
  '%s may be left out if it is optional for the merchant, and is then empty',
  (field) => {
    for (const value of [undefined, null, '', '\u200b'])
      expect(
        decodeIdentification({ ...body, [field]: value }, { ...rules, optionalFields: [field] }),
      ).toMatchObject(E.right({ person: { ...person, [field]: '' } }))
    expect(wrong({ [field]: '\u200b\u2060' })).toEqual([field])
  },
)

const markedBody = (form: FormBody): fc.Arbitrary<FormBody> =>
  fc
    .tuple(
      ...Object.entries(form).map(([field, value]) =>
        fc.tuple(
          fc.constant(field),
          typeof value === 'string' && field !== 'validation_code'
            ? withUnseenMarks(value)
            : fc.constant(value),
        ),
      ),
    )
    .map((entries) => Object.fromEntries(entries))

const inNumbers = ({ dob_day, dob_month, dob_year, mobile_phone, nin, postal_code }: FormBody) =>
  Object.values({ dob_day, dob_month, dob_year, mobile_phone, nin, postal_code })

describe('a text with marks that nobody sees', () => {
  it('is judged like the plain one, in every field', () => {
    const submission = formRules.chain((by) =>
      fc
        .oneof(
          validIdentification(by),
          invalidIdentification(by).map(({ body: form }) => form),
        )
        .chain((form) => fc.tuple(fc.constant(by), fc.constant(form), markedBody(form))),
    )
    fc.assert(
      fc.property(submission, ([by, form, marked]) => {
        const [plain, other] = [decodeIdentification(form, by), decodeIdentification(marked, by)]
        if (E.isLeft(plain) || E.isLeft(other)) expect(other).toEqual(plain)
        else {
          expect(inNumbers(other.right.person)).toEqual(inNumbers(plain.right.person))
          expect(isSamePerson(plain.right.person, other.right.person, by.country)).toBe(true)
        }
      }),
      { numRuns: 200 },
    )
  })

  it.each([
    ['mobile_phone', '\u202a+34 600 123 456\u202c', '+34 600 123 456'],
    ['mobile_phone', '600\u00a0123\u00a0456', '600\u00a0123\u00a0456'],
    ['nin', '12345678\u2011Z', '12345678-Z'],
    ['dob_year', '１９８０', '1980'],
    ['postal_code', '۲۸۰۱۳', '28013'],
    ['given_names', 'A\u200bna\u202e\u0000 María', 'A\u200bna María'],
    ['given_names', 'Jose\u0301', 'Jose\u0301'],
    ['surnames', 'Prueba\tEnsayo\u200f', 'Prueba Ensayo'],
    ['address', 'Calle\u2011Mayor 1\r\nB', 'Calle\u2011Mayor 1 B'],
  ])('in %s, %j is stored as %j', (field, typed, stored) => {
    expect(decodeIdentification({ ...body, [field]: typed }, rules)).toMatchObject(
      E.right({ person: { ...person, [field]: stored } }),
    )
  })

  it('has its length checked after normalization', () => {
    expect(wrong({ nin: 'ﬄ'.repeat(6) }, abroad)).toEqual([])
    expect(wrong({ nin: 'ﬄ'.repeat(7) }, abroad)).toEqual(['nin'])
    expect(wrong({ postal_code: '１'.repeat(10) }, abroad)).toEqual([])
  })
})

const TWO = 'ES MX CO PE CL EC VE BO PY UY CR PA NI HN SV GT CU DO PR GQ'.split(' ')
type SurnamesRow = readonly [
  country: string | null,
  optionalFields: readonly string[],
  accepted: readonly unknown[],
  refused: readonly unknown[],
]
const lone = ['Prueba', 'Prueba \u200b']
const both = ['Prueba Ensayo', 'De La Luca']
const none = ['', ' ', '\u200b', undefined]

it.each<SurnamesRow>([
  ...[null, ...TWO].map((country) => [country, [], both, [...lone, ...none]] as const),
  ...['IT', 'PT', 'US', 'BR', 'AR'].map(
    (country) => [country, [], [...lone, ...both], none] as const,
  ),
  ['ES', ['surnames'], [...lone, ...both, '', null], [5]],
])(
  'the surnames in %s, with the optional fields %j',
  (country, optionalFields, accepted, refused) => {
    const foreign = country === 'ES' ? {} : { nin: 'AB12345', postal_code: '1234' }
    const judge = (surnames: unknown) =>
      wrong({ ...foreign, surnames }, { ...rules, country, optionalFields })
    expect(accepted.flatMap(judge)).toEqual([])
    expect(refused.map(judge)).toEqual(refused.map(() => ['surnames']))
  },
)

it('a privacy field that is optional may be absent, and not false', () => {
  const by = { ...rules, optionalFields: [rules.privacyField] }
  const answers = [undefined, null, true, false].map((value) =>
    wrong({ [rules.privacyField]: value }, by),
  )
  expect(answers).toEqual([[], [], [], [rules.privacyField]])
})

describe('a birth date', () => {
  it.each([
    ['2026-05-15', ['2008', '05', '15'], []],
    ['2026-05-15', ['2008', '05', '16'], ['dob_year']],
    ['2026-05-15', ['1906', '01', '01'], []],
    ['2026-05-15', ['1905', '12', '31'], ['dob_year']],
    // Who was born on 29 February is adult on 1 March of a year without such a day.
    ['2026-02-28', ['2008', '02', '29'], ['dob_year']],
    ['2026-03-01', ['2008', '02', '29'], []],
    // A wrong part counts in favour of the others.
    ['2026-02-15', ['2008', '02', '31'], ['dob_day']],
    ['2026-01-05', ['2008', 'x', '20'], ['dob_month', 'dob_year']],
    ['2026-05-15', ['x', '02', '29'], ['dob_year']],
    ['2026-05-15', ['x', '02', '30'], ['dob_day', 'dob_year']],
    ['2026-05-15', ['1981', '02', '29'], ['dob_day']],
    ['2026-05-15', ['1980', '00', '15'], ['dob_month']],
    ['2026-05-15', ['1980', '1', '32'], ['dob_day', 'dob_month']],
    ['2026-05-15', ['2026', '13', '00'], ['dob_day', 'dob_month', 'dob_year']],
    ['2026-05-15', ['2008', '06', '1'], ['dob_day', 'dob_year']],
  ])('on %s, %j makes %j wrong', (today, [year = '', month = '', day = ''], fields) => {
    expect(wrong(born(year, month, day), { ...rules, today })).toEqual(fields)
  })

  it('without a year may be the 29th of February, and not the 30th', () => {
    const by = { ...rules, optionalFields: ['dob_year'] }
    const days = ['29', '30'].map((day) => wrong(born('', '02', day), by))
    expect(days).toEqual([[], ['dob_day']])
  })

  it('counts a missing day as the first of the month', () => {
    const by = { ...rules, optionalFields: ['dob_day'] }
    expect(wrong(born('2008', '05', ''), { ...by, today: '2026-04-30' })).toEqual(['dob_year'])
    expect(wrong(born('2008', '05', ''), { ...by, today: '2026-05-01' })).toEqual([])
  })

  it('agrees with the calendar on every day of a century', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1906, max: 2005 }),
        fc.integer({ min: 1, max: 12 }),
        fc.integer({ min: 1, max: 31 }),
        (year, month, day) => {
          const padNumber = (number: number): string => String(number).padStart(2, '0')
          const isReal = new Date(Date.UTC(year, month - 1, day)).getUTCDate() === day
          expect(wrong(born(String(year), padNumber(month), padNumber(day)))).toEqual(
            isReal ? [] : ['dob_day'],
          )
        },
      ),
    )
  })
})

type FieldRow = readonly [
  what: string,
  field: string,
  by: FormRules,
  accepted: string,
  refused: string,
]

const FIELD_ROWS: readonly FieldRow[] = [
  [
    'a plausible mobile phone, national or international, in Spain neither premium nor of a satellite',
    'mobile_phone',
    rules,
    '600123456|600 12 34 56|600-123-456|+34600123456|0034600123456|+34 (600) 123.456|+1/212/5550100|912345678|810123456|+33806123456|+978123456789|+884123456789|+871123456789|8811234567',
    '600123|+12345|0012345|1234567890123456|+34+600123456|600123456x|call me|+|00+34600123456|600123456 000000000|806123456|8 0.6 12 34 56|８０６１２３４５６|905123456|(90) 5123456|800123456|901123456|+34806123456|0034 905 123 456|(+34) 806-123-456|0 0/3 4 9 0 5 123456|+979123456789|00979123456789|+ 97-9 123456789|+881612345678|0 08-82 12345678|+883510012345|+(870)773123456',
  ],
  [
    'a plausible mobile phone, elsewhere premium only with the calling code of Spain',
    'mobile_phone',
    abroad,
    '806123456|905123456|+44806123456',
    '+34806123456|0034905123456|+979123456789|00881612345678',
  ],
  [
    'an identification number of Spain with the correct check letter',
    'nin',
    rules,
    '12345678Z|12345678z|12.345.678-Z|00000000T|X1234567L|y1234567x|Z1234567R|L1234567L|m1234567-l|K0000000T',
    '12345678A|12345678|1234567L|123456789Z|X12345678L|X1234567T|W1234567L|12345678Ñ|45878ſ|00000005ſ|12345678ZZ|12345678ZT|A12345678Z|112345678Z|X12345678Z|XX123456L',
  ],
  [
    'a foreign identification number of 5 to 20 letters and digits',
    'nin',
    abroad,
    '12345|ABCDE|12345678A|ab-123.45|Ñ1234|12345678901234567890',
    '1234|123456789012345678901|12_345|1-2-3-4|1234/5',
  ],
  [
    'a postal code of Spain with five digits',
    'postal_code',
    rules,
    '28013|00000| 28013 ',
    '2801|280130|2801A|28 013|SW1A 1AA',
  ],
  [
    'a foreign postal code of 3 to 10 letters, digits, spaces and hyphens',
    'postal_code',
    abroad,
    '101|1234-567|SW1A 1AA|1234567890|Ñ12| 101 ',
    '12|12345678901|28_13|28.013|---',
  ],
]

it.each(FIELD_ROWS)('a field accepts only %s', (_, field, by, accepted, refused) => {
  const isRefused = (value: string) => wrong({ [field]: value }, by).includes(field)
  expect(accepted.split('|').filter(isRefused)).toEqual([])
  expect(refused.split('|').filter(isRefused)).toEqual(refused.split('|'))
})

describe('a credit agreement', () => {
  it.each([undefined, null])('is absent if it is %j', (input) => {
    expect(decodeIdentification({ ...body, credit_agreement: input }, rules)).toMatchObject(
      E.right({ agreement: null }),
    )
  })

  it('is rejected if the amount does not fit', () => {
    expect(wrong({}, { ...rules, total: 99 })).toEqual(['credit_agreement'])
    expect(wrong({}, { ...rules, total: 1_000_001 })).toEqual(['credit_agreement'])
  })
})

it('a validation code is passed on without validation', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (code) => {
      expect(decodeIdentification({ ...body, validation_code: code }, rules)).toMatchObject(
        E.right({ validationCode: code }),
      )
    }),
  )
})
