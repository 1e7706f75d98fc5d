// Checks requests and answers against the schemas of the OpenAPI document, with a JSON Schema
// 2020-12 validator.
import { ok } from 'node:assert/strict'
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { OpenApiDocument } from '../../../packages/server/src/api/docs/openapi/document.ts'
import type { OperationObject } from '../../../packages/server/src/api/docs/openapi/operation-object.ts'

export const FORMATS = {
  'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
  uuid: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
}

const escapePart = (part: string): string =>
  encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))

type ResponseObject = Exclude<OperationObject['responses'][string], { readonly $ref: string }>
type Answered = { readonly status: number; readonly headers: Headers; readonly text: string }

export const conformityOf = (document: OpenApiDocument) => {
  // Not strict: the document around the schemas is not made of JSON Schema keywords.
  const ajv = new Ajv2020({ strict: false, formats: FORMATS })
  ajv.addSchema({ $id: 'document', ...document })

  /** @throws if the value does not match the schema at this place in the document. */
  const holds = (place: readonly string[], value: unknown): void => {
    const validate = ajv.getSchema(`document#/${place.map(escapePart).join('/')}`)
    ok(validate !== undefined, `The document has no schema at ${place.join(' / ')}.`)
    ok(
      validate(value),
      `${JSON.stringify(value)} is not as ${place.join(' / ')}: ${ajv.errorsText(validate.errors)}`,
    )
  }

  const responsePlace = (
    place: readonly string[],
    { responses }: OperationObject,
    status: number,
  ) => {
    const statusKey = [String(status), 'default'].find((key) => key in responses)
    ok(
      statusKey !== undefined,
      `${place.join(' ')} answered ${status}, of which the document says nothing.`,
    )
    const response = responses[statusKey] as ResponseObject | { readonly $ref: string }
    if (!('$ref' in response)) return { at: [...place, 'responses', statusKey], response }
    const name = response.$ref.split('/').at(-1) ?? ''
    return {
      at: ['components', 'responses', name],
      response: document.components.responses[name] as ResponseObject,
    }
  }

  /** @throws unless the document describes this answer: its status, its type and its body. */
  const answers = (method: string, template: string, { status, headers, text }: Answered): void => {
    const place = ['paths', template, method.toLowerCase()]
    const operation = document.paths[template]?.[method.toLowerCase()]
    ok(operation !== undefined, `The document says nothing of ${method} ${template}.`)
    const { at, response } = responsePlace(place, operation, status)
    if (text === '') return
    ok(response.content !== undefined, `${at.join(' ')} has no content, but was: ${text}`)
    const [mediaType = ''] = (headers.get('content-type') ?? '').split(';')
    const media = response.content[mediaType]
    ok(media !== undefined, `${at.join(' ')} is not documented as ${mediaType}.`)
    if (media.schema === undefined) return
    const parts =
      mediaType === 'application/x-ndjson' ? text.split('\n').filter((line) => line !== '') : [text]
    for (const part of parts) holds([...at, 'content', mediaType, 'schema'], JSON.parse(part))
  }

  return { holds, answers }
}
