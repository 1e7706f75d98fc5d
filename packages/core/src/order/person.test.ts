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
    { given_names: '  Ana \t María ' },
    { given_names: 'Ana\u00a0Mari\u0301a' },
    { nin: '12345678z' },
    { nin: ' 12.345.678-Z ' },
    { mobile_phone: '(600) 123.456' },
    { given_names: 'Ana\u200b Mar\u00adía\u200f' },
  ])('is recognized despite different spelling: %j', (input) => {
    expect(isAna(input)).toBe(true)
  })
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
  it.each(['', '9000', '900011', '90001\n', '٩٠٠٠١', 90_001])(
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
