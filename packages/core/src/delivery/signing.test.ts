import { expect, it } from 'vitest'
import { SECRET_OVERLAP, standardWebhooksText } from './signing.ts'

it('the signed content is the id, the timestamp and the body, separated by dots', () => {
  expect(standardWebhooksText('o:3:1', 1_700_000_000, 'event=denied')).toBe(
    'o:3:1.1700000000.event=denied',
  )
})

it('a replaced secret continues to sign for 24 h', () => {
  expect(SECRET_OVERLAP).toBe(86_400_000)
})
