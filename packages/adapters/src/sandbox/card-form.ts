// Judges a card from the sandbox's card form. The full number is checked but never stored. Sandbox
// rules, Cards.
import { createHash } from 'node:crypto'
import { numberAsSeen, type SavedCard } from '@plazo/core/internal'

/**
 * The fields as the shopper typed them: spaces and dashes in the number are allowed, and `expiry`
 * is `MM/YY`.
 */
export type CardFields = { readonly number: string; readonly expiry: string; readonly cvc: string }

/** What happens to the payment. A wrong field does not count as an attempt. Sandbox rules, Cards. */
export type CardVerdict =
  | { readonly type: 'invalid' | 'declined' }
  | { readonly type: 'pays' | 'challenged'; readonly card: SavedCard }

/**
 * The cards that the sandbox's page offers, with what a payment by each does. Sandbox rules, Cards.
 */
export const TEST_CARDS = [
  { number: '4111111111111111', does: 'pays' },
  { number: '4000000000000002', does: 'declined' },
  { number: '4000000000003220', does: 'challenged' },
] as const

/** True if the digits of a card's number add up. */
export const passesLuhn = (digits: string): boolean => {
  const sum = [...digits].reverse().reduce((total, digit, index) => {
    const doubled = Number(digit) * (index % 2 === 1 ? 2 : 1)
    return total + (doubled > 9 ? doubled - 9 : doubled)
  }, 0)
  return sum % 10 === 0
}

/** `expiry`: MM/YY; `at`: epoch milliseconds. A card is valid until its month ends. */
export const isCurrent = (expiry: string, at: number): boolean => {
  const [, month = '', year = ''] = /^(0[1-9]|1[0-2])\/(\d\d)$/.exec(expiry) ?? []
  return month !== '' && Date.UTC(2000 + Number(year), Number(month), 1) > at
}

/** Tells whether this is a CVC of three or four digits, as people type it. */
export const isCvc = (cvc: string): boolean => /^\d{3,4}$/.test(numberAsSeen(cvc).trim())

const savedCard = (digits: string, expiry: string): SavedCard => {
  const maskedPan = `${digits.slice(0, 6)}${'*'.repeat(digits.length - 10)}${digits.slice(-4)}`
  // The token is derived from the parts that may be stored, so that the same card is not stored
  // twice.
  const token = createHash('sha256')
    .update(`${maskedPan} ${expiry}`)
    .digest('base64url')
    .slice(0, 22)
  const brand = digits.startsWith('4') ? 'visa' : 'card'
  return { token, brand, lastFour: digits.slice(-4), expiry, maskedPan }
}

/**
 * The fields are read as people see them, like a shopper's other numbers. `at`: epoch milliseconds.
 */
export const checkCard = (fields: CardFields, at: number): CardVerdict => {
  const digits = numberAsSeen(fields.number).replace(/[\s-]/g, '')
  const expiry = numberAsSeen(fields.expiry).trim()
  const isValid =
    /^\d{13,19}$/.test(digits) && passesLuhn(digits) && isCurrent(expiry, at) && isCvc(fields.cvc)
  if (!isValid) return { type: 'invalid' }
  const does = TEST_CARDS.find((card) => card.number === digits)?.does ?? 'declined'
  return does === 'declined' ? { type: does } : { type: does, card: savedCard(digits, expiry) }
}
