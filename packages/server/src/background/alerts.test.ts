import type { SlowMerchant } from '@plazo/adapters/host'
import { describe, expect, it } from 'vitest'
import type { Log } from '../log/log.ts'
import { createSlowMerchantsAlert } from './alerts.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND

const openAlerts = (isDrilled?: (merchantRef: string) => boolean) => {
  const reported: unknown[] = []
  const look = createSlowMerchantsAlert(
    ((event: string, fields: object) => void reported.push({ event, ...fields })) as Log,
    isDrilled,
  )
  return {
    reported,
    /** Reports merchants that have been slow since the given time; null: not slow, but failing. */
    look: (now: number, slowSince: Readonly<Record<string, number | null>>) =>
      look(
        Object.entries(slowSince).map(
          ([merchantRef, since]): SlowMerchant => ({
            kind: 'ipn',
            merchantRef,
            slowSince: since,
          }),
        ),
        now,
      ),
  }
}

describe('the alert of slow merchants', () => {
  it('is logged once a merchant has been slow for a minute, and names the one that has been slow for longest', () => {
    const { look, reported } = openAlerts()
    const merchants = { later: 5 * SECOND, first: 0, failing: null }
    look(MINUTE - 1, merchants)
    expect(reported).toEqual([])
    look(MINUTE + 5 * SECOND, merchants)
    expect(reported).toEqual([{ event: 'slow_merchants', count: 2, merchant_ref: 'first' }])
  })

  it('is logged again if there are twice as many, or after an hour', () => {
    const { look, reported } = openAlerts()
    look(10 * MINUTE, { a: 0 })
    look(20 * MINUTE, { a: 0 })
    expect(reported).toHaveLength(1)
    look(21 * MINUTE, { a: 0, b: 0 })
    look(22 * MINUTE, { a: 0, b: 0, c: 0 })
    expect(reported).toHaveLength(2)
    look(81 * MINUTE, { a: 0, b: 0, c: 0 })
    expect(reported.at(-1)).toMatchObject({ count: 3 })
  })

  it('ignores a merchant whose fault drill may be the reason', () => {
    const { look, reported } = openAlerts((merchantRef) => merchantRef === 'drilled')
    look(10 * MINUTE, { drilled: 0 })
    expect(reported).toEqual([])
    look(11 * MINUTE, { drilled: 0, other: 5 * MINUTE })
    expect(reported).toEqual([{ event: 'slow_merchants', count: 1, merchant_ref: 'other' }])
  })

  it('starts over once no merchant is slow', () => {
    const { look, reported } = openAlerts()
    look(2 * MINUTE, { a: 0 })
    look(3 * MINUTE, {})
    look(5 * MINUTE, { a: 3 * MINUTE })
    expect(reported).toHaveLength(2)
  })
})
