// Derives JSON Schema from the codecs, so that the API document always agrees with the code that
// decodes a body. The schema of a rule that is a function cannot be derived. An annotation at the
// codec adds it, together with its meaning for a reader.
import type * as t from 'io-ts'

/** JSON Schema 2020-12. */
export type JsonSchema = { readonly [keyword: string]: unknown }

/** The JSON Schema of a codec. */
export type SchemaOf = (codec: t.Mixed) => JsonSchema

type Annotation = {
  /** The schema of a custom codec, which io-ts cannot inspect. */
  readonly schema?: (schemaOf: SchemaOf) => JsonSchema
  /** The schema is written once under this name and then referenced. Null writes it in place. */
  readonly name?: string | null
  /** The description of the codec itself, written with its schema. */
  readonly ownDescription?: string
  /** The description of this use of the codec, for example of a member. */
  readonly useDescription?: string
}

const ANNOTATION = Symbol('annotation')

const annotationOf = (codec: t.Mixed & { readonly [ANNOTATION]?: Annotation }): Annotation =>
  codec[ANNOTATION] ?? {}

/** Returns a copy of the codec with more annotations. The given codec does not change. */
export const annotate = <C extends t.Mixed>(codec: C, annotation: Annotation): C =>
  Object.assign(Object.create(Object.getPrototypeOf(codec)), codec, {
    [ANNOTATION]: { ...annotationOf(codec), ...annotation },
  })

/** Gives a codec a name, by which the API document refers to its schema. */
export const schemaName = <C extends t.Mixed>(name: string, codec: C, ownDescription?: string): C =>
  annotate(codec, { name, ...(ownDescription !== undefined && { ownDescription }) })

/** Adds a sentence to the schema of a member, without a change of what the codec accepts. */
export const description = <C extends t.Mixed>(words: string, codec: C): C =>
  annotate(codec, { useDescription: words })

// The members of the codecs of io-ts. Each codec has some of them. One that is not inspected below
// throws until it is added there or annotated.
type InspectableCodec = {
  readonly _tag: string
  readonly name: string
  readonly value: unknown
  readonly keys: object
  readonly type: t.Mixed
  readonly props: t.Props
  readonly codomain: t.Mixed
  readonly types: readonly t.Mixed[]
}

/** Derives schemas of codecs, and collects those that have a name. */
export type Reflector = {
  /**
   * A named codec is written once, in `components`, and referenced. Throws if a codec is neither
   * inspectable nor annotated.
   */
  readonly schemaOf: SchemaOf
  readonly components: () => Readonly<Record<string, JsonSchema>>
}

type ObjectSchema = JsonSchema & {
  readonly properties: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
}

const isObjectSchema = (schema: JsonSchema): schema is ObjectSchema =>
  schema.type === 'object' && typeof schema.properties === 'object'

export const objectSchema = (
  properties: Readonly<Record<string, JsonSchema>>,
  required: readonly string[],
): ObjectSchema => ({
  type: 'object',
  properties,
  ...(required.length > 0 && { required }),
})

/** Merges object schemas into one with the members of all. Other schemas become `allOf`. */
export const mergeObjectSchemas = (schemas: readonly JsonSchema[]): JsonSchema =>
  schemas.every(isObjectSchema)
    ? objectSchema(
        Object.assign({}, ...schemas.map(({ properties }) => properties)),
        schemas.flatMap(({ required }) => required ?? []),
      )
    : { allOf: schemas }

/**
 * Makes an empty reflector. `base`: the prefix of references to `components`, such as
 * `#/components/schemas/`.
 */
export const reflector = (base: string): Reflector => {
  const components = new Map<string, JsonSchema>()

  const propertiesOf = (props: t.Props): Readonly<Record<string, JsonSchema>> =>
    Object.fromEntries(Object.entries(props).map(([name, codec]) => [name, schemaOf(codec)]))

  const inspectCodec = (codec: InspectableCodec): JsonSchema => {
    switch (codec._tag) {
      case 'UnknownType':
        return {}
      case 'StringType':
        return { type: 'string' }
      case 'NumberType':
        return { type: 'number' }
      case 'BooleanType':
        return { type: 'boolean' }
      case 'LiteralType':
        return { type: typeof codec.value, const: codec.value }
      case 'KeyofType':
        return { type: 'string', enum: Object.keys(codec.keys) }
      case 'ReadonlyArrayType':
        return { type: 'array', items: schemaOf(codec.type) }
      case 'ReadonlyType':
        return schemaOf(codec.type)
      case 'InterfaceType':
        return objectSchema(propertiesOf(codec.props), Object.keys(codec.props))
      case 'PartialType':
        return objectSchema(propertiesOf(codec.props), [])
      case 'ExactType':
        return { ...schemaOf(codec.type), additionalProperties: false }
      case 'DictionaryType':
        return { type: 'object', additionalProperties: schemaOf(codec.codomain) }
      case 'IntersectionType':
        return mergeObjectSchemas(codec.types.map(schemaOf))
      case 'UnionType':
        return { anyOf: codec.types.map(schemaOf) }
      default:
        throw new Error(`The codec ${codec.name} has no JSON Schema: it needs an annotation.`)
    }
  }

  // A pattern keeps its rule in words next to the member's description. Other limits explain
  // themselves.
  const withDescription = (schema: JsonSchema, words: string | undefined): JsonSchema =>
    words === undefined
      ? schema
      : {
          ...schema,
          description:
            schema.pattern === undefined ? words : `${words} Must be ${schema.description}.`,
        }

  const writeSchema = (codec: t.Mixed): JsonSchema => {
    const { schema, ownDescription } = annotationOf(codec)
    return withDescription(
      schema === undefined ? inspectCodec(codec as unknown as InspectableCodec) : schema(schemaOf),
      ownDescription,
    )
  }

  const writeReference = (name: string, codec: t.Mixed): JsonSchema => {
    const schema = writeSchema(codec)
    const existing = components.get(name)
    if (existing !== undefined && JSON.stringify(existing) !== JSON.stringify(schema))
      throw new Error(`Two codecs are called ${name}.`)
    components.set(name, schema)
    return { $ref: `${base}${name}` }
  }

  const schemaOf: SchemaOf = (codec) => {
    const { name, useDescription } = annotationOf(codec)
    return withDescription(
      typeof name === 'string' ? writeReference(name, codec) : writeSchema(codec),
      useDescription,
    )
  }

  return {
    schemaOf,
    components: () => Object.fromEntries([...components].sort(([a], [b]) => (a < b ? -1 : 1))),
  }
}
