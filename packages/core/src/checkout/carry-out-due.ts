// Carries out everything that is due now, one after another: the whole of a dispatcher for a host that needs no more.
import * as E from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { Entry } from '../ports/store.ts'
import type { Unavailable } from '../ports/unavailable.ts'
import { carryOut, type Performers } from './carry-out.ts'
import type { Host } from './host.ts'
import { settleEntry } from './settle-entry.ts'

// One after another: of two that are claimed, the second waits for the first, and each may take 30 s.
const AT_ONCE = 1
const LEASE = 120_000

export type DuePerformers = Pick<Performers, 'deciders' | 'gateway'> & {
  /** Told of what did not work, each time; `thrown`: what a port has thrown, maybe in a shopper's own words. */
  readonly onTrouble?: (message: string, entry: Entry, thrown?: unknown) => void
}

/** Answers with what it tried, whatever came of it; ends when nothing more is due. */
export const carryOutDue =
  (host: Host, { onTrouble, ...performers }: DuePerformers): TaskEither<Unavailable, readonly Entry[]> =>
  async () => {
    const perform = carryOut({ ...performers, clock: host.clock }, 0)
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
