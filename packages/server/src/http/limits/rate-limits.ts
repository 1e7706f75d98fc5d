// Promises that nobody tries codes, person after person or passwords by sending more requests: they
// are limited for each checkout and for each client's address. It applies only in production, and to
// each node separately. Contract §2.
import type { Context, MiddlewareHandler } from 'hono'
import type { Log } from '../../log/log.ts'
import type { ClientAddress } from '../client-address.ts'
import { problem } from '../problem.ts'

/** The limits of one node as middleware, and the count of failed logins. Contract §2. */
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

/** Limits nothing. */
export const noLimits: RateLimits = {
  submissions: passThrough,
  polls: passThrough,
  metadata: passThrough,
  logins: { secondsUntilFree: () => 0, count: () => {}, size: () => 0 },
}

/** Which requests are counted together, how many of them are let through in a minute, and their name. */
type Limit = {
  readonly per: 'checkout' | 'address'
  readonly max: number
  readonly requests: string
}

const LIMITS = {
  checkout_submissions: { per: 'checkout', max: 60, requests: 'submissions for this checkout' },
  address_submissions: { per: 'address', max: 300, requests: 'submissions for this address' },
  checkout_polls: { per: 'checkout', max: 600, requests: 'polls for this checkout' },
  checkout_metadata: {
    per: 'checkout',
    max: 600,
    requests: 'metadata requests for this checkout',
  },
} as const satisfies { readonly [name: string]: Limit }

export const rateLimits = (addressOf: ClientAddress, log: Log, now: () => number): RateLimits => {
  const keyOf = {
    checkout: (c: Context): string => (c.req.param('uuid') ?? '').toLowerCase().slice(0, 36),
    address: addressOf,
  }
  const limitRequests = (...names: readonly (keyof typeof LIMITS)[]): MiddlewareHandler => {
    const limits = names.map((name) => {
      const { per, max, requests } = LIMITS[name]
      const detail = `Too many ${requests}: ${max} within a minute.`
      return { name, keyOf: keyOf[per], detail, limiter: minuteLimit({ max, now }) }
    })
    return async (c, next) => {
      const checks = limits.map((limit) => {
        const key = limit.keyOf(c)
        return { ...limit, key, seconds: limit.limiter.secondsUntilFree(key) }
      })
      const exceeded = checks.find(({ seconds }) => seconds > 0)
      if (exceeded !== undefined) {
        log('limited', { limit: exceeded.name })
        const wait = Math.max(...checks.map(({ seconds }) => seconds))
        return problem(c, 429, exceeded.detail, { 'retry-after': String(wait) })
      }
      for (const { limiter, key } of checks) limiter.count(key)
      return next()
    }
  }

  return {
    submissions: limitRequests('checkout_submissions', 'address_submissions'),
    polls: limitRequests('checkout_polls'),
    metadata: limitRequests('checkout_metadata'),
    logins: minuteLimit({ max: WRONG_LOGINS_MAX, now }),
  }
}

/**
 * Counts by key within the last minute, and says when a key that reached its limit is free again.
 */
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

  /** The key's instants of the last minute; forgets the older ones. */
  const countedThisMinute = (key: string): readonly number[] => {
    const instants = counted.get(key) ?? []
    const since = now() - MINUTE
    while (instants[0] !== undefined && instants[0] <= since) {
      instants.shift()
      size -= 1
    }
    if (instants.length === 0) counted.delete(key)
    return instants
  }

  const dropOldest = (): void => {
    const since = now() - MINUTE
    for (const [key, instants] of counted) {
      if ((instants.at(-1) ?? 0) > since && size + KEY_COST * counted.size <= instantsMax) return
      size -= instants.length
      counted.delete(key)
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
