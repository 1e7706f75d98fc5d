// Looks hosts up at intake, so that a caller who gives a URL that must not be called gets an error
// at once. A name that cannot be resolved in time passes, because every attempt looks it up and
// checks it again. Contract §6, Address guard.
import { lookup as systemLookup } from 'node:dns'
import { LRUCache } from 'lru-cache'
import { systemTimers, type Timers } from '../../system/clock-and-ids.ts'
import { toRequestFailure } from '../client/request-failure.ts'
import {
  type AddressGuard,
  BLOCKED_URL,
  createSafeLookup,
  type LookupAll,
  portOf,
} from './ssrf-guard.ts'

const LOOKUP_MILLIS_MAX = 2_000
// How long the result for a name is reused: shops give the same name with every order.
const CACHE_MILLIS = 60_000
const HOSTS_MAX = 2_000
// Each lookup holds a thread of the process's pool until the name server answers, even if the
// caller has given up. One merchant's names must not take the threads that deliveries and providers
// need.
const LOOKUPS_PER_OWNER = 4

type OwnerQueue = { underWay: number; readonly waiting: Set<() => void> }

type CachedResult = { readonly isBlocked: boolean; readonly expiresAt: number }

/**
 * Makes a check of host names at intake. It resolves to false if a name leads to an address that
 * the guard forbids, and to true if the name cannot be resolved in time. Results are kept for a
 * short while. Contract §6, Address guard.
 */
export const createDnsPrecheck = (
  guard: AddressGuard,
  lookup: LookupAll = systemLookup,
  { after, monotonicNow }: Pick<Timers, 'after' | 'monotonicNow'> = systemTimers,
) => {
  const results = new LRUCache<string, CachedResult>({ max: HOSTS_MAX })

  const queues = new Map<string, OwnerQueue>()
  // If a shop sends many orders at once, their host is looked up once.
  const pendingLookups = new Map<string, Promise<boolean>>()

  const startNext = (owner: string, queue: OwnerQueue): void => {
    const [next] = queue.waiting
    if (next !== undefined && queue.underWay < LOOKUPS_PER_OWNER) {
      queue.waiting.delete(next)
      queue.underWay += 1
      next()
    } else if (queue.underWay === 0) queues.delete(owner)
  }

  const isBlocked = (owner: string, url: URL): Promise<boolean> =>
    new Promise((resolve) => {
      const queue = queues.get(owner) ?? { underWay: 0, waiting: new Set() }
      queues.set(owner, queue)
      const lookUp = () =>
        createSafeLookup(lookup, guard, portOf(url))(url.hostname, {}, (error) => {
          timer.cancel()
          resolve(error !== null && toRequestFailure(error).error === 'blocked_address')
          queue.underWay -= 1
          startNext(owner, queue)
        })
      const timer = after(LOOKUP_MILLIS_MAX, () => {
        queue.waiting.delete(lookUp)
        resolve(false)
      })
      queue.waiting.add(lookUp)
      startNext(owner, queue)
    })

  const resolveHost = async (owner: string, text: string): Promise<void> => {
    const url = URL.parse(text)
    if (url === null || guard.checkUrl(text) !== null) return
    if ((results.get(url.host)?.expiresAt ?? 0) > monotonicNow()) return
    const key = `${owner} ${url.host}`
    const pendingLookup =
      pendingLookups.get(key) ?? isBlocked(owner, url).finally(() => pendingLookups.delete(key))
    pendingLookups.set(key, pendingLookup)
    results.set(url.host, {
      isBlocked: await pendingLookup,
      expiresAt: monotonicNow() + CACHE_MILLIS,
    })
  }

  return {
    /** Looks up the hosts of these URLs, only a few at a time for each owner. */
    resolveHosts: async (owner: string, urls: readonly string[]): Promise<void> => {
      await Promise.all(urls.map((url) => resolveHost(owner, url)))
    },
    /**
     * Like the guard's own `checkUrl`, but it also checks the addresses of names that were looked
     * up.
     */
    checkUrl: (text: string): string | null => {
      const refusal = guard.checkUrl(text)
      if (refusal !== null) return refusal
      return results.get(URL.parse(text)?.host ?? '')?.isBlocked ? BLOCKED_URL.message : null
    },
  }
}
