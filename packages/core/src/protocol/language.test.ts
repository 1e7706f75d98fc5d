import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { languageTag as anyLanguage } from '../testing/order-arbitraries.ts'
import { languageOf, languageTag } from './language.ts'

describe('a language tag', () => {
  it.each([
    ['es_ES', 'es-ES'],
    ['es-ES', 'es-ES'],
    ['pt_BR', 'pt-BR'],
    ['', 'en'],
    [null, 'en'],
    ['-', 'en'],
    ['es_ES.UTF-8', 'es-ES'],
    ['ca_ES@valencia', 'ca-ES'],
    ['es-ES,es;q=0.9', 'es-ES'],
    [' es ', 'es'],
    ['español', 'en'],
    ['qq', 'en'],
  ])('given as %j is read as %s', (given, tag) => {
    expect(languageTag(given)).toBe(tag)
  })
})

describe('the language of our texts', () => {
  it.each([
    ['es', 'es'],
    ['es_ES', 'es'],
    ['ES-mx', 'es'],
    [' es ', 'es'],
    ['es_ES.UTF-8', 'es'],
    ['en-GB', 'en'],
    ['fr', 'en'],
    ['est', 'en'],
    ['', 'en'],
    [null, 'en'],
    ['garbage!', 'en'],
  ])('for %j is %s', (given, language) => {
    expect(languageOf(given)).toBe(language)
  })

  it('is one of those there are, whatever a shop sends', () => {
    fc.assert(
      fc.property(fc.oneof(anyLanguage, fc.string({ unit: 'binary' })), (given) => {
        expect(['en', 'es']).toContain(languageOf(given))
      }),
    )
  })
})
