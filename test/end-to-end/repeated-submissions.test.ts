// Shoppers press buttons twice and frontends retry, so a repeated submission must not send a second
// SMS or take a second path. Contract §4.
import { describe, expect, it } from 'vitest'
import { CODE } from '../harness/shop.ts'
import { servedShop } from './served-shop.ts'
import { agreement, surnames } from './stages.ts'

const { shop, stages } = await servedShop()

const UNREACHABLE = { merchant: { notify_url: 'http://127.0.0.1:9/ipn' } }

describe('a repeated submission', () => {
  it.each([
    ['screening runs', () => stages.proven(surnames('expiry event')), surnames('expiry event')],
    [
      'a payment is due',
      async () => (await stages.revealed(agreement('fp1'))).ref,
      agreement('fp1'),
    ],
    [
      'an alternative is offered',
      async () => (await stages.revealed(surnames('alternative event'))).ref,
      surnames('alternative event'),
    ],
    [
      'an ID session runs',
      async () => (await stages.revealed(surnames('identity event'))).ref,
      surnames('identity event'),
    ],
    ['the merchant is asked', () => stages.settled({}, UNREACHABLE), {}],
    ['the checkout is finished', () => stages.settled(), {}],
    [
      'the order is denied',
      () => stages.settled(surnames('denial event')),
      surnames('denial event'),
    ],
  ])('returns the same action and changes nothing when %s', async (_, reach, extra) => {
    const ref = await reach()
    await shop.advance(0)
    const before = [await shop.order(ref), await shop.history(ref), await shop.messages(ref)]
    const first = await shop.submit(ref, extra)
    for (let n = 0; n < 4; n++)
      expect(await shop.submit(ref, extra)).toMatchObject({ action: first.action })
    expect([await shop.order(ref), await shop.history(ref), await shop.messages(ref)]).toEqual(
      before,
    )
  })

  it('sends one SMS and takes one path, even for fifty at once', async () => {
    const ref = await shop.place()
    const answers = await Promise.all(Array.from({ length: 50 }, () => shop.submit(ref)))
    expect(new Set(answers.map((action) => JSON.stringify(action)))).toEqual(
      new Set(['{"action":"require_validate_otp"}']),
    )
    await shop.advance(0)
    expect(await shop.messages(ref)).toHaveLength(1)

    const codes = await Promise.all(
      Array.from({ length: 50 }, () => shop.submit(ref, { validation_code: CODE })),
    )
    expect(new Set(codes.map(({ action }) => action))).toEqual(new Set(['wait_for_screening']))
    await shop.advance(1)
    const outcomes = await Promise.all(Array.from({ length: 50 }, () => shop.submit(ref)))
    for (const { action } of outcomes) expect(['wait_for_confirmation', 'finish']).toContain(action)
    await shop.advance(0)
    expect(await shop.wait(ref)).toMatchObject({ action: 'finish' })
    const events = (await shop.history(ref)).map(({ event }) => event)
    expect(events.filter((event) => event === 'screening.resolved')).toHaveLength(1)
    expect(events.filter((event) => event === 'ipn.accepted')).toHaveLength(1)
  })
})
