import { describe, expect, it } from 'vitest'
import type { Log } from '../log/log.ts'
import type { ReducedMerchant } from './merchant-shares.ts'
import { alertOfSlowMerchants } from './slow-merchants-alert.ts'

const MINUTE = 60_000

const alerting = () => {
  let now = 0
  let timer: { readonly at: number; readonly call: () => void } | null = null
  const slow = new Map<string, ReducedMerchant>()
  const told: unknown[] = []
  const log = ((event: string, fields: object) => void told.push({ event, ...fields })) as Log
  const timers = {
    monotonicNow: () => now,
    after: (millis: number, call: () => void) => {
      timer = { at: now + millis, call }
      return { cancel: () => (timer = null) }
    },
  }
  const { stop } = alertOfSlowMerchants(timers, () => [...slow.values()], log)
  return {
    told,
    stop,
    isWaiting: () => timer !== null,
    set: (merchantRef: string, slowSince: number | null) =>
      slow.set(merchantRef, { kind: 'ipn', merchantRef, slowSince }),
    recover: () => slow.clear(),
    pass: async (millis: number) => {
      for (const until = now + millis; timer !== null && timer.at <= until; ) {
        const { at, call } = timer
        now = at
        timer = null
        call()
        await new Promise((resolve) => setImmediate(resolve))
      }
    },
  }
}

describe('the alert of slow merchants', () => {
  it('comes once a merchant has been slow for a minute, and names the one that has been for longest', async () => {
    const { set, pass, told } = alerting()
    set('later', 40_000)
    set('first', 0)
    set('failing', null)
    await pass(50_000)
    expect(told).toEqual([])
    await pass(20_000)
    expect(told).toEqual([{ event: 'slow_merchants', count: 1, merchant_ref: 'first' }])
  })

  it('comes again once there are twice as many, or after an hour', async () => {
    const { set, pass, told } = alerting()
    set('a', 0)
    await pass(10 * MINUTE)
    expect(told).toHaveLength(1)
    set('b', 0)
    await pass(10 * MINUTE)
    expect(told.at(-1)).toMatchObject({ count: 2 })
    set('c', 0)
    await pass(10 * MINUTE)
    expect(told).toHaveLength(2)
    await pass(60 * MINUTE)
    expect(told.at(-1)).toMatchObject({ count: 3 })
  })

  it('starts over once no merchant is slow', async () => {
    const { set, recover, pass, told } = alerting()
    set('a', 0)
    await pass(2 * MINUTE)
    recover()
    await pass(MINUTE)
    set('a', 3 * MINUTE)
    await pass(2 * MINUTE)
    expect(told).toHaveLength(2)
  })

  it('is looked for no more once it is stopped', () => {
    const { stop, isWaiting } = alerting()
    stop()
    expect(isWaiting()).toBe(false)
  })
})
