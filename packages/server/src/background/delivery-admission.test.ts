import type { EffectResult } from '@plazo/core'
import type { Job } from '@plazo/core/ports'
import { describe, expect, it } from 'vitest'
import { handTimers } from '../../../../test/harness/time.ts'
import { createDeliveryAdmission, createMerchantShares } from './delivery-admission.ts'

const done: EffectResult = {
  event: null,
  attemptResult: { type: 'finished', status: 'delivered' },
  error: null,
  report: null,
}
const failed: EffectResult = {
  ...done,
  error: { reason: 'answered', status: 500, message: 'answered 500' },
}

const anIpn = (merchantRef: string): Job => ({
  key: 'order:1:ipn',
  orderRef: 'order',
  merchantRef,
  lane: 'ipn',
  payload: { kind: 'ipn', state: 'approved', url: '', contentType: '', body: '' },
  expiresAt: null,
  attempt: 1,
  isResend: false,
  firstAt: 0,
  startedAt: 0,
  token: '1',
})

const openAdmission = (sockets = 100) => {
  const { timers, move, count } = handTimers()
  const admission = createDeliveryAdmission({ sockets, perMerchant: 4 }, timers)
  return {
    ...admission,
    timers: count,
    pass: move,
    attempt: (merchantRef: string, result: EffectResult) =>
      admission.noteResult(anIpn(merchantRef), timers.monotonicNow(), result),
  }
}

describe('a node admits', () => {
  it('as many deliveries as there are slots, while few sockets are taken', () => {
    expect(openAdmission().request(30, 0)).toEqual({ deliveries: 30, isReserved: false })
  })

  it('any merchant to the first half of its sockets, and only good ones to the other half', () => {
    const { request, attempt } = openAdmission()
    attempt('good', done)
    attempt('bad', failed)
    expect(request(64, 40)).toMatchObject({
      deliveries: 10,
      isReserved: false,
      shares: { others: 4 },
    })
    const reserved = request(64, 50)
    expect(reserved).toMatchObject({ deliveries: 50, isReserved: true, shares: { others: 0 } })
    expect([...(reserved.shares?.ipn ?? [])]).toEqual([['good', 4]])
  })

  it('nobody once all sockets are taken', () => {
    expect(openAdmission().request(64, 100)).toMatchObject({ deliveries: 0 })
  })

  it('nobody for a second after the process ran out of sockets', () => {
    const { request, pause, pass } = openAdmission()
    pause()
    pass(999)
    expect(request(64, 0)).toMatchObject({ deliveries: 0, isReserved: true })
    pass(1)
    expect(request(30, 0)).toMatchObject({ deliveries: 30 })
  })
})

describe('an attempt', () => {
  const job = anIpn('shop')

  it('that waits too long counts as slow once, before it has ended', () => {
    const { noteWaiting, noteResult, request, pass, reducedMerchants, timers } = openAdmission()
    pass(100)
    noteWaiting(job, 0)
    pass(2_899)
    expect(reducedMerchants()).toEqual([])
    pass(1)
    expect(reducedMerchants()).toEqual([{ kind: 'ipn', merchantRef: 'shop', slowSince: 3_000 }])
    noteWaiting(job, 0)
    noteResult(job, 0, failed)
    expect(request(64, 0).shares?.ipn.get('shop')).toBe(2)
    expect(timers()).toBe(0)
  })

  it('that waited and was answered in time is good', () => {
    const { noteWaiting, noteResult, pass, reducedMerchants, timers } = openAdmission()
    noteWaiting(job, 0)
    pass(1_000)
    noteResult(job, 0, done)
    expect([reducedMerchants(), timers()]).toEqual([[], 0])
  })

  it('is slow if the gateway did not report that it waited', () => {
    const { noteResult, pass, reducedMerchants } = openAdmission()
    pass(3_000)
    noteResult(job, 0, done)
    expect(reducedMerchants()).toHaveLength(1)
  })

  it('that could not be made does not count for the merchant', () => {
    const { attempt, reducedMerchants } = openAdmission()
    attempt('shop', { ...failed, wasCalled: false })
    expect(reducedMerchants()).toEqual([])
  })
})

const FULL = 8

const openShares = (perMerchant = FULL) => {
  let now = 0
  const learned = createMerchantShares(perMerchant, () => now)
  return {
    ...learned,
    pass: (millis: number) => {
      now += millis
    },
    shareOf: (merchantRef: string) =>
      learned.sharesForEveryone().ipn.get(merchantRef) ?? learned.sharesForEveryone().others,
  }
}

describe('a merchant’s share', () => {
  it('is full for an unknown merchant', () => {
    expect(openShares().shareOf('new')).toBe(FULL)
  })

  it('is halved by each attempt that is slow or fails, down to one', () => {
    const { recordBad, shareOf } = openShares()
    const shares = [1, 2, 3, 4, 5].map((n) => {
      recordBad('ipn', 'shop', n % 2 === 0 ? 'slow' : 'failed')
      return shareOf('shop')
    })
    expect(shares).toEqual([4, 2, 1, 1, 1])
  })

  it('grows by one with each good attempt, up to the full share', () => {
    const { recordBad, recordGood, shareOf } = openShares(4)
    for (let n = 0; n < 5; n++) recordBad('ipn', 'shop', 'slow')
    const shares = [1, 2, 3, 4].map(() => {
      recordGood('ipn', 'shop')
      return shareOf('shop')
    })
    expect(shares).toEqual([2, 3, 4, 4])
  })

  it('is learned separately for events, for IPNs, and for each merchant', () => {
    const { recordBad, sharesForEveryone } = openShares()
    recordBad('event', 'shop', 'slow')
    const { event, ipn, others } = sharesForEveryone()
    expect([event.get('shop'), ipn.get('shop'), event.get('other'), others]).toEqual([
      4,
      undefined,
      undefined,
      FULL,
    ])
  })

  it('names only the good merchants if the others get nothing', () => {
    const { recordBad, recordGood, sharesForGood } = openShares()
    recordGood('ipn', 'good')
    recordBad('ipn', 'bad', 'failed')
    recordGood('ipn', 'recovering')
    recordBad('ipn', 'recovering', 'slow')
    recordGood('ipn', 'recovering')
    expect(sharesForGood()).toEqual({ others: 0, event: new Map(), ipn: new Map([['good', FULL]]) })
  })

  it('separates slow merchants from those that fail quickly, even with one attempt at a time', () => {
    const { recordBad, recordGood, reducedMerchants, pass } = openShares(1)
    pass(5)
    recordBad('ipn', 'slow', 'slow')
    pass(5)
    recordBad('ipn', 'slow', 'slow')
    recordBad('event', 'failing', 'failed')
    expect(reducedMerchants()).toEqual([
      { kind: 'event', merchantRef: 'failing', slowSince: null },
      { kind: 'ipn', merchantRef: 'slow', slowSince: 5 },
    ])
    recordGood('ipn', 'slow')
    expect(reducedMerchants()).toHaveLength(1)
  })

  it('is in the same list object until something changes, so that it is written once', () => {
    const { recordBad, recordGood, sharesForEveryone, sharesForGood } = openShares()
    recordBad('ipn', 'bad', 'slow')
    recordGood('ipn', 'good')
    const [everyone, goodOnes] = [sharesForEveryone(), sharesForGood()]
    recordGood('ipn', 'good')
    for (let n = 0; n < 4; n++) recordBad('event', 'worse', 'failed')
    const after = sharesForEveryone()
    recordBad('event', 'worse', 'failed')
    expect([
      sharesForEveryone() === after,
      everyone === after,
      sharesForGood() === goodOnes,
    ]).toEqual([true, false, true])
  })

  it('is dropped for the merchants that were used longest ago', () => {
    const { recordBad, shareOf } = openShares()
    recordBad('ipn', 'first', 'slow')
    for (let n = 0; n < 20_000; n++) recordBad('ipn', `shop ${n}`, 'slow')
    expect([shareOf('first'), shareOf('shop 0')]).toEqual([FULL, FULL / 2])
  })
})
