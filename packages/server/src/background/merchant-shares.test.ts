import { describe, expect, it } from 'vitest'
import { createMerchantShares } from './merchant-shares.ts'

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
    const { recordBad: bad, shareOf } = openShares()
    const shares = [1, 2, 3, 4, 5].map((n) => {
      bad('ipn', 'shop', n % 2 === 0 ? 'slow' : 'failed')
      return shareOf('shop')
    })
    expect(shares).toEqual([4, 2, 1, 1, 1])
  })

  it('grows by one with each good attempt, up to the full share', () => {
    const { recordBad: bad, recordGood: good, shareOf } = openShares(4)
    for (let n = 0; n < 5; n++) bad('ipn', 'shop', 'slow')
    const shares = [1, 2, 3, 4].map(() => {
      good('ipn', 'shop')
      return shareOf('shop')
    })
    expect(shares).toEqual([2, 3, 4, 4])
  })

  it('is learned separately for events, for IPNs, and for each merchant', () => {
    const { recordBad: bad, sharesForEveryone: ofEveryone } = openShares()
    bad('event', 'shop', 'slow')
    const { event, ipn, others } = ofEveryone()
    expect([event.get('shop'), ipn.get('shop'), event.get('other'), others]).toEqual([4, undefined, undefined, FULL])
  })

  it('names only the good merchants if the others get nothing', () => {
    const { recordBad: bad, recordGood: good, sharesForGood: ofGood } = openShares()
    good('ipn', 'good')
    bad('ipn', 'bad', 'failed')
    good('ipn', 'recovering')
    bad('ipn', 'recovering', 'slow')
    good('ipn', 'recovering')
    expect(ofGood()).toEqual({ others: 0, event: new Map(), ipn: new Map([['good', FULL]]) })
  })

  it('separates slow merchants from those that fail quickly, even with one attempt at a time', () => {
    const { recordBad: bad, recordGood: good, reducedMerchants: reduced, pass } = openShares(1)
    pass(5)
    bad('ipn', 'slow', 'slow')
    pass(5)
    bad('ipn', 'slow', 'slow')
    bad('event', 'failing', 'failed')
    expect(reduced()).toEqual([
      { kind: 'event', merchantRef: 'failing', slowSince: null },
      { kind: 'ipn', merchantRef: 'slow', slowSince: 5 },
    ])
    good('ipn', 'slow')
    expect(reduced()).toHaveLength(1)
  })

  it('is in the same list object until something changes, so that it is written once', () => {
    const { recordBad: bad, recordGood: good, sharesForEveryone: ofEveryone, sharesForGood: ofGood } = openShares()
    bad('ipn', 'bad', 'slow')
    good('ipn', 'good')
    const [everyone, goodOnes] = [ofEveryone(), ofGood()]
    good('ipn', 'good')
    for (let n = 0; n < 4; n++) bad('event', 'worse', 'failed')
    const after = ofEveryone()
    bad('event', 'worse', 'failed')
    expect([ofEveryone() === after, everyone === after, ofGood() === goodOnes]).toEqual([true, false, true])
  })

  it('is dropped for the merchants that were used longest ago', () => {
    const { recordBad: bad, shareOf } = openShares()
    bad('ipn', 'first', 'slow')
    for (let n = 0; n < 20_000; n++) bad('ipn', `shop ${n}`, 'slow')
    expect([shareOf('first'), shareOf('shop 0')]).toEqual([FULL, FULL / 2])
  })
})
