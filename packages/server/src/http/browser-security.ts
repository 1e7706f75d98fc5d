// Protects the people whose browsers talk to this server. Every answer tells the browser to run
// nothing, to let nobody frame it, and to keep nothing, unless a page states what it needs. Pages
// of other origins cannot change anything. Contract §2.

import type { Context } from 'hono'
import { LOOPBACK_NAME } from '../settings/parse-settings.ts'

type Headers = Readonly<Record<string, string>>

type PagePolicy = {
  readonly base?: string | undefined
  readonly mayBeFramed?: boolean
  readonly isPublic?: boolean
}

/** The headers of every answer that does not set them itself. */
const ANSWER_HEADERS: Headers = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
}

const PERMISSIONS =
  'camera=(), display-capture=(), geolocation=(), microphone=(), midi=(), payment=(), publickey-credentials-get=(), usb=()'

/**
 * `sources`: what the page may load and run, as a policy's directives. `base`: that of its links, if it
 * names one. `mayBeFramed`: any page may frame it; else no page may. `isPublic`: credentials
 * protect nothing on this page. On any other page the opener policy cuts the page off from the
 * window that opened it, which could otherwise observe it. The browser needs a new process for
 * that, which takes up to 100 ms.
 */
export const pageHeaders = (
  sources: string,
  { base, mayBeFramed = false, isPublic = false }: PagePolicy = {},
): Headers => ({
  'content-security-policy': `default-src 'none'; ${sources}; base-uri '${base === undefined ? 'none' : 'self'}'${mayBeFramed ? '' : "; frame-ancestors 'none'"}`,
  ...(!isPublic && { 'cross-origin-opener-policy': 'same-origin' }),
  // A shop's page that isolates itself may still frame it.
  ...(mayBeFramed && {
    'cross-origin-resource-policy': 'cross-origin',
    'cross-origin-embedder-policy': 'require-corp',
  }),
  'permissions-policy': PERMISSIONS,
})

/** Pages of any origin may read these answers. */
export const ANY_ORIGIN: Headers = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'Retry-After',
}

/** `usesHsts`: browsers use only https for this address for a year. */
export const answerHeaders = (usesHsts: boolean): Headers => ({
  ...ANSWER_HEADERS,
  ...(usesHsts && { 'strict-transport-security': 'max-age=31536000' }),
})

/** Adds the headers that an answer does not set itself. */
export const addHeaders = (answer: Response, headers: Headers): Response => {
  for (const [name, value] of Object.entries(headers))
    if (!answer.headers.has(name)) answer.headers.set(name, value)
  return answer
}

// A preflight always has an Origin. The route answers what it allows.
const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE'])

/**
 * True for a page that was opened at another name of the loopback interface than `BASE_URL` has:
 * browsers consider these names different origins. The page must be of the server that the request
 * goes to, whose name the browser puts into `Host`.
 */
const isLoopbackAlias = (origin: string, host: string | undefined, serverUrl: URL): boolean => {
  const url = URL.parse(origin)
  return (
    url !== null &&
    url.host === host &&
    url.protocol === serverUrl.protocol &&
    url.port === serverUrl.port &&
    [url, serverUrl].every(({ hostname }) => LOOPBACK_NAME.test(hostname))
  )
}

/**
 * Says why, if a page of another origin asks for a change; null if not. Otherwise the page could use
 * a browser's credentials or network access. A server on localhost needs this too: a `no-cors` request without
 * a Content-Type is sent without a preflight. Servers and command-line tools send neither header.
 * Contract §2.
 *
 * @param baseUrl its origin is the server's own, also behind a proxy that ends TLS
 */
export const requireSameOrigin = (baseUrl: string): ((c: Context) => string | null) => {
  const serverUrl = new URL(baseUrl)
  const refusal = `Requests from a page of another origin are refused. Open ${baseUrl}, or set BASE_URL.`
  return (c) => {
    if (SAFE_METHODS.has(c.req.method)) return null
    const site = c.req.header('sec-fetch-site') ?? 'none'
    const origin = c.req.header('origin') ?? serverUrl.origin
    const isOwn =
      origin === serverUrl.origin || isLoopbackAlias(origin, c.req.header('host'), serverUrl)
    return isOwn && ['same-origin', 'none'].includes(site) ? null : refusal
  }
}
