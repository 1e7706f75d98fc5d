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
  /** Looks up the names of these URLs' hosts, all at once. */
  readonly look: (urls: readonly string[]) => Promise<void>
  /** As the guard's own, of names that were looked up too. */
  readonly checkUrl: AddressGuard['checkUrl']
}

const PATIENCE = 2_000
// As long as a name is taken for what it was: shops give the same with every order.
const REMEMBERED = 60_000
const REMEMBERED_HALF = 1_000

type Seen = { readonly isBlocked: boolean; readonly until: number }

export const lookedUpHosts = (
  guard: AddressGuard,
  lookup: LookupAll = systemLookup,
  { after, monotonicNow }: Pick<Timers, 'after' | 'monotonicNow'> = systemTimers,
): LookedUpHosts => {
  const seen = memoryOfRows<string, Seen>(REMEMBERED_HALF)

  const isBlocked = (url: URL): Promise<boolean> =>
    new Promise((resolve) => {
      const tired = after(PATIENCE, () => resolve(false))
      guardedLookup(lookup, guard, portOf(url))(url.hostname, {}, (error) => {
        tired.cancel()
        resolve(error !== null && failureOf(error).error === 'blocked_address')
      })
    })

  const lookAt = async (text: string): Promise<void> => {
    const url = URL.parse(text)
    if (url === null || guard.checkUrl(text) !== null) return
    if ((seen.get(url.host)?.until ?? 0) > monotonicNow()) return
    seen.set(url.host, { isBlocked: await isBlocked(url), until: monotonicNow() + REMEMBERED })
  }

  return {
    look: async (urls) => void (await Promise.all(urls.map(lookAt))),
    checkUrl: (text) => {
      const refusal = guard.checkUrl(text)
      if (refusal !== null) return refusal
      return seen.get(URL.parse(text)?.host ?? '')?.isBlocked ? MUST_NOT_BE_CALLED : null
    },
  }
}
