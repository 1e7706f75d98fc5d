// Derives arbitraries from the JSON Schema of any codec: valid values, and values with one wrong
// member, which is named. For rules over several members (a birth date, items that add up) the
// other arbitraries are more exact.
import fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import type * as t from 'io-ts'
import { type JsonSchema, reflector } from '../protocol/json-schema.ts'
import { isJsonObject } from '../protocol/scalars.ts'

/**
 * A value that must be refused, and the path of its one wrong member, such as
 * `order.cart.currency`.
 */
export type NearMiss = { readonly value: unknown; readonly wrong: string }

type Schemas = Readonly<Record<string, JsonSchema>>

const BASE = '#/'

const schemasOf = (codec: t.Mixed): readonly [JsonSchema, Schemas] => {
  const { schemaOf, components } = reflector(BASE)
  const schema = schemaOf(codec)
  return [schema, components()]
}

const acceptsValue = (codec: t.Mixed, value: unknown): boolean => E.isRight(codec.decode(value))

/** Texts that a pattern alone generates too rarely. */
const LIKELY = [
  'https://shop.example.test/events?order=42&a=b+c',
  'http://127.0.0.1:8098/ipn',
  '2026-01-31',
  '2026-01-31T12:00:00Z',
  '2024-02-29T23:59:59.999+01:00',
  '+34 600 123 456',
  '600123456',
  '5',
  '1440',
]

// fast-check cannot generate texts for a pattern with lookaheads. They are removed here, and the
// texts are filtered later.
const withoutLookaheads = (pattern: string): string => {
  let out = ''
  for (let at = 0, depth = 0, isInClass = false; at < pattern.length; at++) {
    const two = pattern[at] === '\\' ? pattern.slice(at, at + 2) : (pattern[at] ?? '')
    if (depth === 0 && !isInClass && /^\(\?[=!]/.test(pattern.slice(at))) depth = 1
    else if (depth > 0 && !isInClass) depth += two === '(' ? 1 : two === ')' ? -1 : 0
    else if (depth === 0) out += two
    if (two === '[') isInClass = true
    if (two === ']') isInClass = false
    at += two.length - 1
  }
  return out
}

const textOf = ({ pattern, format }: JsonSchema): fc.Arbitrary<string> => {
  if (format === 'date-time')
    return fc.date({ noInvalidDate: true }).map((date) => date.toISOString())
  if (typeof pattern !== 'string') return fc.string({ unit: 'grapheme' })
  const fits = new RegExp(pattern, 'u')
  const likely = LIKELY.filter((text) => fits.test(text))
  // Such a pattern describes only the beginning of a text.
  if (likely.length > 0 && pattern.startsWith('^') && !pattern.endsWith('$'))
    return fc.constantFrom(...likely)
  const arbitrary = fc
    .stringMatching(new RegExp(withoutLookaheads(pattern), 'u'))
    .filter((text) => fits.test(text))
  return likely.length === 0
    ? arbitrary
    : fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...likely) }, arbitrary)
}

const objectOf = (schema: JsonSchema, all: Schemas): fc.Arbitrary<unknown> => {
  const { properties = {}, required = [], additionalProperties } = schema
  const schemas = Object.entries(properties as Schemas)
  const members = Object.fromEntries(schemas.map(([name, member]) => [name, anyOf(member, all)]))
  const declared = fc.record(members, { requiredKeys: required as string[], noNullPrototype: true })
  if (!isJsonObject(additionalProperties)) return declared
  const others = fc.dictionary(fc.string(), anyOf(additionalProperties, all), {
    maxKeys: 3,
    noNullPrototype: true,
  })
  return fc.tuple(others, declared).map(([more, mine]) => ({ ...more, ...mine }))
}

const oneOf = (schemas: unknown, all: Schemas): fc.Arbitrary<unknown> =>
  fc.oneof(...(schemas as readonly JsonSchema[]).map((schema) => anyOf(schema, all)))

const resolveReference = (schema: JsonSchema, all: Schemas): JsonSchema =>
  typeof schema.$ref === 'string'
    ? resolveReference(all[schema.$ref.slice(BASE.length)] ?? {}, all)
    : schema

const anyOf = (reference: JsonSchema, all: Schemas): fc.Arbitrary<unknown> => {
  const schema = resolveReference(reference, all)
  const { type, minimum, maximum, items, maxItems } = schema
  if (Object.hasOwn(schema, 'const')) return fc.constant(schema.const)
  if (Array.isArray(schema.enum)) return fc.constantFrom(...(schema.enum as readonly unknown[]))
  if (schema.anyOf !== undefined) return oneOf(schema.anyOf, all)
  if (Array.isArray(schema.allOf))
    return fc
      .tuple(...(schema.allOf as readonly JsonSchema[]).map((part) => anyOf(part, all)))
      .map((parts) => Object.assign({}, ...(parts as readonly object[])) as unknown)
  switch (type) {
    case 'null':
      return fc.constant(null)
    case 'boolean':
      return fc.boolean()
    case 'integer':
      return fc.integer({
        min: Number(minimum ?? -1e9),
        max: Math.min(Number(maximum ?? 1e9), Number.MAX_SAFE_INTEGER),
      })
    case 'number':
      return fc.double({ noNaN: true, noDefaultInfinity: true })
    case 'string':
      return textOf(schema)
    case 'array':
      return fc.array(anyOf((items ?? {}) as JsonSchema, all), { maxLength: Number(maxItems ?? 3) })
    case 'object':
      return objectOf(schema, all)
    default:
      return fc.jsonValue()
  }
}

/** Values that the codec decodes. */
export const valuesOf = (codec: t.Mixed): fc.Arbitrary<unknown> =>
  anyOf(...schemasOf(codec)).filter((value) => acceptsValue(codec, value))

type Path = readonly (string | number)[]

const pathsIn = (value: unknown, path: Path = []): readonly Path[] => [
  ...(path.length > 0 ? [path] : []),
  ...(typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([name, member]) =>
        pathsIn(member, [...path, Array.isArray(value) ? Number(name) : name]),
      )
    : []),
]

/** A copy with another value at the path. `undefined` removes a member. */
const replaceAt = (value: unknown, [step, ...rest]: Path, to: unknown): unknown => {
  if (step === undefined) return to
  if (Array.isArray(value))
    return value.map((each, index) => (index === step ? replaceAt(each, rest, to) : each))
  const { [step]: member, ...others } = value as Readonly<Record<string, unknown>>
  return rest.length === 0 && to === undefined
    ? others
    : { ...others, [step]: replaceAt(member, rest, to) }
}

const WRONG: readonly unknown[] = [
  undefined,
  null,
  0,
  -1,
  1.5,
  '',
  ' ',
  'something else',
  true,
  [],
  ['x'],
  {},
  { x: 1 },
]

/** Values that the codec rejects because of one member, at any depth. */
export const nearMissesOf = (codec: t.Mixed): fc.Arbitrary<NearMiss> =>
  valuesOf(codec).chain((value) => {
    const misses = [...pathsIn(value), []].flatMap((path) =>
      WRONG.flatMap((wrong) => {
        const mutant = replaceAt(value, path, wrong)
        return acceptsValue(codec, mutant) ? [] : [{ value: mutant, wrong: path.join('.') }]
      }),
    )
    return fc.constantFrom(...misses)
  })
