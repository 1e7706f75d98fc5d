// Renders a JSON Schema for a reader: a value's type and limits, and an object's members as a list.
import type { JsonSchema } from '@plazo/core/protocol'
import { html } from 'hono/html'
import type { Markup } from '../../http/page/page.ts'

export type Schemas = Readonly<Record<string, JsonSchema>>

const REF = '#/components/schemas/'

const nameIn = ({ $ref }: JsonSchema): string | null =>
  typeof $ref === 'string' && $ref.startsWith(REF) ? $ref.slice(REF.length) : null

export const schemaAnchor = (name: string): string => `schema-${name}`

const listOf = (value: unknown): readonly JsonSchema[] => (Array.isArray(value) ? value : [])

const alternatives = ({ oneOf, anyOf }: JsonSchema): readonly JsonSchema[] => [
  ...listOf(oneOf),
  ...listOf(anyOf),
]

export const joinMarkup = (parts: readonly Markup[], separator: string): Markup =>
  html`${parts.map((part, index) => (index === 0 ? part : html`${separator}${part}`))}`

const code = (value: unknown): Markup =>
  html`<code>${typeof value === 'string' ? value : JSON.stringify(value)}</code>`

// Limits at the safe integers are not shown: they only say what JSON carries exactly.
const isShown = (limit: unknown): limit is number =>
  typeof limit === 'number' && Math.abs(limit) < Number.MAX_SAFE_INTEGER

const limitsOf = ({ pattern, format, minimum, maximum, description }: JsonSchema): Markup =>
  html`${
    isShown(minimum) && html`, ${minimum} or more`
  }${isShown(maximum) && html`, ${maximum} at most`}${format !== undefined && html` (${format})`}${
    pattern !== undefined && description === undefined && html`, matching ${code(pattern)}`
  }`

// A rule in words says more than its pattern.
const alternative = (schema: JsonSchema): Markup =>
  schema.pattern !== undefined && typeof schema.description === 'string'
    ? html`${schema.description}`
    : typeOf(schema)

// Shops that have nothing to say write null, an empty string, or an empty list for an empty object.
// All of these are shown as `empty`.
const eitherOf = (others: readonly JsonSchema[]): Markup => {
  const choices = others
    .filter(({ const: value, maxItems }) => value !== '' && maxItems !== 0)
    .map(alternative)
  return joinMarkup(choices.length === others.length ? choices : [...choices, html`empty`], ' or ')
}

/** The type in a few words. A nested type is described with its members. */
export const typeOf = (schema: JsonSchema): Markup => {
  const name = nameIn(schema)
  if (name !== null) return html`<a href="#${schemaAnchor(name)}">${name}</a>`
  if ('const' in schema) return code(schema.const)
  if (Array.isArray(schema.enum)) return joinMarkup(schema.enum.map(code), ' or ')
  if (Array.isArray(schema.allOf)) return joinMarkup(listOf(schema.allOf).map(typeOf), ' with ')
  const others = alternatives(schema)
  if (others.length > 0) return eitherOf(others)
  if (schema.type === 'array' && schema.items !== undefined)
    return html`array of ${typeOf(schema.items as JsonSchema)}`
  if (schema.type === 'object' && typeof schema.additionalProperties === 'object')
    return html`object of ${typeOf(schema.additionalProperties as JsonSchema)} by name`
  return html`${schema.type ?? 'anything'}${limitsOf(schema)}`
}

export const describeSchema = ({ description }: JsonSchema): Markup | false =>
  typeof description === 'string' && html`<p>${description}</p>`

const members = (schema: JsonSchema): readonly (readonly [string, JsonSchema])[] => [
  ...Object.entries((schema.properties ?? {}) as Schemas),
  ...Object.entries((schema.patternProperties ?? {}) as Schemas).map(
    ([pattern, each]) => [`${pattern.replace('^', '')}…`, each] as const,
  ),
]

// Written out in place: the members of an object without a name, on its own or in a list.
const inner = (schema: JsonSchema): Markup | '' => {
  if (nameIn(schema) !== null) return ''
  if (members(schema).length > 0) return fieldsOf(schema)
  if (schema.type === 'array' && schema.items !== undefined)
    return inner(schema.items as JsonSchema)
  return html`${alternatives(schema).map(inner)}`
}

// The description is the member's own: that of a named type is shown with the type.
const field = (name: string, schema: JsonSchema, isRequired: boolean): Markup => html`<li>
<p><code class="name">${name}</code> <span class="type">${typeOf(schema)}</span>${
  isRequired && html` <strong>required</strong>`
} ${typeof schema.description === 'string' && html`<span class="said">${schema.description}</span>`}</p>
${inner(schema)}</li>`

const fieldsOf = (schema: JsonSchema): Markup => html`<ul class="fields" role="list">
${members(schema).map(([name, each]) => field(name, each, Array.isArray(schema.required) && schema.required.includes(name)))}
</ul>`

/** The constants that tell an alternative from the others, like the action `finish`. */
const tagOf = (schema: JsonSchema): string =>
  members(schema)
    .filter(([, { const: value }]) => value !== undefined && value !== 'identification_action')
    .map(([, { const: value }]) => String(value))
    .join(' ')

/** A whole body: its members, or each of its alternatives with their members. */
export const contentBody = (schemas: Schemas, schema: JsonSchema): Markup => {
  const name = nameIn(schema)
  const named = name === null ? undefined : schemas[name]
  if (named !== undefined)
    return html`<p class="type">${typeOf(schema)}</p>${describeSchema(named)}${schemaBody(named)}`
  const others = alternatives(schema)
  const hasNames = others.length > 0 && others.every((each) => nameIn(each) !== null)
  const type = html`<p class="type">${typeOf(schema)}</p>`
  return hasNames ? type : html`${members(schema).length === 0 && type}${schemaBody(schema)}`
}

/** The members of a component, or its alternatives. */
export const schemaBody = (schema: JsonSchema): Markup | '' => {
  if (Array.isArray(schema.allOf)) return html`${listOf(schema.allOf).map(part)}`
  const others = alternatives(schema).filter((each) => members(each).length > 0)
  if (others.length === 0) return inner(schema)
  return html`<ul class="alternatives" role="list">
${others.map((each) => html`<li><p class="tag"><code>${tagOf(each)}</code></p>${fieldsOf(each)}</li>`)}
</ul>`
}

const part = (schema: JsonSchema): Markup | '' =>
  members(schema).length > 0
    ? fieldsOf(schema)
    : html`<p class="type">with the members of ${typeOf(schema)}</p>`
