import type { EffectResult, Job } from '@plazo/core'
import { describe, expect, it } from 'vitest'
import { handTimers } from '../../../../test/harness/time.ts'
import { createDeliveryAdmission } from './delivery-admission.ts'

const done: EffectResult = {
  event: null,
  attemptResult: { type: 'finished', status: 'delivered' },
  error: null,
  report: null,
}
const failed: EffectResult = { ...done, error: { reason: 'answered', status: 500, message: 'answered 500' } }

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
    expect(request(64, 40)).toMatchObject({ deliveries: 10, isReserved: false, shares: { others: 4 } })
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
    const { noteWaiting: waits, noteResult: ended, request, pass, reducedMerchants: reduced, timers } = openAdmission()
    pass(100)
    waits(job, 0)
    pass(2_899)
    expect(reduced()).toEqual([])
    pass(1)
    expect(reduced()).toEqual([{ kind: 'ipn', merchantRef: 'shop', slowSince: 3_000 }])
    waits(job, 0)
    ended(job, 0, failed)
    expect(request(64, 0).shares?.ipn.get('shop')).toBe(2)
    expect(timers()).toBe(0)
  })

  it('that waited and was answered in time is good', () => {
    const { noteWaiting: waits, noteResult: ended, pass, reducedMerchants: reduced, timers } = openAdmission()
    waits(job, 0)
    pass(1_000)
    ended(job, 0, done)
    expect([reduced(), timers()]).toEqual([[], 0])
  })

  it('is slow if the gateway did not report that it waited', () => {
    const { noteResult: ended, pass, reducedMerchants: reduced } = openAdmission()
    pass(3_000)
    ended(job, 0, done)
    expect(reduced()).toHaveLength(1)
  })

  it('that could not be made does not count for the merchant', () => {
    const { attempt, reducedMerchants: reduced } = openAdmission()
    attempt('shop', { ...failed, wasCalled: false })
    expect(reduced()).toEqual([])
  })
})
