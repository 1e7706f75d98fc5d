// Tells an operator of merchants that have not answered in time for a while. Their own orders wait, and only somebody who talks
// to them can change that. Contract §6.
import type { Timers } from '@plazo/adapters/system'
import type { Log } from '../log/log.ts'
import { repeating } from '../repeating.ts'
import type { ReducedMerchant } from './merchant-shares.ts'

/** Real milliseconds. */
const LOOK_EVERY = 10_000
const SLOW_FOR = 60_000
const TOLD_AGAIN_AFTER = 3_600_000

type Told = { readonly count: number; readonly at: number }

/** One line when merchants have been slow for a minute, and again each hour while any are, or once they are twice as many. */
export const alertOfSlowMerchants = (
  timers: Pick<Timers, 'monotonicNow' | 'after'>,
  reduced: () => readonly ReducedMerchant[],
  log: Log,
) => {
  let told: Told | null = null

  const look = (): void => {
    const now = timers.monotonicNow()
    const slow = reduced().flatMap(({ merchantRef, slowSince }) =>
      slowSince !== null && now - slowSince >= SLOW_FOR ? [{ merchantRef, slowSince }] : [],
    )
    const merchants = new Set(slow.map(({ merchantRef }) => merchantRef))
    if (merchants.size === 0) {
      told = null
      return
    }
    if (told !== null && merchants.size < 2 * told.count && now - told.at < TOLD_AGAIN_AFTER) return
    told = { count: merchants.size, at: now }
    const [longest] = slow.toSorted((a, b) => a.slowSince - b.slowSince)
    log('slow_merchants', { count: merchants.size, merchant_ref: longest?.merchantRef ?? null })
  }

  return repeating(timers, LOOK_EVERY, async () => look())
}
