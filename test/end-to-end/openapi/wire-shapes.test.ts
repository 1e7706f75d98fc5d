// If a name, an enum value or a limit on the wire changes, merchants' code breaks. This test fixes
// all shapes of the contract. In wire-shapes.txt, a codec with a name in the document is listed
// under that name. `?` marks a member that may be absent, `+` an object that may have others, `*`
// any name.
import { readdirSync, readFileSync } from 'node:fs'
import { identificationForm, ipnForm, type JsonSchema, reflector } from '@plazo/core/internal'
import * as t from 'io-ts'
import { describe, expect, it } from 'vitest'
import { cardMessage } from '../../../packages/server/src/sandbox/protocol.ts'

const BASE = '#/'

type Members = Readonly<Record<string, JsonSchema>>

const numberText = ({ type, minimum, maximum }: JsonSchema): string => {
  const least =
    minimum === undefined || minimum === Number.MIN_SAFE_INTEGER ? '' : ` from ${minimum}`
  const most = maximum === undefined || maximum === Number.MAX_SAFE_INTEGER ? '' : ` to ${maximum}`
  return `${type}${least}${most}`
}

const objectText = ({
  properties = {},
  required = [],
  additionalProperties,
  patternProperties = {},
}: JsonSchema) => {
  const members = Object.entries(properties as Members).map(
    ([name, member]) =>
      `${name}${(required as readonly string[]).includes(name) ? '' : '?'}: ${text(member)}`,
  )
  const patterns = Object.entries(patternProperties as Members).map(
    ([name, member]) => `${name}: ${text(member)}`,
  )
  const others =
    additionalProperties === false
      ? []
      : [
          additionalProperties === undefined
            ? '+'
            : `*: ${text(additionalProperties as JsonSchema)}`,
        ]
  return `{ ${[...members, ...patterns, ...others].join(', ')} }`
}

const text = (schema: JsonSchema): string => {
  const {
    $ref,
    anyOf,
    allOf,
    type,
    const: constant,
    enum: words,
    items,
    maxItems,
    pattern,
    format,
  } = schema
  if (typeof $ref === 'string') return $ref.slice(BASE.length)
  if (anyOf !== undefined) {
    const texts = (anyOf as readonly JsonSchema[]).map(text)
    return texts.join(texts.every((each) => each.startsWith('{')) ? '\n  ' : ' or ')
  }
  if (allOf !== undefined) return (allOf as readonly JsonSchema[]).map(text).join(' and\n  ')
  if (constant !== undefined) return JSON.stringify(constant)
  if (words !== undefined) return (words as readonly string[]).join('/')
  if (type === 'object') return objectText(schema)
  if (type === 'array') return maxItems === 0 ? '[]' : `[${text(items as JsonSchema)}]`
  if (type === 'integer' || type === 'number') return numberText(schema)
  if (pattern !== undefined) return String(pattern)
  return String(format ?? type ?? 'anything')
}

const PACKAGES = new URL('../../../packages/', import.meta.url)
const PROTOCOL = new URL('core/src/protocol/', PACKAGES)
const SERVER = new URL('server/src/', PACKAGES)

// Every codec that a file of the protocol exports. Those of scalars.ts are parts of the others, and
// index.ts exports them again.
const files = readdirSync(PROTOCOL).filter((name) => /^(?!scalars|index)[\w-]+\.ts$/.test(name))
const ofServer = ['api/machine/run-progress.ts', 'sandbox/protocol.ts']
const modules: readonly Readonly<Record<string, unknown>>[] = await Promise.all(
  [
    ...files.map((name) => new URL(name, PROTOCOL)),
    ...ofServer.map((name) => new URL(name, SERVER)),
  ].map(({ href }) => import(href)),
)

const CODECS: Readonly<Record<string, t.Mixed>> = {
  ...Object.fromEntries(
    modules
      .flatMap(Object.entries)
      .filter((each): each is [string, t.Mixed] => each[1] instanceof t.Type),
  ),
  cardMessage: cardMessage('Service'),
  identificationForm: identificationForm('service_privacy_policy_accepted', null),
  spanishIdentificationForm: identificationForm('service_privacy_policy_accepted', 'ES'),
  ipnForm: ipnForm('sq_state'),
}

const listSchemas = (): readonly (readonly [name: string, schema: JsonSchema])[] => {
  const { schemaOf, components } = reflector(BASE)
  const schemas = Object.entries(CODECS).map(([name, codec]) => [name, schemaOf(codec)] as const)
  return [...schemas.filter(([, { $ref }]) => $ref === undefined), ...Object.entries(components())]
}

const shapeOf = ([name, schema]: readonly [string, JsonSchema]): string =>
  `${name}\n  ${text(schema)}\n`

const savedShapes = readFileSync(new URL('wire-shapes.txt', import.meta.url), 'utf8')

/** All values found anywhere in a schema. */
const saidIn = (schema: unknown): readonly unknown[] =>
  typeof schema !== 'object' || schema === null
    ? []
    : Object.entries(schema).flatMap(([name, member]) =>
        name === 'description' && typeof member !== 'object' ? [member] : saidIn(member),
      )

describe('the shapes on the wire', () => {
  it('have not changed', () => {
    expect(listSchemas().map(shapeOf).join('\n')).toBe(savedShapes)
  })

  it('have a description wherever the document needs one', () => {
    for (const words of listSchemas().flatMap(saidIn)) expect(words).toMatch(/^\S.*\S$/)
  })
})
