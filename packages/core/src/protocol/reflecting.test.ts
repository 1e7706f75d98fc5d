// Tests how each codec is written as JSON Schema. json-schema.test.ts tests that both accept the same values.
import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { describe, expect, it } from 'vitest'
import { annotated, description, type JsonSchema, schemaName } from './annotation.ts'
import { reflector } from './json-schema.ts'
import { Count, WebUrl, WholeNumber } from './scalars.ts'

const DEFS = '#/$defs/'

const schemaWithDefs = (codec: t.Mixed): JsonSchema => {
  const { schemaOf, components } = reflector(DEFS)
  const schema = schemaOf(codec)
  return { ...schema, ...(Object.keys(components()).length > 0 && { $defs: components() }) }
}

describe('reflecting', () => {
  it('writes a named codec once, and what is said of one beside it', () => {
    const Money = schemaName('Money', t.strict({ value: WholeNumber }), 'An amount.')
    const { schemaOf, components } = reflector(DEFS)
    expect(schemaOf(t.type({ fee: Money, total: description('All of it.', Money) }))).toEqual({
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

  it('refuses a codec of which nothing is known, and two of one name', () => {
    const unknown = new t.Type('Mystery', t.string.is, t.string.validate, t.identity)
    expect(() => schemaWithDefs(t.type({ a: unknown }))).toThrow('The codec Mystery has no JSON Schema')
    expect(schemaWithDefs(t.type({ a: annotated(unknown, { schema: () => ({ type: 'string' }) }) }))).toBeTruthy()
    const { schemaOf: of } = reflector(DEFS)
    of(schemaName('Money', t.string))
    expect(() => of(schemaName('Money', t.number))).toThrow('Two codecs are called Money.')
  })

  it('says what a pattern wants beside what the member means', () => {
    expect(schemaWithDefs(description('Where it is.', WebUrl)).description).toBe(
      'Where it is. Must be an http or https URL.',
    )
    expect(schemaWithDefs(description('How many.', Count)).description).toBe('How many.')
  })

  it('leaves the codec that is annotated as it was', () => {
    const said = description('Words.', WholeNumber)
    expect(schemaWithDefs(WholeNumber)).not.toEqual(schemaWithDefs(said))
    expect([said.is(1), said.is('1'), said.decode(1)]).toEqual([true, false, E.right(1)])
  })

  const kind = (of: string) => t.type({ kind: t.literal(of), size: t.number })
  const alternatives = (...codecs: readonly t.Mixed[]): string =>
    Object.keys(schemaWithDefs(t.union(codecs as unknown as [t.Mixed, t.Mixed]))).filter((key) => key !== '$defs')[0] ??
    ''

  it('says that exactly one alternative holds where a constant tells them all apart', () => {
    expect(alternatives(kind('a'), kind('b'), kind('c'))).toBe('oneOf')
    expect(alternatives(schemaName('A', kind('a')), schemaName('B', kind('b')))).toBe('oneOf')
    expect(alternatives(kind('a'), kind('b'), kind('a'))).toBe('anyOf')
    expect(alternatives(kind('a'), t.type({ size: t.number }))).toBe('anyOf')
    expect(alternatives(t.string, t.number)).toBe('anyOf')
    const also = t.type({ kind: t.literal('a'), other: t.literal('x') })
    expect(alternatives(kind('a'), also)).toBe('anyOf')
  })

  it('says what must be there, if anything must', () => {
    expect(schemaWithDefs(t.partial({ a: t.string }))).toEqual({
      type: 'object',
      properties: { a: { type: 'string' } },
    })
    expect(schemaWithDefs(t.intersection([t.type({ a: t.string }), t.partial({ b: t.number })]))).toEqual({
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: 'number' } },
      required: ['a'],
    })
    expect(schemaWithDefs(t.intersection([t.partial({ b: t.number }), t.partial({ c: t.number })]))).toEqual({
      type: 'object',
      properties: { b: { type: 'number' }, c: { type: 'number' } },
    })
  })

  it('says of what is not all objects with members that all must hold', () => {
    const dictionary = t.record(t.string, t.number)
    expect(schemaWithDefs(t.intersection([dictionary, t.type({ a: t.number })]))).toEqual({
      allOf: [
        { type: 'object', additionalProperties: { type: 'number' } },
        { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] },
      ],
    })
  })

  it('lists what has a name by its name', () => {
    const { schemaOf: of, components } = reflector(DEFS)
    for (const name of ['B', 'C', 'A']) of(schemaName(name, t.string))
    expect(Object.keys(components())).toEqual(['A', 'B', 'C'])
  })
})
