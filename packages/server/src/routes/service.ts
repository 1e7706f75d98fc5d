// Operators and developers ask a server about itself here: health, metrics, and the interface as a document and as a page.
// Contract §7.
import { createHash } from 'node:crypto'
import type { Alive, Ready } from '@plazo/core'
import { pipe } from 'fp-ts/lib/function.js'
import { type Context, Hono } from 'hono'
import type * as t from 'io-ts'
import { problem } from '../http/problem.ts'
import { openApiDocument } from '../openapi/document.ts'
import { referencePage } from '../pages/reference.ts'
import type { Services } from './services.ts'

export const HEALTH_PATHS: ReadonlySet<string> = new Set(['/healthz', '/readyz'])

export const healthRoutes = ({ readiness: { takesWrites, isDispatching } }: Pick<Services, 'readiness'>) =>
  new Hono()
    .get('/healthz', (c) => c.json({ status: 'alive' } satisfies t.TypeOf<typeof Alive>))
    .get('/readyz', async (c) => {
      if (!(await takesWrites()))
        return problem(c, 503, 'The database does not answer, or accepts no writes.', { 'retry-after': '1' })
      if (!isDispatching()) return problem(c, 503, 'The dispatcher is not running.', { 'retry-after': '1' })
      return c.json({ status: 'ready' } satisfies t.TypeOf<typeof Ready>)
    })

/** Serves the metrics that Prometheus scrapes. Contract §7. */
export const metricsRoutes = ({ metrics: { scrape, contentType }, respond }: Services) =>
  new Hono().get('/metrics', (c) =>
    pipe(
      scrape,
      respond(c, (text) => c.body(text, 200, { 'content-type': contentType })),
    ),
  )

// Bytes, which all answers share. With a string, each answer would have its own copy.
type RenderedPage = { readonly body: Uint8Array<ArrayBuffer>; readonly headers: Readonly<Record<string, string>> }

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
  return named.trim() === '*' || named.split(',').some((each) => each.trim().replace(/^W\//, '') === etag)
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

/**
 * Serves the interface as a document for programs and as a page for people. Each is rendered once, when it is first requested.
 */
export const referenceRoutes = ({ host, baseUrl, sandbox, listRoutes }: Services) => {
  const setting = { names: host.terms.names, baseUrl, isSandbox: sandbox !== null }
  const document = memoize(() => openApiDocument(setting, listRoutes()))
  const json = memoize(async () =>
    render(JSON.stringify(await document()), {
      'content-type': 'application/json',
      'access-control-allow-origin': '*',
    }),
  )
  const page = memoize(async () => {
    const { text, headers } = await referencePage(await document())
    return render(text, { 'content-type': 'text/html; charset=UTF-8', ...headers })
  })
  return new Hono()
    .get('/openapi.json', async (c) => respondCached(c, await json()))
    .get('/docs', async (c) => respondCached(c, await page()))
}
