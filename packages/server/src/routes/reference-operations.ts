// Describes the routes in reference.ts, which serve the OpenAPI document itself.
import { answer, HTML, type Operations, text } from '../openapi/operation.ts'

const UNCHANGED = answer('It is what If-None-Match names.')
const ETAG = { ETag: 'Changes with the document.' }

export const referenceOperations: Operations = {
  'GET /openapi.json': {
    id: 'openApiDocument',
    caller: 'service',
    title: 'Load this document',
    answers: { 200: answer('OpenAPI 3.1.', text('application/json'), ETAG), 304: UNCHANGED },
  },
  'GET /docs': {
    id: 'referencePage',
    caller: 'service',
    title: 'Read this document as a page',
    answers: { 200: answer('The page.', HTML, ETAG), 304: UNCHANGED },
  },
}
