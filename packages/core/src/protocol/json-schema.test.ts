// A codec and the JSON Schema derived from it must accept the same values. A real validator checks
// this.
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { describe, expect, it } from 'vitest'
import { spanishNin } from '../testing/identification-arbitraries.ts'
import { ValidationCode } from './identification-form.ts'
import { annotate, description, type JsonSchema, reflector, schemaName } from './json-schema.ts'
import { PageLimit } from './order-view.ts'
import { fieldRules } from './person-fields.ts'
import {
  absentOr,
  absentOrObject,
  Count,
  Currency,
  FlatStrings,
  listOf,
  MinorAmount,
  NonEmptyText,
  objectOf,
  PositiveMinorAmount,
  Text,
  textOf,
  WebUrl,
  WholeNumber,
} from './scalars.ts'

const BASE = '#/$defs/'

const schemaOf = (codec: t.Mixed): JsonSchema => {
  const { schemaOf, components } = reflector(BASE)
  const schema = schemaOf(codec)
  return { ...schema, ...(Object.keys(components()).length > 0 && { $defs: components() }) }
}

const validatorOf = (codec: t.Mixed): ((value: unknown) => boolean) => {
  const validate = new Ajv2020({ strict: true, allowUnionTypes: true }).compile(schemaOf(codec))
  return (value) => validate(value)
}

const NEARLY = [
  '',
  ' ',
  'a',
  '12',
  '1',
  '٠١',
  '12345',
  '12345\n',
  ' 28013 ',
  '28 013',
  'EUR',
  'eur',
  'EUR\n',
  '+34 600 123-456',
  '0012345',
  '1234567890123456',
  '600.12/34(5)',
  '+',
  '00',
  'X1234567L',
  'x-1234567 l',
  '12345678-Z',
  'ÑANDÚ12',
  '12_45',
  'A-1',
  'AB',
  'A B',
  'A\u00a0B',
  'http://a',
  'HTTPS://ñandú.example.test',
  'ftp://a',
  '//a',
]

const json = fc.oneof(
  fc.constantFrom<unknown>(...NEARLY),
  fc.constantFrom<unknown>(
    null,
    true,
    0,
    -1,
    1,
    1.5,
    2 ** 53,
    2 ** 53 - 1,
    -(2 ** 53),
    [],
    {},
    { a: 'b' },
    { a: 1 },
  ),
  fc.stringMatching(/^[0-9+ ().\-/XYZA-Cñ\n]{0,24}$/),
  fc.stringMatching(/^(\+|00?)?[ -]?[0-9 -]{5,18}$/),
  fc.stringMatching(/^[0-9]{1,4}$/),
  fc.stringMatching(/^[XYZ0-9][0-9 -]{6,9}[A-Z]$/),
  spanishNin,
  fc.jsonValue(),
)

const fieldCodecs = (country: string | null) =>
  Object.entries(fieldRules({ country, surnames_needed: 2 })).map(
    ([field, rule]) => [`${field} in ${country}`, textOf(...rule)] as const,
  )

describe('the schema of one of plazo’s codecs', () => {
  const exact = {
    Text,
    NonEmptyText,
    WholeNumber,
    Count,
    MinorAmount,
    PositiveMinorAmount,
    Currency,
    FlatStrings,
    ValidationCode,
    PageLimit,
    ...Object.fromEntries(
      [...fieldCodecs(null), ...fieldCodecs('ES')].filter(([name]) => name !== 'nin in ES'),
    ),
    'absentOr(Currency)': absentOr(Currency),
    'absentOrObject(…)': absentOrObject(objectOf({ a: Text, b: absentOr(Count) })),
    'objectOf(…)': objectOf({ a: Text, b: absentOr(Count) }),
    'listOf(…)': listOf('an array', objectOf({ a: MinorAmount })),
  }

  it.each(Object.entries(exact))('accepts exactly what %s accepts', (_name, codec) => {
    const isValid = validatorOf(codec)
    fc.assert(
      fc.property(json, (value) => {
        expect([value, isValid(value)]).toEqual([
          value,
          E.isRight((codec as t.Mixed).decode(value)),
        ])
      }),
      { numRuns: 2000 },
    )
  })

  // A pattern can express neither a check letter nor all rules of a URL.
  it.each([
    ['WebUrl', WebUrl] as const,
    ...fieldCodecs('ES').filter(([name]) => name === 'nin in ES'),
  ])('accepts everything that %s accepts', (_name, codec) => {
    const isValid = validatorOf(codec)
    fc.assert(
      fc.property(json, (value) => {
        if (codec.is(value)) expect([value, isValid(value)]).toEqual([value, true])
      }),
      { numRuns: 2000 },
    )
    for (const value of ['ftp://a', '', '12345678', null, 7]) expect(isValid(value)).toBe(false)
  })
})

describe('the reflection of a codec', () => {
  it('writes a named codec once, with its descriptions next to the reference', () => {
    const Money = schemaName('Money', t.strict({ value: WholeNumber }), 'An amount.')
    const { schemaOf: of, components } = reflector(BASE)
    expect(of(t.type({ fee: Money, total: description('All of it.', Money) }))).toEqual({
      type: 'object',
      properties: {
        fee: { $ref: '#/$defs/Money' },
        total: { $ref: '#/$defs/Money', description: 'All of it.' },
      },
      required: ['fee', 'total'],
    })
    expect(components()).toEqual({
      Money: {
        type: 'object',
        properties: {
          value: {
            type: 'integer',
            minimum: Number.MIN_SAFE_INTEGER,
            maximum: Number.MAX_SAFE_INTEGER,
            description: 'a whole number',
          },
        },
        required: ['value'],
        additionalProperties: false,
        description: 'An amount.',
      },
    })
  })

  it('rejects an unknown codec, and two codecs with the same name', () => {
    const unknown = new t.Type('Mystery', t.string.is, t.string.validate, t.identity)
    expect(() => schemaOf(t.type({ a: unknown }))).toThrow('The codec Mystery has no JSON Schema')
    expect(
      schemaOf(t.type({ a: annotate(unknown, { schema: () => ({ type: 'string' }) }) })),
    ).toBeTruthy()
    const { schemaOf: of } = reflector(BASE)
    of(schemaName('Money', t.string))
    expect(() => of(schemaName('Money', t.number))).toThrow('Two codecs are called Money.')
  })

  it('describes a pattern in addition to the meaning of the member', () => {
    expect(schemaOf(description('Where it is.', WebUrl)).description).toBe(
      'Where it is. Must be an http or https URL without spaces or backslashes.',
    )
    expect(schemaOf(description('How many.', Count)).description).toBe('How many.')
  })
})
