// Builds the document's bodies, headers and answers from the schemas of their codecs.
import type { SchemaOf } from '@plazo/core'
import type { ContentObject, HeaderObject, ResponseObject } from './open-api.ts'
import type { Answer, Content } from './operation.ts'

export const contentOf = (schemaOf: SchemaOf, contents: readonly Content[]): ContentObject =>
  Object.fromEntries(
    contents.map(({ mediaType, codecs, examples }) => {
      const [first, ...others] = codecs.map(schemaOf)
      return [
        mediaType,
        {
          ...(first !== undefined && { schema: others.length === 0 ? first : { anyOf: [first, ...others] } }),
          ...(Object.keys(examples).length > 0 && {
            examples: Object.fromEntries(Object.entries(examples).map(([name, value]) => [name, { value }])),
          }),
        },
      ]
    }),
  )

export const headersOf = (headers: Readonly<Record<string, string>>): Readonly<Record<string, HeaderObject>> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, description]) => [name, { description, schema: { type: 'string' } }]),
  )

export const responseOf = (schemaOf: SchemaOf, { description: tells, contents, headers }: Answer): ResponseObject => ({
  description: tells,
  ...(Object.keys(headers).length > 0 && { headers: headersOf(headers) }),
  ...(contents.length > 0 && { content: contentOf(schemaOf, contents) }),
})
