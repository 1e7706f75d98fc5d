import { expect, it } from 'vitest'
import { AdvancePayload } from './protocol.ts'

it('the clock moves by a number of seconds, 0 or more', () => {
  for (const seconds of [0, 0.5, 60, 1e12]) expect(AdvancePayload.is({ seconds })).toBe(true)
  for (const seconds of [-0.5, '60', null, undefined, Number.NaN, true])
    expect(AdvancePayload.is({ seconds })).toBe(false)
})
