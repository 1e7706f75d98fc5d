import { expect, it } from 'vitest'
import { composed } from './composed.ts'

it('a text is the same however its letters were composed, with up to thirty marks on one', () => {
  expect(composed('Marti\u0301nez Nun\u0303ez')).toBe('Martínez Nuñez')
  expect(composed(`a${'\u0301\u0316'.repeat(15)}`)).toBe(composed(`a${'\u0316\u0301'.repeat(15)}`))
  expect(composed('a\u0301'.repeat(1_000))).toBe('á'.repeat(1_000))
})

it('a text with more marks on one letter than any writing has is left as it is, and not brought into an order', () => {
  const endless = `a${'\u0301'.repeat(16)}${'\u0316'.repeat(15)}`
  expect(composed(endless)).toBe(endless)
  expect(composed(`ó${endless}`)).toBe(`ó${endless}`)
})
