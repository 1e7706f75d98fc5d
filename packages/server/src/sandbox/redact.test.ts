import { passesLuhn } from '@plazo/adapters/sandbox'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseJson, redact, redactText } from './redact.ts'

describe('what a sandbox records', () => {
  it('shows four digits of a card number, wherever it is', () => {
    expect(redactText('card 4111 1111-1111 1111, please')).toBe('card •••• 1111, please')
    expect(redact({ note: ['4000000000003220'] })).toEqual({ note: ['•••• 3220'] })
  })

  it('shows four digits of the card form’s number even if it is mistyped', () => {
    expect(redact({ number: '4111 1111 1111 1112' })).toEqual({ number: '•••• 1112' })
    expect(redact({ number: '４１１１\u2011１１１１ 1111\u200b１１１２' })).toEqual({
      number: '•••• 1112',
    })
  })

  it('leaves numbers that are no cards', () => {
    expect(redactText('phone 600123456, order 1234567890123456')).toBe(
      'phone 600123456, order 1234567890123456',
    )
  })

  it.each(['cvc', 'CVV', 'password', 'Authorization', 'cookie'])('never has a %s', (name) => {
    expect(redact({ [name]: '123', deep: { [name]: '123' }, other: 1 })).toEqual({
      deep: {},
      other: 1,
    })
  })
})

/** A card number of 13 to 19 digits, valid by Luhn's rule. */
const card = fc
  .string({ unit: fc.constantFrom(...'0123456789'), minLength: 11, maxLength: 17 })
  .map((rest) => {
    const digits = `4${rest}`
    return digits + [...'0123456789'].find((last) => passesLuhn(digits + last))
  })

const SEPARATORS = [
  '',
  ' ',
  '  ',
  '-',
  '.',
  '/',
  '+',
  '%20',
  '%2B',
  '%2f',
  ' - ',
  '\u2011',
  '\u2013',
  '\u2212',
  '\u00a0',
  '\u200b',
  '%C2%A0',
  '_',
  ', ',
  '\t',
  '&#32;',
  '\\u0020',
]
const ZEROS = ['0', '\uff10', '\u0660', '\u06f0', '\u0966', '\u{1d7ce}']

const spelled = fc
  .tuple(
    card,
    fc.constantFrom(...SEPARATORS),
    fc.integer({ min: 1, max: 5 }),
    fc.constantFrom(...ZEROS),
  )
  .map(([digits, separator, group, zero]) => {
    const ownDigits = [...digits].map((digit) =>
      String.fromCodePoint((zero.codePointAt(0) ?? 0) + Number(digit)),
    )
    const groups = Array.from({ length: Math.ceil(ownDigits.length / group) }, (_, n) =>
      ownDigits.slice(n * group, (n + 1) * group).join(''),
    )
    return { digits, text: groups.join(separator) }
  })

const PLACES: readonly ((text: string) => unknown)[] = [
  (text) => text,
  (text) => `x${text}`,
  (text) => `_${text}_`,
  (text) => `12 ${text}`,
  (text) => `card: ${text}, 12/40`,
  (text) => `a=1&note=${text}&b=2`,
  (text) => `https://shop.example/back?note=${text}#top`,
  (text) => encodeURIComponent(text),
  (text) => ({ deep: [{ note: text }] }),
  (text) => ({ [text]: 1 }),
  (text) => JSON.stringify({ deep: { note: text } }),
  (text) => `{"note":"${text}", cut`,
]

/** Every digit that is left, as ASCII, without what separates them. */
const digitsLeft = (value: unknown): string =>
  [...decodeURIComponent(JSON.stringify(redact(value)).replaceAll('%', '%25'))]
    .join('')
    .normalize('NFKC')
    .replaceAll(/\D/g, '')

describe('a card number in any spelling', () => {
  it('keeps at most four digits, wherever it is', () => {
    fc.assert(
      fc.property(spelled, fc.constantFrom(...PLACES), ({ digits, text }, place) => {
        const redacted = JSON.stringify(redact(place(text)))
        expect(redacted).toContain('••••')
        expect(redacted).not.toContain(text)
        expect(digitsLeft(place(text))).not.toContain(digits.slice(0, -4))
      }),
    )
  })

  it.each([
    ['as a number', { number: 4111111111111111 }, { number: '•••• 1111' }],
    ['as a number in JSON text', '{"a":4111111111111111}', '{"a":"•••• 1111"}'],
    ['of 19 digits, more than a number holds', parseJson('[4000000000000000006]'), ['•••• 0006']],
    ['in a form with plus signs', 'a=4111+1111+1111+1111&b=1', 'a=•••• 1111&b=1'],
    ['in a form with escapes', 'a=4111%201111%201111%201111', 'a=•••• 1111'],
    ['with digits in front', '994111111111111111', '99•••• 1111'],
    ['with full-width digits', '４１１１１１１１１１１１１１１１', '•••• 1111'],
    ['after a letter', 'x4111111111111111', 'x•••• 1111'],
    ['after an underscore', '_4111.1111/1111  1111', '_•••• 1111'],
  ])('shows four digits %s', (_, value, expected) => {
    expect(redact(value)).toEqual(expected)
  })

  it.each([
    'a uuid 41111111-1111-4111-8111-111111111111',
    'at 2026-01-31T12:00:00.000Z, 12100 EUR, phone +34 600 12 34 56',
    '{"order":{"cart":{"items":[{"price":12100,"quantity":1}]}}}',
    'Basic T-shirt, bearer of news: a digest',
    'event=cancel&order_ref=3f29a1b0-1234-4567-8901-234567890123',
  ])('leaves other texts: %s', (text) => {
    expect(redactText(text)).toBe(text)
  })
})

const NAMES = [
  'password',
  'passwd',
  'secret',
  'client_secret',
  'token',
  'cvc',
  'cvv',
  'api_key',
  'X-Api-Key',
  'Proxy-Authorization',
  'Set-Cookie',
  'Authorization',
  'pin',
  'security_code',
  'Pass-Phrase',
]

const nameSpelled = fc
  .tuple(fc.constantFrom(...NAMES), fc.integer({ min: 0, max: 3 }))
  .map(([name, spelling]) => {
    if (spelling === 0) return name
    if (spelling === 1) return name.toUpperCase()
    if (spelling === 2)
      return name.replaceAll(/[_-](\w)/g, (_, letter: string) => letter.toUpperCase())
    return `card[${name}]`
  })

const SECRET = 'Zx9hunter2Qq'
const SECRET_PLACES: readonly ((name: string) => unknown)[] = [
  (name) => ({ [name]: SECRET }),
  (name) => ({ deep: [{ [name]: { inner: SECRET } }] }),
  (name) => [{ name, value: SECRET }],
  (name) => `a=1&${name}=${SECRET}&b=2`,
  (name) => `${encodeURIComponent(name)}=${SECRET}`,
  (name) => `https://shop.example/back?${name}=${SECRET}#top`,
  (name) => JSON.stringify({ deep: { [name]: SECRET } }),
  (name) => `{"${name}": "${SECRET}", cut`,
  (name) => JSON.stringify(JSON.stringify({ [name]: SECRET })),
  (name) => `${name}: ${SECRET}`,
  (name) => `<x><${name.replaceAll(/[[\]]/g, '')}>${SECRET}</x>`,
  (name) => `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${SECRET}\r\n--x--`,
]

describe('a password, key, token, cookie or card code', () => {
  it('is never kept, however its name is spelled and wherever it is', () => {
    fc.assert(
      fc.property(nameSpelled, fc.constantFrom(...SECRET_PLACES), (name, place) => {
        expect(JSON.stringify(redact(place(name)))).not.toContain(SECRET)
      }),
    )
  })

  it.each([
    'Authorization: Basic ZGVtbzpkZW1v',
    'the shop sent Bearer ZGVtbzpkZW1v',
    'https://demo:ZGVtbzpkZW1v@shop.example/',
    'Cookie: a=1; session=ZGVtbzpkZW1v',
  ])('is found by what is around it: %s', (text) => {
    expect(redactText(text)).not.toContain('ZGVtbzpkZW1v')
  })
})
