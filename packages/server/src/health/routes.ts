// Every server has these parts that are about no order: health and metrics for operators, the
// scripts and the icon of its pages, and the interface as a document and as a page. Contract §7.
import { createHash } from 'node:crypto'
import type { Alive, Ready } from '@plazo/core/protocol'
import { pipe } from 'fp-ts/lib/function.js'
import { type Context, Hono } from 'hono'
import type * as t from 'io-ts'
import { CHECKOUT_STYLE } from '../checkout/script/style.ts'
import { openApiDocument, operations } from '../docs/openapi/document.ts'
import { referencePage } from '../docs/page.ts'
import {
  type BrowserScript,
  browserScript,
  classicScript,
  MODULES_PATH,
  SCRIPTS,
} from '../http/page/browser-script.ts'
import { problem } from '../http/problem.ts'
import type { Route } from '../http/route.ts'
import type { Services } from '../http/services.ts'

export const HEALTH_PATHS: ReadonlySet<string> = new Set(['/healthz', '/readyz'])

export const healthRoutes = ({
  readiness: { takesWrites, isDispatching },
}: Pick<Services, 'readiness'>) =>
  new Hono()
    .get('/healthz', (c) => c.json({ status: 'alive' } satisfies t.TypeOf<typeof Alive>))
    .get('/readyz', async (c) => {
      if (!isDispatching())
        return problem(c, 503, 'The server is stopping.', { 'retry-after': '1' })
      if (!(await takesWrites()))
        return problem(c, 503, 'The database does not answer, or accepts no writes.', {
          'retry-after': '1',
        })
      return c.json({ status: 'ready' } satisfies t.TypeOf<typeof Ready>)
    })

const ICON =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#4f46e5"/><path d="M11 25V8h6.5a5.5 5.5 0 010 11H11" fill="none" stroke="#fff" stroke-width="3.5" stroke-linecap="round" stroke-linejoin="round"/></svg>'

const CARD_FORM = browserScript(new URL('../checkout/script/card-form.ts', import.meta.url))

const SCRIPT_HEADERS = {
  'content-type': 'text/javascript; charset=UTF-8',
  'cache-control': 'public, max-age=300',
  'cross-origin-resource-policy': 'cross-origin',
}

// Pages of any origin may load modules, which browsers allow only with this header. They hold
// nothing that is not public.
const MODULE_HEADERS = { ...SCRIPT_HEADERS, 'access-control-allow-origin': '*' }

const STYLE_HEADERS = { ...MODULE_HEADERS, 'content-type': 'text/css; charset=UTF-8' }

/** A module at a lasting path. It re-exports the module whose path changes with the code. */
const entry = ({ path }: BrowserScript): string =>
  `export * from './${path.slice('sdk/'.length)}'\n`

/**
 * The metrics that Prometheus scrapes, and the scripts and the icon of all pages. Contract §3, §7.
 */
export const serviceRoutes = ({ host, metrics: { scrape, contentType }, respond }: Services) => {
  const modules = new Map(Object.values(SCRIPTS).map((script) => [script.name, script]))
  return (
    new Hono()
      .get('/metrics', (c) =>
        pipe(
          scrape,
          respond(c, (text) => c.body(text, 200, { 'content-type': contentType })),
        ),
      )
      // The script's global has the service's name. Contract §11, Card form.
      .get('/sdk/card-form.js', (c) =>
        c.body(classicScript(CARD_FORM, host.terms.names.service), 200, SCRIPT_HEADERS),
      )
      .get('/sdk/checkout.js', (c) => c.body(entry(SCRIPTS.checkoutDriver), 200, MODULE_HEADERS))
      .get('/sdk/machine.js', (c) => c.body(entry(SCRIPTS.machine), 200, MODULE_HEADERS))
      .get('/sdk/plazo-checkout.css', (c) => c.body(CHECKOUT_STYLE, 200, STYLE_HEADERS))
      .get('/sdk/plazo-checkout.js', (c) =>
        c.body(entry(SCRIPTS.checkoutElement), 200, MODULE_HEADERS),
      )
      .get(`/${MODULES_PATH}/:script`, (c) => {
        const script = modules.get(c.req.param('script'))
        return script === undefined
          ? problem(c, 404, 'Script not found.')
          : c.body(script.body(), 200, MODULE_HEADERS)
      })
      .get('/favicon.svg', (c) =>
        c.body(ICON, 200, {
          'content-type': 'image/svg+xml',
          'cache-control': 'public, max-age=86400',
        }),
      )
  )
}

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

/**
 * Serves the interface as a document for programs and as a page for people. Each is rendered once,
 * when it is first requested.
 */
export const referenceRoutes = ({
  setting,
  listRoutes,
  described,
}: Services & { readonly described: readonly Route[] }) => {
  const all = () => ({
    ...operations(setting),
    ...Object.fromEntries(described.map((each) => [`${each.method} ${each.path}`, each])),
  })
  const document = memoize(() => openApiDocument(setting, listRoutes(), all()))
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
