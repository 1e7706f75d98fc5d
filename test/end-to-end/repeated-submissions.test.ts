// Shoppers press buttons twice and frontends retry, so a repeated submission must not send a second
// SMS or take a second path. Contract §4.
import { describe, expect, it } from 'vitest'
import { CODE } from '../harness/shop.ts'
import { servedShop } from './served-shop.ts'

const { shop } = await servedShop()

describe('a repeated submission', () => {
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
