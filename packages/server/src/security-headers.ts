// Every answer tells the browser to run nothing, to let nobody frame it, and to keep nothing. A page states what it needs
// beyond that. Contract §2.
import type { Context, MiddlewareHandler } from 'hono'

type Headers = Readonly<Record<string, string>>

/** The headers of every answer that does not set them itself. */
export const ANSWER_HEADERS: Headers = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
}

const PERMISSIONS =
  'camera=(), display-capture=(), geolocation=(), microphone=(), midi=(), payment=(), publickey-credentials-get=(), usb=()'

/**
 * `sources`: what the page may load and run, as a policy's directives. `mayBeFramed`: any page may frame it; else no page may.
 */
export const pageHeaders = (sources: string, { mayBeFramed = false } = {}): Headers => ({
  'content-security-policy': `default-src 'none'; ${sources}; base-uri 'none'${mayBeFramed ? '' : "; frame-ancestors 'none'"}`,
  'cross-origin-opener-policy': 'same-origin',
  // A shop's page that isolates itself may still frame it.
  ...(mayBeFramed && { 'cross-origin-resource-policy': 'cross-origin' }),
  'permissions-policy': PERMISSIONS,
})

const YEAR = 31_536_000

const OF_THIS_SERVER = 'answerHeaders'
const whole = new WeakSet<Response>()

const wholeOf = (c: Context, body: string | null, status: number, own: Headers): Response => {
  const always: Headers = c.get(OF_THIS_SERVER) ?? ANSWER_HEADERS
  const answer = new Response(body, { status, headers: { ...always, ...own } })
  whole.add(answer)
  return answer
}

/**
 * A JSON answer with all its headers from the start. Where many answers are made, adding headers afterwards costs more than the
 * answer.
 */
export const wholeAnswer = (c: Context, body: unknown, own: Headers): Response =>
  wholeOf(c, JSON.stringify(body), 200, { 'content-type': 'application/json', ...own })

/** The same without a body. */
export const wholeEmpty = (c: Context, own: Headers): Response => wholeOf(c, null, 204, own)

export const isWhole = (answer: Response): boolean => whole.has(answer)

/** `isLasting`: browsers use only https for this address for a year. */
export const securityHeaders = ({ isLasting }: { readonly isLasting: boolean }): MiddlewareHandler => {
  const all: Headers = {
    ...ANSWER_HEADERS,
    ...(isLasting && { 'strict-transport-security': `max-age=${YEAR}` }),
  }
  const entries = Object.entries(all)
  return async (c, next) => {
    c.set(OF_THIS_SERVER, all)
    await next()
    if (isWhole(c.res)) return
    const { headers } = c.res
    for (const [name, value] of entries) if (!headers.has(name)) headers.set(name, value)
  }
}
