// The interface as a document for programs and as a page for people. Each is made once, when it
// is first requested, because many servers never show it. Contract §7.
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { type Context, Hono } from 'hono'
import { html } from 'hono/html'
import { pageHeaders } from '../../http/browser-security.ts'
import type { Route, Setting } from '../../http/route.ts'
import { openApiDocument } from './openapi/document.ts'

const isPackaged = import.meta.url.endsWith('.js')

// The whole of Scalar's reference in one file. The package has a copy of it.
const SCRIPT = isPackaged
  ? new URL('../../reference.js', import.meta.url)
  : new URL('browser/standalone.js', import.meta.resolve('@scalar/api-reference'))

/** The page may ask nobody but this server. */
const OPTIONS = JSON.stringify({
  agent: { disabled: true },
  customCss: 'body > aside { margin: 1rem 1.25rem; color: var(--scalar-color-1) }',
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
  documentDownloadType: 'none',
  hideClientButton: true,
  hideTestRequestButton: true,
  mcp: { disabled: true },
  proxyUrl: '',
  showDeveloperTools: 'never',
  telemetry: false,
  withDefaultFonts: false,
})

const PAGE = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>plazo checkout: reference</title>
<link rel="icon" href="favicon.svg" type="image/svg+xml">
</head>
<body>
<aside>The same as a document for programs: <a href="openapi.json">openapi.json</a></aside>
<div id="api-reference" data-url="openapi.json" data-configuration="${OPTIONS}"></div>
<script src="docs/reference.js"></script>
</body>
</html>
`

// The script makes styles by itself.
const POLICY =
  "script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self'; connect-src 'self'; form-action 'none'"

// A weak comparison, because a proxy that compresses makes our ETag a weak one. RFC 9110, 13.1.2.
const isKnown = (c: Context, etag: string): boolean =>
  (c.req.header('if-none-match') ?? '')
    .split(',')
    .map((named) => named.trim().replace(/^W\//, ''))
    .some((named) => named === '*' || named === etag)

const respondCached = (
  make: () => Promise<Uint8Array>,
  ownHeaders: Readonly<Record<string, string>>,
) => {
  const prepare = async () => {
    // Bytes, which all answers share. With a string, each answer would have its own copy.
    const body = new Uint8Array(await make())
    const etag = `"${createHash('sha256').update(body).digest('base64url')}"`
    return { body, etag, headers: { ...ownHeaders, etag, 'cache-control': 'public, max-age=300' } }
  }
  let file: ReturnType<typeof prepare> | undefined
  return async (c: Context): Promise<Response> => {
    file ??= prepare()
    const { body, etag, headers } = await file
    // A 304 renews the headers of the cached answer, so it carries all of them.
    return isKnown(c, etag) ? c.body(null, 304, headers) : c.body(body, 200, headers)
  }
}

/** `routes`: all of the server. */
export const referencePages = (setting: Setting, routes: readonly Route[]): Hono =>
  new Hono()
    .get(
      '/openapi.json',
      respondCached(
        async () => Buffer.from(JSON.stringify(await openApiDocument(setting, routes))),
        { 'content-type': 'application/json', 'access-control-allow-origin': '*' },
      ),
    )
    .get(
      '/docs',
      respondCached(async () => Buffer.from(String(await PAGE)), {
        'content-type': 'text/html; charset=UTF-8',
        ...pageHeaders(POLICY, { isPublic: true }),
      }),
    )
    .get(
      '/docs/reference.js',
      respondCached(() => readFile(SCRIPT), { 'content-type': 'text/javascript; charset=UTF-8' }),
    )
