// Limits requests that need no credentials, and guesses of passwords: for each checkout, and for
// each client's address. It applies only in production, and to each node separately. Contract §2.
import type { HttpBindings } from '@hono/node-server'
import { type AddressRange, ipAddress, ipv6Groups } from '@plazo/adapters/http'
import type { Context, MiddlewareHandler } from 'hono'
import type { FieldValue, Log } from '../../log/log.ts'
import { problem } from '../problem.ts'

export type RateLimits = {
  readonly submissions: MiddlewareHandler
  readonly polls: MiddlewareHandler
  /** Requests for the metadata of a form. They do not use up the polls. */
  readonly metadata: MiddlewareHandler
  /** Failed logins. */
  readonly logins: MinuteLimit
}

const passThrough: MiddlewareHandler = (_, next) => next()

/** Wrong passwords for one username from one address within a minute. */
export const WRONG_LOGINS_MAX = 20

/** A sandbox limits nothing. */
export const noLimits: RateLimits = {
  submissions: passThrough,
  polls: passThrough,
  metadata: passThrough,
  logins: { secondsUntilFree: () => 0, count: () => {}, size: () => 0 },
}

const checkoutKey = (c: Context): string => (c.req.param('uuid') ?? '').toLowerCase().slice(0, 36)

/**
 * At most `max` requests with the same key within a minute. `requests`: what they are, for the
 * answer.
 */
type Limit = {
  readonly name: FieldValue<'limit'>
  readonly max: number
  readonly keyOf: (c: Context) => string
  readonly requests: string
}

export const rateLimits = (addressOf: ClientAddress, log: Log, now: () => number): RateLimits => {
  const limitRequests = (...limits: readonly Limit[]): MiddlewareHandler => {
    const counted = limits.map((limit) => ({
      ...limit,
      limiter: minuteLimit({ max: limit.max, now }),
    }))
    return async (c, next) => {
      const keyed = counted.map((limit) => ({ ...limit, key: limit.keyOf(c) }))
      const waits = keyed.map(({ limiter, key }) => limiter.secondsUntilFree(key))
      const exceeded = keyed.find((_, index) => (waits[index] ?? 0) > 0)
      if (exceeded !== undefined) {
        log('limited', { limit: exceeded.name })
        const detail = `Too many ${exceeded.requests}: ${exceeded.max} within a minute.`
        return problem(c, 429, detail, { 'retry-after': String(Math.max(...waits)) })
      }
      for (const { limiter, key } of keyed) limiter.count(key)
      return next()
    }
  }

  return {
    submissions: limitRequests(
      {
        name: 'checkout_submissions',
        max: 60,
        keyOf: checkoutKey,
        requests: 'submissions for this checkout',
      },
      {
        name: 'address_submissions',
        max: 300,
        keyOf: addressOf,
        requests: 'submissions for this address',
      },
    ),
    polls: limitRequests({
      name: 'checkout_polls',
      max: 600,
      keyOf: checkoutKey,
      requests: 'polls for this checkout',
    }),
    metadata: limitRequests({
      name: 'checkout_metadata',
      max: 600,
      keyOf: checkoutKey,
      requests: 'metadata requests for this checkout',
    }),
    logins: minuteLimit({ max: WRONG_LOGINS_MAX, now }),
  }
}

export type MinuteLimit = ReturnType<typeof minuteLimit>

type MinuteLimitOptions = {
  readonly max: number
  /** Monotonic time in real milliseconds. */
  readonly now: () => number
  /**
   * Beyond it, the keys counted longest ago are forgotten, so that made-up keys cannot fill the
   * memory.
   */
  readonly instantsMax?: number
}

const MINUTE = 60_000
// Instants of eight bytes each, about 16 MB in total.
const INSTANTS_MAX = 2_000_000
// The additional cost of a key, in instants.
const KEY_COST = 20

/**
 * Allows at most `max` counts of one key in any minute. The window slides, so that no border
 * between two minutes lets twice as many through. Libraries count in fixed windows, and count
 * refused requests too.
 */
export const minuteLimit = ({ max, now, instantsMax = INSTANTS_MAX }: MinuteLimitOptions) => {
  // Each key's instants, oldest first; the keys in the order in which they were last counted.
  const counted = new Map<string, number[]>()
  let size = 0

  const drop = (key: string, count: number): void => {
    const instants = counted.get(key) ?? []
    size -= Math.min(count, instants.length)
    instants.splice(0, count)
    if (instants.length === 0) counted.delete(key)
  }

  const countedThisMinute = (key: string): readonly number[] => {
    const instants = counted.get(key) ?? []
    const since = now() - MINUTE
    const firstRecent = instants.findIndex((at) => at > since)
    drop(key, firstRecent < 0 ? instants.length : firstRecent)
    return counted.get(key) ?? []
  }

  const dropOldest = (): void => {
    const since = now() - MINUTE
    for (const [key, instants] of counted) {
      if ((instants.at(-1) ?? 0) > since && size + KEY_COST * counted.size <= instantsMax) return
      drop(key, instants.length)
    }
  }

  return {
    /** Whole seconds until one more fits; 0 if it does now. */
    secondsUntilFree: (key: string): number => {
      const recent = countedThisMinute(key)
      const oldest = recent[recent.length - max]
      return oldest === undefined ? 0 : Math.ceil((oldest + MINUTE - now()) / 1000)
    },
    count: (key: string): void => {
      const instants = counted.get(key) ?? []
      instants.push(now())
      counted.delete(key)
      counted.set(key, instants)
      size += 1
      dropOldest()
    },
    /** The number of remembered instants, of all keys together. */
    size: (): number => size,
  }
}

/** The client whose requests are counted together. */
export type ClientAddress = (c: Context) => string

/** Finds the client: the other end of the socket, or what trusted proxies say. Contract §7. */
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
