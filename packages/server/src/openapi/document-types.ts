// The types of an OpenAPI 3.1 document, limited to the parts that ours uses.
import type { JsonSchema } from '@plazo/core'
import type { Sample } from './curl-samples.ts'

type MediaObject = {
  readonly schema?: JsonSchema
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>
}
export type ContentObject = Readonly<Record<string, MediaObject>>
export type HeaderObject = { readonly description: string; readonly schema: JsonSchema }
export type ResponseObject = {
  readonly description: string
  readonly headers?: Readonly<Record<string, HeaderObject>>
  readonly content?: ContentObject
}
export type ParameterObject = {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required: boolean
  readonly description: string
  readonly schema: JsonSchema
  readonly example?: string
}
export type OperationObject = {
  readonly operationId: string
  readonly summary: string
  readonly description?: string
  readonly tags: readonly string[]
  readonly security: readonly Readonly<Record<string, readonly string[]>>[]
  readonly parameters?: readonly ParameterObject[]
  readonly requestBody?: { readonly required: true; readonly description?: string; readonly content: ContentObject }
  readonly responses: Readonly<Record<string, ResponseObject | { readonly $ref: string }>>
  readonly 'x-codeSamples'?: readonly Sample[]
}
export type PathsObject = Readonly<Record<string, Readonly<Record<string, OperationObject>>>>
export type OpenApiDocument = {
  readonly openapi: '3.1.0'
  readonly info: { readonly title: string; readonly version: string; readonly description: string }
  readonly servers: readonly { readonly url: string }[]
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  readonly paths: PathsObject
  readonly webhooks: PathsObject
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>
    readonly responses: Readonly<Record<string, ResponseObject>>
    readonly securitySchemes: Readonly<Record<string, JsonSchema>>
  }
}
