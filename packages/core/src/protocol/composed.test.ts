import { expect, it } from 'vitest'
import { normalizeText } from './composed.ts'

it('a text is the same however its letters were composed, with up to thirty marks on one', () => {
  expect(normalizeText('Marti\u0301nez Nun\u0303ez')).toBe('Martínez Nuñez')
  expect(normalizeText(`a${'\u0301\u0316'.repeat(15)}`)).toBe(normalizeText(`a${'\u0316\u0301'.repeat(15)}`))
  expect(normalizeText('a\u0301'.repeat(1_000))).toBe('á'.repeat(1_000))
})

it('a text with more marks on one letter than any writing has is left as it is, and not brought into an order', () => {
  const endless = `a${'\u0301'.repeat(16)}${'\u0316'.repeat(15)}`
  expect(normalizeText(endless)).toBe(endless)
  expect(normalizeText(`ó${endless}`)).toBe(`ó${endless}`)
})
