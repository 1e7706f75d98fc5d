// What the addresses say that a name has now, so that whoever gives a URL that must not be called hears of it at once. A name
// that nobody can resolve in time passes: every attempt looks it up and judges anew. Contract §6, Address guard.
import { lookup as systemLookup } from 'node:dns'
import { memoryOfRows } from '../rows/memory-of-rows.ts'
import { systemTimers, type Timers } from '../system/timers.ts'
import { type AddressGuard, MUST_NOT_BE_CALLED } from './address-guard.ts'
import { guardedLookup, type LookupAll } from './guarded-lookup.ts'
import { failureOf } from './request-failure.ts'
import { portOf } from './url-port.ts'

export type LookedUpHosts = {
  /** Looks up the names of these URLs' hosts, a few of one owner's at a time. */
  readonly look: (owner: string, urls: readonly string[]) => Promise<void>
  /** As the guard's own, of names that were looked up too. */
  readonly checkUrl: AddressGuard['checkUrl']
}

const PATIENCE = 2_000
// As long as a name is taken for what it was: shops give the same with every order.
const REMEMBERED = 60_000
const REMEMBERED_HALF = 1_000
// Each holds a thread of the whole process's until its name server answers, whoever has lost patience: one merchant's names
// must not take those that deliveries, providers and passwords want.
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
  // A shop that comes with many orders at once asks for their host once.
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
