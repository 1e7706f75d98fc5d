import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Identification, Person } from '../protocol/identification-form.ts'
import {
  ANA,
  EVA,
  orderFixture,
  reachScreening,
  SHOPPER,
  SUBMISSION,
  submitPerson,
  TERMS,
} from '../testing/harness/order-fixture.ts'
import type { Order } from './order.ts'
import { comparableNin, isSamePerson, personKey, submissionEvent } from './person.ts'
import { accepts } from './step.ts'

const isAna = (overrides: Partial<Person>, country: string | null = null): boolean =>
  isSamePerson(SHOPPER, { ...SHOPPER, ...overrides }, country)

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
    { mobile_phone: '\u202a６００–123−456\u202c' },
    { nin: '12345678\u2011Z\u200b' },
    { given_names: 'Ana\u200b Mar\u00adía\u200f' },
    { surnames: '\ufeffPrueba Ensayo\ufe0d' },
    { dob_day: '٠٢' },
  ])('is recognized despite different spelling: %j', (input) => {
    expect(isAna(input)).toBe(true)
  })

  it('has one apostrophe in their name', () => {
    const [first, ...others] = [
      "O'Neil",
      'O’Neil',
      'OʼNeil',
      'O‘Neil',
      'O`Neil',
      'O´Neil',
      'O′Neil',
      'O＇Neil',
    ]
    const nameShopper = (surnames = '') => ({ ...SHOPPER, surnames })
    for (const other of others)
      expect([other, isSamePerson(nameShopper(first), nameShopper(other), null)]).toEqual([
        other,
        true,
      ])
  })

  it.each([
    ['ES', '600123456', ['+34600123456', '0034 600 123 456']],
    [
      'DE',
      '0151 23456789',
      ['+49 151 23456789', '0049 (0)151 23456789', '151 23456789', '+49 (0) 151-23456789'],
    ],
    ['GB', '07700 900123', ['+447700900123', '7700900123', '+44 (0)7700 900123']],
    ['HU', '06 20 123 4567', ['+36 20 123 4567', '20 123 4567']],
    ['US', '(212) 555-0100', ['+1 212 555 0100', '1-212-555-0100']],
    ['IT', '347 123 4567', ['+39 347 123 4567']],
  ])(
    'in %s has one phone: %s, with or without the calling code and the trunk prefix',
    (country, phone, others) => {
      for (const mobile_phone of others) {
        const [one, other] = [
          { ...SHOPPER, mobile_phone: phone },
          { ...SHOPPER, mobile_phone },
        ]
        expect([mobile_phone, isSamePerson(one, other, country)]).toEqual([mobile_phone, true])
      }
    },
  )
})

describe('the key of a person', () => {
  const keyOf = (person: Partial<Person>, country: string | null = 'ES'): string | null => {
    const order = submitPerson(orderFixture()).order()
    const merchant = { ...order.placed.merchant, country }
    return personKey({
      ...{ ...order, placed: { ...order.placed, merchant } },
      context: { ...order.context, person: { ...SHOPPER, ...person } },
    })
  }

  it('is one for all spellings of a phone and an ID number, in shops of all countries', () => {
    const key = keyOf({})
    expect(key).toMatch(/./)
    for (const mobile_phone of ['600 12-34 56', '+34600123456', '0034 600 123 456'])
      expect(keyOf({ mobile_phone, nin: ' 12.345.678-z ' })).toBe(key)
    expect(keyOf({ mobile_phone: '+34 600 123 456', given_names: 'Eva' }, 'DE')).toBe(key)
    expect(keyOf({ mobile_phone: '0034 600 123 456' }, null)).toBe(key)
  })

  it('is another for another phone or ID number', () => {
    const keys = [{}, { mobile_phone: '600123457' }, { nin: '12345679Z' }].map((each) =>
      keyOf(each),
    )
    expect(new Set(keys).size).toBe(3)
  })

  it('is null without a phone, an ID number or a person', () => {
    expect(keyOf({ mobile_phone: '' })).toBeNull()
    expect(keyOf({ nin: ' - ' })).toBeNull()
    expect(personKey(orderFixture().order())).toBeNull()
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
    expect(isAna(input, 'ES')).toBe(false)
  })

  it.each([
    [null, '+34600123456'],
    ['FR', '+34600123456'],
    ['FR', '0034600123456'],
    ['ES', '+33600123456'],
    ['ES', '34600123456'],
    ['ES', '0600123456'],
  ])('has, in a shop of %s, another phone: %s', (country, mobile_phone) => {
    expect(isAna({ mobile_phone }, country)).toBe(false)
  })
})

describe('the comparison of persons', () => {
  it('reads a number only once: what remains of it is not read again', () => {
    fc.assert(
      fc.property(fc.string(), (written) => {
        expect(comparableNin(comparableNin(written))).toBe(comparableNin(written))
      }),
    )
    expect(comparableNin('x-1234567/l')).toBe('X1234567L')
  })
})

const newOrder = () => orderFixture().order()
const askForCode = () => submitPerson(orderFixture()).order()
const startScreening = () => reachScreening(orderFixture()).order()

const form = (overrides: Partial<Identification>): Identification =>
  ({ person: ANA, agreement: null, validationCode: null, ...overrides }) as Identification

const eventOf = (order: Order, submitted: Identification) =>
  submissionEvent(order, submitted, (event) =>
    accepts(TERMS)(order, event, order.context.updatedAt),
  )

describe('a submission', () => {
  it('by the first shopper, or the same shopper again, is a submission', () => {
    expect(eventOf(newOrder(), form({}))).toEqual(SUBMISSION)
    const nearly = { ...ANA, nin: '12345678z', mobile_phone: '600123456' }
    expect(eventOf(askForCode(), form({ person: nearly }))).toMatchObject({
      type: 'person.submitted',
      person: nearly,
    })
  })
  it('by somebody else changes the person, even with a code', () => {
    expect(eventOf(askForCode(), form({ person: EVA, validationCode: '90001' }))).toEqual({
      type: 'person.changed',
      person: EVA,
      agreement: null,
    })
  })
  it('with a code verifies the code only if one is required', () => {
    expect(eventOf(askForCode(), form({ validationCode: '90001' }))).toEqual({
      type: 'code.submitted',
      person: ANA,
      agreement: null,
      code: '90001',
    })
    for (const order of [newOrder(), startScreening()])
      expect(eventOf(order, form({ validationCode: '90001' })).type).toBe('person.submitted')
  })
})

describe('a code of another form than five digits', () => {
  it.each(['', '9000', '900011', '9000a', ' 90001', '90001\n', '٩٠٠٠١', 90_001])(
    'is wrong, and no try: %j',
    (validationCode) => {
      const fixture = submitPerson(orderFixture())
      const before = fixture.order()
      const event = eventOf(before, form({ validationCode }))
      expect(event.type).toBe('code.submitted')
      expect(fixture.send(event).order).toBe(before)
    },
  )
  it.each([undefined, null])('is none: %j', (validationCode) => {
    expect(eventOf(askForCode(), form({ validationCode })).type).toBe('person.submitted')
  })
})
