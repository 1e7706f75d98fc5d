import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Identification, PERSON_FIELDS, type Person, type PersonField } from '../protocol/identification-form.ts'
import {
  ANA,
  EVA,
  orderFixture,
  reachScreening,
  SHOPPER,
  SUBMISSION,
  submitPerson,
} from '../testing/harness/order-fixture.ts'
import {
  comparableNin,
  comparablePhone,
  isMalformedCode,
  isSamePerson,
  normalizeText,
  submissionEvent,
} from './person.ts'

const isAna = (overrides: Partial<Person>): boolean => isSamePerson(SHOPPER, { ...SHOPPER, ...overrides })

const anyone: fc.Arbitrary<Person> = fc.record({
  given_names: fc.constantFrom('Ana', 'ANA', ' ana', 'José', 'Jose\u0301', 'Jose'),
  surnames: fc.constantFrom('Prueba Ensayo', 'prueba  ensayo', 'Ensayo Prueba'),
  dob_day: fc.constantFrom('02', '03'),
  dob_month: fc.constantFrom('01', '02'),
  dob_year: fc.constantFrom('1980', '1981'),
  mobile_phone: fc.constantFrom('+34600123456', '0034 600 123 456', '600123456', '600-123-456'),
  nin: fc.constantFrom('12345678Z', '12345678-z', '00000000T'),
  address: fc.string(),
  postal_code: fc.string(),
  city: fc.string(),
})

describe('the same person', () => {
  it.each<Partial<Person>>([
    { given_names: 'ana maría' },
    { given_names: 'ANA MARÍA' },
    { given_names: '  Ana \t María ' },
    { given_names: 'Ana\u00a0Mari\u0301a' },
    { surnames: 'PRUEBA   ENSAYO' },
    { nin: '12345678z' },
    { nin: ' 12.345.678-Z ' },
    { mobile_phone: '600 12-34 56' },
    { mobile_phone: '(600) 123.456' },
  ])('is recognized despite different spelling: %j', (input) => {
    expect(isAna(input)).toBe(true)
  })

  it('is recognized quickly, regardless of how many marks one letter of the name has', () => {
    const shopperWithMarks = (marks: string) => ({ ...SHOPPER, given_names: `Ana${marks}` })
    const [above, below] = ['\u0301'.repeat(16), '\u0316'.repeat(16)]
    expect(isSamePerson(shopperWithMarks(above + below), shopperWithMarks(above + below))).toBe(true)
    // Recognising these as equal would require comparing each mark with all the others.
    expect(isSamePerson(shopperWithMarks(above + below), shopperWithMarks(below + above))).toBe(false)
  })

  it('may have a new address', () => {
    expect(isAna({ address: 'Rúa Nova 2', postal_code: '15705', city: 'Santiago' })).toBe(true)
  })

  it('has one phone, regardless of how its international prefix is written', () => {
    const abroad = { ...SHOPPER, mobile_phone: '+34 600 123 456' }
    expect(isSamePerson(abroad, { ...SHOPPER, mobile_phone: '0034600123456' })).toBe(true)
    expect(isSamePerson(abroad, { ...SHOPPER, mobile_phone: ' 00 34 600-123-456' })).toBe(true)
    expect(isSamePerson(abroad, { ...SHOPPER, mobile_phone: '+34 600 123 457' })).toBe(false)
  })
})

describe('another person', () => {
  it.each<Partial<Person>>([
    { given_names: 'Ana Maria' },
    { given_names: 'AnaMaría' },
    { given_names: 'Ana' },
    { surnames: 'Ensayo Prueba' },
    { mobile_phone: '600123457' },
    { mobile_phone: '+600123456' },
    { nin: '' },
  ])('differs in one checked field: %j', (input) => {
    expect(isAna(input)).toBe(false)
  })

  it('is anyone who differs in a checked field, and nobody else', () => {
    const unchecked: readonly PersonField[] = ['address', 'postal_code', 'city']
    for (const field of PERSON_FIELDS) expect(isAna({ [field]: '99' })).toBe(unchecked.includes(field))
  })
})

describe('the comparison of persons', () => {
  it('is an equivalence', () => {
    fc.assert(
      fc.property(anyone, anyone, anyone, (a, b, c) => {
        expect(isSamePerson(a, a)).toBe(true)
        expect(isSamePerson(a, b)).toBe(isSamePerson(b, a))
        if (isSamePerson(a, b)) expect(isSamePerson(a, c)).toBe(isSamePerson(b, c))
      }),
      { numRuns: 1000 },
    )
  })

  it('reads a number only once: what remains of it is not read again', () => {
    fc.assert(
      fc.property(fc.string(), (written) => {
        expect(comparableNin(comparableNin(written))).toBe(comparableNin(written))
      }),
    )
    expect(comparableNin('x-1234567/l')).toBe('X1234567L')
    expect(comparablePhone('0034 600')).toBe('+34600')
    expect(comparablePhone('+34 (600)')).toBe('+34600')
  })
})

const newOrder = () => orderFixture().order()
const askForCode = () => submitPerson(orderFixture()).order()
const startScreening = () => reachScreening(orderFixture()).order()

const form = (overrides: Partial<Identification>): Identification =>
  ({ person: ANA, agreement: null, validationCode: null, ...overrides }) as Identification

describe('a submission', () => {
  it('by the first shopper, or the same shopper again, is a submission', () => {
    expect(submissionEvent(newOrder(), form({}))).toEqual(SUBMISSION)
    const nearly = { ...ANA, nin: '12345678z', mobile_phone: '600123456' }
    expect(submissionEvent(askForCode(), form({ person: nearly }))).toMatchObject({
      type: 'person.submitted',
      person: nearly,
    })
  })
  it('by somebody else changes the person, even with a code', () => {
    expect(submissionEvent(askForCode(), form({ person: EVA, validationCode: '90001' }))).toEqual({
      type: 'person.changed',
      person: EVA,
      agreement: null,
    })
  })
  it('with a code verifies the code only if one is required', () => {
    expect(submissionEvent(askForCode(), form({ validationCode: '90001' }))).toEqual({
      type: 'code.submitted',
      person: ANA,
      agreement: null,
      code: '90001',
    })
    for (const order of [newOrder(), startScreening()])
      expect(submissionEvent(order, form({ validationCode: '90001' })).type).toBe('person.submitted')
    expect(submissionEvent(askForCode(), form({ validationCode: '9000' })).type).toBe('person.submitted')
  })
})

describe('a code is malformed', () => {
  it.each(['', '9000', '900011', '9000a', ' 90001', '90001\n', '٩٠٠٠١', 90_001])('if it is %j', (validationCode) => {
    expect(isMalformedCode(askForCode(), form({ validationCode }))).toBe(true)
  })
  it.each([undefined, null, '90001', '00000'])('but not if it is %j', (validationCode) => {
    expect(isMalformedCode(askForCode(), form({ validationCode }))).toBe(false)
  })
  it('only if a code is required, and only from the shopper who must enter it', () => {
    for (const order of [newOrder(), startScreening()])
      expect(isMalformedCode(order, form({ validationCode: '1' }))).toBe(false)
    expect(isMalformedCode(askForCode(), form({ validationCode: '1', person: EVA }))).toBe(false)
    const nobody = { ...askForCode(), context: { ...askForCode().context, person: null } }
    expect(isMalformedCode(nobody, form({ validationCode: '1' }))).toBe(false)
  })
})

it('a text is the same regardless of Unicode composition, with up to thirty marks on one letter', () => {
  expect(normalizeText('Marti\u0301nez Nun\u0303ez')).toBe('Martínez Nuñez')
  expect(normalizeText(`a${'\u0301\u0316'.repeat(15)}`)).toBe(normalizeText(`a${'\u0316\u0301'.repeat(15)}`))
  expect(normalizeText('a\u0301'.repeat(1_000))).toBe('á'.repeat(1_000))
})

it('a text with more marks on one letter than any script uses is not normalized', () => {
  const endless = `a${'\u0301'.repeat(16)}${'\u0316'.repeat(15)}`
  expect(normalizeText(endless)).toBe(endless)
  expect(normalizeText(`ó${endless}`)).toBe(`ó${endless}`)
})
