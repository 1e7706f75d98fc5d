// An endpoint is where a shop takes one kind of delivery. Operators judge shops by it, because the
// deliveries of one order do not tell whether the shop fails or only the order.
import type { AttemptError, Report } from './attempt.ts'

/** The two addresses of a shop, each judged for itself: IPNs, and all events. */
export type EndpointKind = 'ipn' | 'event'

// Digits alone, and longer segments with a digit, may be a token or name an order.
const maskSegment = (segment: string): string =>
  /^\d+$|(?=.*\d).{6,}/.test(segment) || segment.length > 32 ? '…' : segment

/**
 * The scheme, host and path of a URL, without what may be secret or differ from order to order: the
 * user, the query, and segments of the path that may be tokens. `https://shop.example/ipn/…`.
 */
export const addressOf = (url: string): string => {
  const parsed = URL.parse(url)
  if (parsed === null) return '…'
  return `${parsed.protocol}//${parsed.host}${parsed.pathname.split('/').map(maskSegment).join('/')}`
}

// The shop was not called, so nothing is known about it.
const NOT_CALLED: ReadonlySet<string | null> = new Set<AttemptError['reason']>([
  'secrets_unavailable',
  'merchant_unknown',
  'no_socket',
])

/** An attempt that takes longer is slow, in milliseconds. */
export const SLOW_AFTER_MILLIS = 3_000

/**
 * True if the shop accepted the request in time, so that it is good until its next attempt. Null:
 * the attempt says nothing about the shop. Contract §6, Fairness.
 */
export const isGoodAttempt = (report: Report): boolean | null =>
  NOT_CALLED.has(report.error)
    ? null
    : report.error === null && report.durationMillis <= SLOW_AFTER_MILLIS
