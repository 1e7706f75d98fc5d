// What every answer tells the browser that shows it: to run nothing, to be framed by nobody, to keep nothing. A page says
// what it needs more than that. Contract §2.
import type { MiddlewareHandler } from 'hono'

type Headers = Readonly<Record<string, string>>

/** Of every answer that says nothing else itself. */
export const ANSWER_HEADERS: Headers = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
}

const PERMISSIONS =
  'camera=(), display-capture=(), geolocation=(), microphone=(), midi=(), payment=(), publickey-credentials-get=(), usb=()'

/** `sources`: what the page may load and run, as a policy's directives; it is framed by nobody, unless by anybody. */
export const pageHeaders = (sources: string, { mayBeFramed = false } = {}): Headers => ({
  'content-security-policy': `default-src 'none'; ${sources}; base-uri 'none'${mayBeFramed ? '' : "; frame-ancestors 'none'"}`,
  'cross-origin-opener-policy': 'same-origin',
  // A shop's page that isolates itself may still frame it.
  ...(mayBeFramed && { 'cross-origin-resource-policy': 'cross-origin' }),
  'permissions-policy': PERMISSIONS,
})

const YEAR = 31_536_000

/** `isLasting`: the address is kept to https for a year. */
export const securityHeaders = ({ isLasting }: { readonly isLasting: boolean }): MiddlewareHandler => {
  const all = Object.entries({
    ...ANSWER_HEADERS,
    ...(isLasting && { 'strict-transport-security': `max-age=${YEAR}` }),
  })
  return async (c, next) => {
    await next()
    const { headers } = c.res
    for (const [name, value] of all) if (!headers.has(name)) headers.set(name, value)
  }
}
