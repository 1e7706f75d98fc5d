// What a codec cannot tell of itself: the JSON Schema of a rule that is a function, and what it is to a reader. Kept at
// the codec, so that whoever changes the one sees the other.
import type * as t from 'io-ts'

/** JSON Schema 2020-12. */
export type JsonSchema = { readonly [keyword: string]: unknown }

export type SchemaOf = (codec: t.Mixed) => JsonSchema

type Annotation = {
  /** For a codec of our own, into which io-ts does not let one look. */
  readonly schema?: (schemaOf: SchemaOf) => JsonSchema
  /** Written once, under this name, and pointed to; null where it stands in place all the same. */
  readonly name?: string | null
  /** What it is, said where it is written. */
  readonly is?: string
  /** What it means where it stands: this member, say. */
  readonly about?: string
}

const ANNOTATION = Symbol('annotation')

type Annotated = { readonly [ANNOTATION]?: Annotation }

export const annotationOf = (codec: t.Mixed): Annotation => (codec as t.Mixed & Annotated)[ANNOTATION] ?? {}

/** The same codec with more said of it; the one given is left as it is. */
export const annotated = <C extends t.Mixed>(codec: C, annotation: Annotation): C =>
  Object.assign(Object.create(Object.getPrototypeOf(codec)), codec, {
    [ANNOTATION]: { ...annotationOf(codec), ...annotation },
  })

export const named = <C extends t.Mixed>(name: string, codec: C, is?: string): C =>
  annotated(codec, { name, ...(is !== undefined && { is }) })

export const about = <C extends t.Mixed>(words: string, codec: C): C => annotated(codec, { about: words })
