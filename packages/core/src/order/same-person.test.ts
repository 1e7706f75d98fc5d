import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { PERSON_FIELDS, type Person, type PersonField } from '../protocol/identification-form.ts'
import { comparableNin, comparablePhone, isSamePerson } from './same-person.ts'

const ana: Person = {
  given_names: 'Ana María',
  surnames: 'Prueba Ensayo',
  dob_day: '02',
  dob_month: '01',
  dob_year: '1980',
  mobile_phone: '600123456',
  nin: '12345678Z',
  address: 'Calle Mayor 1',
  postal_code: '28013',
  city: 'Madrid',
}

const isAna = (given: Partial<Person>): boolean => isSamePerson(ana, { ...ana, ...given })

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
  ])('is told through spelling: %j', (given) => {
    expect(isAna(given)).toBe(true)
  })

  it('is told at once, however many marks stand on one letter of the name', () => {
    const marked = (marks: string) => ({ ...ana, given_names: `Ana${marks}` })
    const [above, below] = ['\u0301'.repeat(16), '\u0316'.repeat(16)]
    expect(isSamePerson(marked(above + below), marked(above + below))).toBe(true)
    // Recognising these as equal would require comparing each mark with all the others.
    expect(isSamePerson(marked(above + below), marked(below + above))).toBe(false)
  })

  it('may live elsewhere now', () => {
    expect(isAna({ address: 'Rúa Nova 2', postal_code: '15705', city: 'Santiago' })).toBe(true)
  })

  it('has one phone, however its international prefix is written', () => {
    const abroad = { ...ana, mobile_phone: '+34 600 123 456' }
    expect(isSamePerson(abroad, { ...ana, mobile_phone: '0034600123456' })).toBe(true)
    expect(isSamePerson(abroad, { ...ana, mobile_phone: ' 00 34 600-123-456' })).toBe(true)
    expect(isSamePerson(abroad, { ...ana, mobile_phone: '+34 600 123 457' })).toBe(false)
  })
})

describe('another person', () => {
  it.each<Partial<Person>>([
    { given_names: 'Ana Maria' },
    { given_names: 'AnaMaría' },
    { given_names: 'Ana' },
    { surnames: 'Ensayo Prueba' },
    { dob_day: '03' },
    { dob_month: '02' },
    { dob_year: '1981' },
    { mobile_phone: '600123457' },
    { mobile_phone: '+600123456' },
    { nin: '00000000T' },
    { nin: '' },
  ])('differs in one field that was checked: %j', (given) => {
    expect(isAna(given)).toBe(false)
  })

  it('is anyone who differs in a checked field, and in no other', () => {
    const unchecked: readonly PersonField[] = ['address', 'postal_code', 'city']
    for (const field of PERSON_FIELDS) expect(isAna({ [field]: '99' })).toBe(unchecked.includes(field))
  })
})

describe('sameness', () => {
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

  it('compares what is left of a number after one reading, which a second does not change', () => {
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
