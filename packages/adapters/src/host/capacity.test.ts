import type { Job } from '@plazo/core/ports'
import { describe, expect, it } from 'vitest'
import { handTimers } from '../../../../test/harness/time.ts'
import { type CapacityLimits, createCapacity } from './capacity.ts'

let tokens = 0

const anIpn = (merchantRef: string, isGood: boolean): Job => ({
  key: 'order:1:ipn',
  orderRef: 'order',
  merchantRef,
  lane: 'ipn',
  payload: { kind: 'ipn', state: 'approved', url: '', contentType: '', body: '' },
  expiresAt: null,
  attempt: 1,
  isResend: false,
  isGood,
  firstAt: 0,
  startedAt: 0,
  token: `${++tokens}`,
})

const anInternalJob = (): Job => ({
  ...anIpn('shop', true),
  lane: 'sms',
  payload: { kind: 'sms', to: '', text: '', code: '' },
})

const openCapacity = (limits: Partial<CapacityLimits> = {}) => {
  const { timers, move, count } = handTimers()
  let frees = 0
  const capacity = createCapacity({
    limits: { deliveries: 8, internal: 2, perAccount: 4, sockets: 20, ...limits },
    timers,
    onFree: () => {
      frees += 1
    },
  })
  /** Returns what ends the job. */
  const start = (job: Job) => {
    let end = (): void => {}
    const work = () =>
      new Promise<void>((resolve) => {
        end = resolve
      })
    const done = capacity.run(job, work)
    return async () => {
      end()
      await done
    }
  }
  return {
    ...capacity,
    frees: () => frees,
    asked: capacity.free,
    slow: () => capacity.free().slow,
    start,
    pass: move,
    timers: count,
    free: () => capacity.free().capacity,
    startMany: (count: number, isGood: boolean) =>
      Array.from({ length: count }, () => start(anIpn('shop', isGood))),
    startWaiting: (count: number, isGood: boolean) => {
      for (let n = 0; n < count; n++) {
        const job = anIpn('shop', isGood)
        start(job)
        capacity.noteActivity(job.token, 'waiting')
      }
    },
  }
}

describe('a node may start', () => {
  it('as many deliveries as are not active, and half of the places for merchants that are not good', () => {
    const { free, startMany } = openCapacity()
    expect(free()).toEqual({ deliveries: 8, notGood: 4, internal: 2 })
    startMany(1, true)
    startMany(2, false)
    expect(free()).toEqual({ deliveries: 5, notGood: 2, internal: 2 })
  })

  it('internal jobs whatever deliveries do', async () => {
    const { free, start, startMany } = openCapacity()
    startMany(8, true)
    const end = start(anInternalJob())
    expect(free()).toEqual({ deliveries: 0, notGood: 0, internal: 1 })
    await end()
    expect(free().internal).toBe(2)
  })

  it('more once deliveries wait for their answers or end, until all sockets are taken', async () => {
    const { free, startMany, startWaiting } = openCapacity()
    startWaiting(12, true)
    expect(free().deliveries).toBe(8)
    startWaiting(4, true)
    expect(free().deliveries).toBe(4)
    const [end] = startMany(4, true)
    expect(free().deliveries).toBe(0)
    await end?.()
    expect(free().deliveries).toBe(1)
  })

  it('only deliveries of good merchants once the others fill half of the sockets', () => {
    const { free, startWaiting } = openCapacity()
    startWaiting(9, false)
    expect(free()).toMatchObject({ deliveries: 8, notGood: 1 })
    startWaiting(1, false)
    expect(free()).toMatchObject({ deliveries: 8, notGood: 0 })
  })

  it('others in all active places once a claim has shown that no good merchant has anything due', () => {
    const { asked, free, frees, start, noteClaim } = openCapacity()
    const others = ['a', 'b', 'c', 'd'].map((ref) => anIpn(ref, false))
    noteClaim(asked(), others)
    for (const job of others) start(job)
    expect([free().notGood, frees()]).toEqual([4, 1])
    noteClaim(asked(), [])
    expect([free().notGood, frees()]).toEqual([0, 1])
  })

  it('internal jobs alone during a pause, until the last one is over', () => {
    const { free, frees, isPaused, pause, pass } = openCapacity()
    pause()
    pass(20)
    pause()
    pass(999)
    expect([free(), isPaused()]).toEqual([{ deliveries: 0, notGood: 0, internal: 2 }, true])
    pass(1)
    expect([free().deliveries, isPaused(), frees()]).toEqual([8, false, 2])
  })
})

describe('an attempt', () => {
  it('makes a place free while it waits, and takes one again for reading, even over the limit', () => {
    const { free, frees, start, startMany, noteActivity, waiting } = openCapacity({ deliveries: 1 })
    const job = anIpn('shop', true)
    start(job)
    noteActivity(job.token, 'waiting')
    expect([free().deliveries, frees(), waiting()]).toEqual([1, 1, 1])
    startMany(1, true)
    noteActivity(job.token, 'active')
    expect([free().deliveries, frees(), waiting()]).toEqual([0, 1, 0])
  })

  it('makes its merchant slow after three seconds, once, and takes no active place again', async () => {
    const { free, frees, noteClaim, noteActivity, pass, slow, start, ...capacity } = openCapacity()
    const job = anIpn('shop', true)
    const end = start(job)
    pass(2_999)
    expect([slow(), frees()]).toEqual([[], 0])
    pass(1)
    expect([slow(), frees()]).toEqual([[{ merchantRef: 'shop', kind: 'ipn' }], 1])
    noteActivity(job.token, 'active')
    expect(free()).toMatchObject({ deliveries: 8, notGood: 4 })
    noteClaim(capacity.asked(), [])
    await end()
    expect([slow(), capacity.timers()]).toEqual([[], 0])
  })
})
