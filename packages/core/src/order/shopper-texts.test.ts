import { describe, expect, it } from 'vitest'
import { LANGUAGES } from '../protocol/language.ts'
import { PLACED } from '../testing/harness/order-fixture.ts'
import { textsFor } from './shopper-texts.ts'

const textsIn = (language: string | null) => textsFor({ placed: { ...PLACED, language } })

/** Every text with its path. */
const all = (texts: object, path = ''): readonly (readonly [path: string, text: string])[] =>
  Object.entries(texts).flatMap(([name, value]) =>
    typeof value === 'object'
      ? all(value, `${path}${name}.`)
      : [[`${path}${name}`, typeof value === 'function' ? value('24680') : value] as const],
  )

describe('a text for the shopper', () => {
  it.each([
    ['en', 0, 'Order with obligation to pay TOTAL later'],
    ['en', 1, 'Order with obligation to pay TODAY today'],
    ['es', 0, 'Confirmo el pedido con obligación de pago: TOTAL más adelante'],
    ['es', 1, 'Confirmo el pedido con obligación de pago: TODAY hoy'],
  ])('in %s, if %i is due now, is on the button that binds', (language, value, text) => {
    const [today, total] = [
      { value, string: 'TODAY' },
      { value: 2, string: 'TOTAL' },
    ]
    expect(textsIn(language).orderButton(today, total)).toBe(text)
  })

  it.each([
    ['es_ES.UTF-8', 'Tu código es 24680.'],
    ['es', 'Tu código es 24680.'],
    ['pt-PT', 'Your code is 24680.'],
    [null, 'Your code is 24680.'],
  ])('is in the language of %s if it is supported, otherwise in English', (language, text) => {
    expect(textsIn(language).code('24680')).toBe(text)
  })

  it('exists in every language, and differs between them', () => {
    const inAll = LANGUAGES.map((language) => all(textsIn(language)))
    const [first, ...others] = inAll
    expect(first?.length).toBeGreaterThan(10)
    for (const [path, text] of inAll.flat()) expect(text, path).toMatch(/\p{L}/u)
    for (const other of others) {
      expect(other.map(([path]) => path)).toEqual(first?.map(([path]) => path))
      for (const [index, [, text]] of other.entries()) expect(text).not.toBe(first?.[index]?.[1])
    }
  })
})
