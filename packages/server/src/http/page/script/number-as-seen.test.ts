import { numberAsSeen as coreNumberAsSeen } from '@plazo/core/protocol'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { numberAsSeen } from './number-as-seen.ts'

it('reads a number in the page as the core reads it', () => {
  const marks = '٤１２３ \u200b\u2011−ー-\u00ad\u202e／/\u{1d7d9}é\u0301\u0000\u2800'
  fc.assert(
    fc.property(
      fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: fc.constantFrom(...marks) })),
      (typed) => {
        expect(numberAsSeen(typed)).toBe(coreNumberAsSeen(typed))
      },
    ),
  )
})
