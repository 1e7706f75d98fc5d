// A minimal dispatcher for hosts that do not need a concurrent one: it runs everything that is due now, one by one.
import * as E from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { Entry } from '../ports/store.ts'
import type { Unavailable } from '../ports/unavailable.ts'
import { type EffectHandlers, executeEffect } from './carry-out.ts'
import type { Host } from './host.ts'
import { settleEntry } from './settle-entry.ts'

// Claims one delivery and one other entry at a time. The second waits for the first, and each may take 30 s; the lease covers
// both.
const AT_ONCE = 1
const LEASE = 120_000

export type DuePerformers = Pick<EffectHandlers, 'deciders' | 'gateway'> & {
  /** Called for each failure. `thrown`: the value that a port threw; it may contain a shopper's data. */
  readonly onTrouble?: (message: string, entry: Entry, thrown?: unknown) => void
}

/** Returns the entries that it tried, successful or not. Ends when nothing more is due. */
export const runDueEffects =
  (host: Host, { onTrouble, ...performers }: DuePerformers): TaskEither<Unavailable, readonly Entry[]> =>
  async () => {
    const perform = executeEffect({ ...performers, clock: host.clock }, 0)
    const done: Entry[] = []
    for (;;) {
      const claimed = await host.store.claim(() => ({
        at: host.clock.now(),
        lease: LEASE,
        room: { deliveries: AT_ONCE, work: AT_ONCE },
        perMerchant: AT_ONCE,
      }))()
      if (E.isLeft(claimed)) return claimed
      if (claimed.right.length === 0) return E.right(done)
      for (const entry of claimed.right) {
        const result = await perform(entry)()
        if (result.error !== null) onTrouble?.(result.error, entry, result.thrown)
        const settled = await settleEntry(host)(entry, result)()
        if (E.isLeft(settled)) return settled
        done.push(entry)
      }
    }
  }
