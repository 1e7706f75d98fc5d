// The interface as a document for programs and as a page for people. Each is rendered once, when it
// is first requested, because many servers never show it. Contract §7.
import { createHash } from 'node:crypto'
import type { Context } from 'hono'
import type { PageFrame } from '../http/additions.ts'
import { answer, HTML, type Route, route, SERVICE, type Setting, text } from '../http/route.ts'
import { openApiDocument } from './openapi/document.ts'
import { referencePage } from './page.ts'

// Bytes, which all answers share. With a string, each answer would have its own copy.
type RenderedPage = {
  readonly body: Uint8Array<ArrayBuffer>
  readonly headers: Readonly<Record<string, string>>
}

const render = (text: string, headers: Readonly<Record<string, string>>): RenderedPage => ({
  body: new TextEncoder().encode(text),
  headers: {
    ...headers,
    etag: `"${createHash('sha256').update(text).digest('base64url')}"`,
    'cache-control': 'public, max-age=300',
  },
})

// A weak comparison, because a proxy that compresses makes our ETag a weak one. RFC 9110, 13.1.2.
const isKnown = (c: Context, etag: string): boolean => {
  const named = c.req.header('if-none-match') ?? ''
  return (
    named.trim() === '*' ||
    named.split(',').some((each) => each.trim().replace(/^W\//, '') === etag)
  )
}

const memoize = <A>(make: () => A): (() => A) => {
  let value: A | undefined
  return () => {
    value ??= make()
    return value
  }
}

// A 304 renews the headers of the cached answer, so it carries all of them.
const respondCached = (c: Context, { body, headers }: RenderedPage): Response =>
  isKnown(c, headers.etag ?? '') ? c.body(null, 304, headers) : c.body(body, 200, headers)

const UNCHANGED = answer('The document has not changed since the version in If-None-Match.')
const ETAG = { ETag: 'Changes with the document.' }

/** `listRoutes`: all routes of the server, also these. */
export const referenceRoutes = (
  setting: Setting,
  listRoutes: () => readonly Route[],
  frame: PageFrame | undefined,
): readonly Route[] => {
  const document = memoize(() => openApiDocument(setting, listRoutes()))
  const json = memoize(async () =>
    render(JSON.stringify(await document()), {
      'content-type': 'application/json',
      'access-control-allow-origin': '*',
    }),
  )
  const page = memoize(async () => {
    const { text, headers } = await referencePage(await document(), frame)
    return render(text, { 'content-type': 'text/html; charset=UTF-8', ...headers })
  })
  return [
    route('GET /openapi.json', 'openApiDocument', 'Load this document', {
      access: SERVICE,
      ok: answer('OpenAPI 3.1.', text('application/json'), ETAG),
      answers: { 304: UNCHANGED },
      handle: async (_access, _body, c) => respondCached(c, await json()),
    }),
    route('GET /docs', 'referencePage', 'Read this document as a page', {
      access: SERVICE,
      ok: answer('The page.', HTML, ETAG),
      answers: { 304: UNCHANGED },
      handle: async (_access, _body, c) => respondCached(c, await page()),
    }),
  ]
}
