// Alerts an operator to merchants that have not answered in time for a while. Only their own orders wait, and only somebody who
// talks to them can change that. Contract §6.
import type { Log } from '../log/log.ts'
import type { ReducedMerchant } from './merchant-shares.ts'

/** Real milliseconds. */
const SLOW_FOR = 60_000
const REPEAT_AFTER = 3_600_000

type LastAlert = { readonly count: number; readonly at: number }

/**
 * Call it after each slow attempt. It logs a line when merchants have been slow for a minute, and again after an hour or once
 * twice as many are slow.
 */
export const createSlowMerchantsAlert = (log: Log): ((reduced: readonly ReducedMerchant[], now: number) => void) => {
  let lastAlert: LastAlert | null = null

  return (reduced, now) => {
    const slow = reduced.flatMap(({ merchantRef, slowSince }) =>
      slowSince !== null && now - slowSince >= SLOW_FOR ? [{ merchantRef, slowSince }] : [],
    )
    const count = new Set(slow.map(({ merchantRef }) => merchantRef)).size
    if (count === 0) {
      lastAlert = null
      return
    }
    if (lastAlert !== null && count < 2 * lastAlert.count && now - lastAlert.at < REPEAT_AFTER) return
    lastAlert = { count, at: now }
    const [longest] = slow.toSorted((a, b) => a.slowSince - b.slowSince)
    log('slow_merchants', { count, merchant_ref: longest?.merchantRef ?? null })
  }
}
