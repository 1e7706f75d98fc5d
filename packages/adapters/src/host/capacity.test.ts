import type { Job } from '@plazo/core/ports'
import { describe, expect, it } from 'vitest'
import { handTimers } from '../../../../test/harness/time.ts'
import { type CapacityLimits, createCapacity } from './capacity.ts'

let tokens = 0

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

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
  const slow: string[] = []
  const capacity = createCapacity({
    limits: { deliveries: 8, internal: 2, perAccount: 4, sockets: 20, ...limits },
    timers,
    onSlow: ({ merchantRef }) => slow.push(merchantRef),
  })
  /** Returns what ends the job. `onBegun`: called once it has a place. */
  const start = (job: Job, onBegun = (): void => {}) => {
    let end = (): void => {}
    const done = capacity.run(job, () => {
      onBegun()
      return new Promise<void>((resolve) => {
        end = resolve
      })
    })
    return async () => {
      end()
      await done
    }
  }
  return {
    ...capacity,
    slow,
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
  it('as many deliveries as are not active, as many again ahead, and half of the places for merchants that are not good', () => {
    const { free, startMany } = openCapacity()
    expect(free()).toEqual({ deliveries: 16, notGood: 4, internal: 4 })
    startMany(1, true)
    startMany(2, false)
    expect(free()).toEqual({ deliveries: 13, notGood: 2, internal: 4 })
  })

  it('nothing ahead for places that have been taken for more than a second', () => {
    const { free, startMany, pass } = openCapacity()
    startMany(3, true)
    pass(1_000)
    expect(free().deliveries).toBe(13)
    pass(1)
    expect(free().deliveries).toBe(10)
  })

  it('what was claimed ahead as soon as a place is free, in turn', async () => {
    const { start, noteActivity, stop } = openCapacity({ deliveries: 1 })
    const jobs = Array.from({ length: 4 }, () => anIpn('shop', true))
    const begun: string[] = []
    const ends = jobs.map((job) => start(job, () => void begun.push(job.token)))
    const tokens = jobs.map(({ token }) => token)
    await turn()
    expect(begun).toEqual(tokens.slice(0, 1))
    await ends[0]?.()
    await turn()
    expect(begun).toEqual(tokens.slice(0, 2))
    noteActivity(tokens[1] ?? '', 'waiting')
    await turn()
    expect(begun).toEqual(tokens.slice(0, 3))
    stop()
    await turn()
    expect(begun).toEqual(tokens)
  })

  it('internal jobs in the same way, whatever deliveries do', async () => {
    const { free, start, startMany, pass, stop } = openCapacity()
    startMany(16, true)
    const begun: string[] = []
    const jobs = Array.from({ length: 4 }, () => anInternalJob())
    const ends = jobs.map((job) => start(job, () => void begun.push(job.token)))
    await turn()
    expect(begun).toEqual(jobs.slice(0, 2).map(({ token }) => token))
    expect(free().internal).toBe(0)
    await ends[1]?.()
    await turn()
    expect(begun).toEqual(jobs.slice(0, 3).map(({ token }) => token))
    expect(free().internal).toBe(1)
    pass(1_001)
    expect(free().internal).toBe(0)
    stop()
    await turn()
    expect(begun).toEqual(jobs.map(({ token }) => token))
  })

  it('more once deliveries wait for their answers or end, until all sockets are taken', async () => {
    const { free, startMany, startWaiting } = openCapacity()
    startWaiting(10, true)
    expect(free().deliveries).toBe(10)
    startWaiting(6, true)
    expect(free().deliveries).toBe(4)
    const [end] = startMany(4, true)
    expect(free().deliveries).toBe(0)
    await end?.()
    expect(free().deliveries).toBe(1)
  })

  it('only deliveries of good merchants once the others fill half of the sockets', () => {
    const { free, startWaiting } = openCapacity()
    startWaiting(9, false)
    expect(free()).toMatchObject({ deliveries: 11, notGood: 1 })
    startWaiting(1, false)
    expect(free()).toMatchObject({ deliveries: 10, notGood: 0 })
  })

  it('others in all active places once a claim has shown that no good merchant has anything due', () => {
    const { free, start, noteClaim } = openCapacity()
    const others = ['a', 'b', 'c', 'd'].map((ref) => anIpn(ref, false))
    const places = { capacity: free(), perAccount: 4 }
    expect(noteClaim(places, others)).toBe(true)
    for (const job of others) start(job)
    expect(free()).toMatchObject({ deliveries: 12, notGood: 4 })
    expect(noteClaim({ capacity: free(), perAccount: 4 }, [])).toBe(false)
    expect(free()).toMatchObject({ deliveries: 12, notGood: 0 })
  })

  it('others in half of the active places if the claim found a good merchant', () => {
    const { free, noteClaim } = openCapacity()
    const jobs = [anIpn('a', false), anIpn('b', false), anIpn('c', false), anIpn('d', false)]
    expect(noteClaim({ capacity: free(), perAccount: 4 }, [...jobs, anIpn('good', true)])).toBe(
      false,
    )
    expect(free().notGood).toBe(4)
  })

  it('internal jobs alone during a pause, until the last one is over', () => {
    const { free, pause, pass } = openCapacity()
    const over: string[] = []
    pause('deliveries', 1_000, () => over.push('long'))
    pause('deliveries', 20, () => over.push('short'))
    pass(999)
    expect(free()).toEqual({ deliveries: 0, notGood: 0, internal: 4 })
    expect(over).toEqual(['short'])
    pass(1)
    expect(free().deliveries).toBe(16)
    expect(over).toEqual(['short', 'long'])
  })

  it('only deliveries of good merchants during a pause of the others', () => {
    const { free, pause, pass } = openCapacity()
    pause('notGood', 80, () => {})
    expect(free()).toEqual({ deliveries: 16, notGood: 0, internal: 4 })
    pass(80)
    expect(free().notGood).toBe(4)
  })
})

describe('an attempt', () => {
  it('that has waited for three seconds makes its merchant slow once, and takes no active place again', async () => {
    const capacity = openCapacity()
    const job = anIpn('shop', true)
    const end = capacity.start(job)
    capacity.pass(100)
    expect(capacity.noteActivity(job.token, 'waiting')).toBe(true)
    capacity.pass(2_899)
    expect(capacity.slow).toEqual([])
    capacity.pass(1)
    expect(capacity.slow).toEqual(['shop'])
    capacity.noteActivity(job.token, 'active')
    expect(capacity.free()).toMatchObject({ deliveries: 16, notGood: 4 })
    await end?.()
    expect(capacity.slow).toEqual(['shop'])
    expect(capacity.timers()).toBe(0)
  })

  it('that waited and was answered in time is not slow', async () => {
    const { start, noteActivity, pass, slow, timers } = openCapacity()
    const job = anIpn('shop', true)
    const end = start(job)
    noteActivity(job.token, 'waiting')
    pass(1_000)
    await end?.()
    expect([slow, timers()]).toEqual([[], 0])
  })

  it('is slow even if the gateway did not report that it waited', async () => {
    const { startMany, pass, slow } = openCapacity()
    const [end] = startMany(1, true)
    pass(3_001)
    await end?.()
    expect(slow).toEqual(['shop'])
  })
})
