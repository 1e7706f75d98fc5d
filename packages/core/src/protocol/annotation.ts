// A codec cannot express the JSON Schema of a rule that is a function, nor its meaning for a reader. Annotations add both
// at the codec itself, so that a change of the one is made in view of the other.
import type * as t from 'io-ts'

/** JSON Schema 2020-12. */
export type JsonSchema = { readonly [keyword: string]: unknown }

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

type Annotated = { readonly [ANNOTATION]?: Annotation }

export const annotationOf = (codec: t.Mixed): Annotation => (codec as t.Mixed & Annotated)[ANNOTATION] ?? {}

/** Returns a copy of the codec with more annotations. The given codec does not change. */
export const annotated = <C extends t.Mixed>(codec: C, annotation: Annotation): C =>
  Object.assign(Object.create(Object.getPrototypeOf(codec)), codec, {
    [ANNOTATION]: { ...annotationOf(codec), ...annotation },
  })

export const schemaName = <C extends t.Mixed>(name: string, codec: C, ownDescription?: string): C =>
  annotated(codec, { name, ...(ownDescription !== undefined && { ownDescription }) })

export const description = <C extends t.Mixed>(words: string, codec: C): C =>
  annotated(codec, { useDescription: words })
