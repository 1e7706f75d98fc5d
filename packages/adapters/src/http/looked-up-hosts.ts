// Looks hosts up at intake, so that a caller who gives a URL that must not be called gets an error at once. A name that cannot
// be resolved in time passes, because every attempt looks it up and checks it again. Contract §6, Address guard.
import { lookup as systemLookup } from 'node:dns'
import { memoryOfRows } from '../rows/memory-of-rows.ts'
import { systemTimers, type Timers } from '../system/timers.ts'
import { type AddressGuard, MUST_NOT_BE_CALLED } from './address-guard.ts'
import { guardedLookup, type LookupAll } from './guarded-lookup.ts'
import { failureOf } from './request-failure.ts'
import { portOf } from './url-port.ts'

export type LookedUpHosts = {
  /** Looks up the hosts of these URLs, only a few at a time for each owner. */
  readonly look: (owner: string, urls: readonly string[]) => Promise<void>
  /** Like the guard's own `checkUrl`, but it also checks the addresses of names that were looked up. */
  readonly checkUrl: AddressGuard['checkUrl']
}

const PATIENCE = 2_000
// How long the result for a name is reused: shops give the same name with every order.
const REMEMBERED = 60_000
const REMEMBERED_HALF = 1_000
// Each lookup holds a thread of the process's pool until the name server answers, even if the caller has given up. One
// merchant's names must not take the threads that deliveries, providers and passwords need.
const AT_ONCE = 4

type Turns = { underWay: number; readonly waiting: Set<() => void> }

type Seen = { readonly isBlocked: boolean; readonly until: number }

export const lookedUpHosts = (
  guard: AddressGuard,
  lookup: LookupAll = systemLookup,
  { after, monotonicNow }: Pick<Timers, 'after' | 'monotonicNow'> = systemTimers,
): LookedUpHosts => {
  const seen = memoryOfRows<string, Seen>(REMEMBERED_HALF)

  const turns = new Map<string, Turns>()
  // If a shop sends many orders at once, their host is looked up once.
  const asked = new Map<string, Promise<boolean>>()

  const goOn = (owner: string, own: Turns): void => {
    const [next] = own.waiting
    if (next !== undefined && own.underWay < AT_ONCE) {
      own.waiting.delete(next)
      own.underWay += 1
      next()
    } else if (own.underWay === 0) turns.delete(owner)
  }

  const isBlocked = (owner: string, url: URL): Promise<boolean> =>
    new Promise((resolve) => {
      const own = turns.get(owner) ?? { underWay: 0, waiting: new Set() }
      turns.set(owner, own)
      const lookUp = () =>
        guardedLookup(lookup, guard, portOf(url))(url.hostname, {}, (error) => {
          tired.cancel()
          resolve(error !== null && failureOf(error).error === 'blocked_address')
          own.underWay -= 1
          goOn(owner, own)
        })
      const tired = after(PATIENCE, () => {
        own.waiting.delete(lookUp)
        resolve(false)
      })
      own.waiting.add(lookUp)
      goOn(owner, own)
    })

  const lookAt = async (owner: string, text: string): Promise<void> => {
    const url = URL.parse(text)
    if (url === null || guard.checkUrl(text) !== null) return
    if ((seen.get(url.host)?.until ?? 0) > monotonicNow()) return
    const key = `${owner} ${url.host}`
    const begun = asked.get(key) ?? isBlocked(owner, url).finally(() => asked.delete(key))
    asked.set(key, begun)
    seen.set(url.host, { isBlocked: await begun, until: monotonicNow() + REMEMBERED })
  }

  return {
    look: async (owner, urls) => void (await Promise.all(urls.map((url) => lookAt(owner, url)))),
    checkUrl: (text) => {
      const refusal = guard.checkUrl(text)
      if (refusal !== null) return refusal
      return seen.get(URL.parse(text)?.host ?? '')?.isBlocked ? MUST_NOT_BE_CALLED : null
    },
  }
}
