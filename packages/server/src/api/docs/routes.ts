// The interface as a document for programs and as a page for people. Each is rendered once, when it
// is first requested, because many servers never show it. Contract §7.
import { createHash } from 'node:crypto'
import { type Context, Hono } from 'hono'
import type { PageFrame } from '../../http/page/page.ts'
import type { Route, Setting } from '../../http/route.ts'
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

/** `routes`: all of the server. */
export const referencePages = (
  setting: Setting,
  routes: readonly Route[],
  frame: PageFrame | undefined,
): Hono => {
  const document = memoize(() => openApiDocument(setting, routes))
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
  return new Hono()
    .get('/openapi.json', async (c) => respondCached(c, await json()))
    .get('/docs', async (c) => respondCached(c, await page()))
}
