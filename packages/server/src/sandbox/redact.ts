// A sandbox's records must not hold its user's secrets, and users may type a real card by mistake. Card numbers show four digits.
// CVC, passwords and credentials are left out.
import { passesLuhn } from '@plazo/adapters/sandbox'

const NEVER = /^(cvc|cvv|password|passwordhash|authorization|cookie|set-cookie)$/i

const CARD_NUMBER = /\b\d(?:[ -]?\d){12,18}\b/g

/** Card numbers in a text keep their last four digits. */
export const redactText = (text: string): string =>
  text.replace(CARD_NUMBER, (match) => {
    const digits = match.replaceAll(/\D/g, '')
    return passesLuhn(digits) ? `•••• ${digits.slice(-4)}` : match
  })

/** The same in every text of a value. Members that are never recorded are left out. */
export const redact = (value: unknown): unknown => {
  if (typeof value === 'string') return redactText(value)
  if (Array.isArray(value)) return value.map(redact)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !NEVER.test(name))
      .map(([name, member]) => [name, name === 'number' ? redactNumber(member) : redact(member)]),
  )
}

/** The card form's own field: four digits, even if the number is mistyped. */
const redactNumber = (value: unknown): unknown =>
  typeof value === 'string' && value.replaceAll(/\D/g, '').length > 4
    ? `•••• ${value.replaceAll(/\D/g, '').slice(-4)}`
    : redact(value)
