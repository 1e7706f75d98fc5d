// Promises that nobody tries codes, person after person or passwords by sending more requests: they
// are limited for each checkout and for each client's address. It applies only in production, and to
// each node separately. Contract §2.
import type { HttpBindings } from '@hono/node-server'
import { type AddressRange, ipAddress, ipv6Groups } from '@plazo/adapters/internal/http'
import type { Context } from 'hono'
import type { Log } from '../../log/log.ts'
import { refused } from '../problem.ts'

/** Counts a request, or throws a `HandlerError` if there were too many. */
export type RateLimit = (c: Context) => void

/** The client whose requests are counted together. */
export type ClientAddress = (c: Context) => string

/** The limits of one node, and the count of failed logins. Contract §2. */
export type RateLimits = {
  readonly submissions: RateLimit
  readonly polls: RateLimit
  /** Requests for the metadata of a form. They do not use up the polls. */
  readonly metadata: RateLimit
  /** Failed logins. */
  readonly logins: MinuteLimit
}

/** Wrong passwords for one username from one address within a minute. */
export const WRONG_LOGINS_MAX = 20

/** Limits nothing. */
export const noLimits: RateLimits = {
  submissions: () => {},
  polls: () => {},
  metadata: () => {},
  logins: { secondsUntilFree: () => 0, count: () => {} },
}

type LimitName =
  | 'checkout_submissions'
  | 'address_submissions'
  | 'checkout_polls'
  | 'checkout_metadata'

export const rateLimits = (addressOf: ClientAddress, log: Log, now: () => number): RateLimits => {
  const checkoutOf = (c: Context): string => (c.req.param('uuid') ?? '').toLowerCase().slice(0, 36)

  const limit = (name: LimitName, keyOf: (c: Context) => string, max: number, requests: string) => {
    const detail = `Too many ${requests}: ${max} within a minute.`
    return { name, keyOf, detail, counts: minuteLimit(max, now) }
  }

  const refuseBeyond =
    (...limits: readonly ReturnType<typeof limit>[]): RateLimit =>
    (c) => {
      for (const { name, keyOf, detail, counts } of limits) {
        const seconds = counts.secondsUntilFree(keyOf(c))
        if (seconds === 0) continue
        log('limited', { limit: name })
        throw refused(429, detail, seconds)
      }
      for (const { keyOf, counts } of limits) counts.count(keyOf(c))
    }

  return {
    submissions: refuseBeyond(
      limit('checkout_submissions', checkoutOf, 60, 'submissions for this checkout'),
      limit('address_submissions', addressOf, 300, 'submissions for this address'),
    ),
    polls: refuseBeyond(limit('checkout_polls', checkoutOf, 600, 'polls for this checkout')),
    metadata: refuseBeyond(
      limit('checkout_metadata', checkoutOf, 600, 'metadata requests for this checkout'),
    ),
    logins: minuteLimit(WRONG_LOGINS_MAX, now),
  }
}

/** Counts by key, and says when a key that reached its limit is free again. */
export type MinuteLimit = ReturnType<typeof minuteLimit>

const MINUTE = 60_000
// Beyond it, the oldest are forgotten, so that made-up keys cannot fill the memory. Libraries have no
// such bound, and count refused requests too.
const KEYS_MAX = 10_000

/**
 * Allows `max` counts of one key in a minute, which begins with the first of them. At worst, twice
 * as many come within a minute. `now`: monotonic time in real milliseconds.
 */
export const minuteLimit = (max: number, now: () => number) => {
  // In the order in which their minutes began.
  const minutes = new Map<string, { count: number; readonly endsAt: number }>()

  const minuteOf = (key: string) => {
    const minute = minutes.get(key)
    return minute !== undefined && minute.endsAt > now() ? minute : undefined
  }

  return {
    /** Whole seconds until one more fits; 0 if it does now. */
    secondsUntilFree: (key: string): number => {
      const minute = minuteOf(key)
      if (minute === undefined || minute.count < max) return 0
      return Math.ceil((minute.endsAt - now()) / 1000)
    },
    count: (key: string): void => {
      const minute = minuteOf(key)
      if (minute !== undefined) {
        minute.count += 1
        return
      }
      minutes.delete(key)
      minutes.set(key, { count: 1, endsAt: now() + MINUTE })
      const [oldest = key] = minutes.keys()
      if (minutes.size > KEYS_MAX) minutes.delete(oldest)
    },
  }
}

/**
 * Finds the client: the other end of the socket, or what trusted proxies say. Only they are believed,
 * so that no client evades a limit by claiming another address. Contract §7.
 */
export const clientAddress =
  (trusted: AddressRange): ClientAddress =>
  (c) => {
    const { incoming } = (c.env ?? {}) as Partial<HttpBindings>
    return clientOf(incoming?.socket.remoteAddress, c.req.header('x-forwarded-for'), trusted)
  }

// Some proxies write the port too.
const withoutPort = (entry: string): string =>
  /^\[([^\]]+)\](?::\d+)?$/.exec(entry)?.[1] ?? /^([\d.]+):\d+$/.exec(entry)?.[1] ?? entry

/**
 * The client as one text: an IPv4 address, or the /64 network of an IPv6 address, which belongs to
 * one household or machine.
 */
export const clientOf = (
  remote: string | undefined,
  forwarded: string | undefined,
  trusted: AddressRange,
): string => {
  const hops = (forwarded ?? '').split(',').map((entry) => withoutPort(entry.trim()))
  let client = ipAddress(remote ?? '')
  while (client !== null && trusted.contains(client)) {
    const before = ipAddress(hops.pop() ?? '')
    // No readable address comes before this proxy, so the proxy itself counts as the client.
    if (before === null) break
    client = before
  }
  if (client === null) return 'unknown'
  return client.family === 'ipv4' ? client.text : network64(client.text)
}

const network64 = (ipv6: string): string =>
  `${ipv6Groups(ipv6)
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')}::/64`
