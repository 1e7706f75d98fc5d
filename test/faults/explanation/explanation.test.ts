// An explanation is checked as a prediction. `EXPLANATIONS` sets how many, and `SEED` the first world.
import { describe, expect, it } from 'vitest'
import { checkExplanations } from './prediction.ts'

const EXPLANATIONS = Number(process.env.EXPLANATIONS ?? 10_000)
const SEED = Number(process.env.SEED ?? 1)

describe('what an explanation says would happen by itself', () => {
  it('is what happens next if every request fails at once', { timeout: 300_000 }, async () => {
    const { wrong, named } = await checkExplanations(EXPLANATIONS, SEED)
    expect(wrong).toEqual([])
    // Without these, the test would have predicted little.
    expect(Object.keys(named)).toEqual(
      expect.arrayContaining([
        ...['timer.fired', 'ipn.exhausted', 'cancel.exhausted', 'payment.unavailable', 'nothing'],
        ...['timer.fired after an attempt in flight', 'ipn.erred after an attempt in flight'],
      ]),
    )
  })
})
