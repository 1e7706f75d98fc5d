import { expect, it } from 'vitest'
import { DrillPayload } from './protocol.ts'

it('a drill touches a share over 0 and at most 1, chosen by a seed of at most 100 characters', () => {
  const isDrill = (value: object): boolean => DrillPayload.is({ fault: 'delay', ...value })
  for (const share of [0.001, 0.5, 1]) expect(isDrill({ share })).toBe(true)
  for (const share of [0, -0.5, 1.001, '0.5', Number.NaN]) expect(isDrill({ share })).toBe(false)
  expect(isDrill({ seed: 's'.repeat(100) })).toBe(true)
  expect(isDrill({ seed: 's'.repeat(101) })).toBe(false)
})
