// People type real cards and passwords into a sandbox by mistake, and its timelines must not show them.
// A field with the name of a secret is hidden, and a card number shows its last four digits.
import { passesLuhn } from '@plazo/adapters/sandbox'

const SECRET =
  /passw|passphrase|secret|token|credential|authori[sz]|cookie|cvc|cvv|security_?code|api_?key/i

// Not within a longer word or number, such as a uuid.
const DIGITS = /(?<![\w-])\d(?:[ -]?\d){12,18}(?![\w-])/g

/** Shows the last four digits of each card number in a text. */
export const redactText = (text: string): string =>
  text.replaceAll(DIGITS, (found) => {
    const digits = found.replaceAll(/\D/g, '')
    return passesLuhn(digits) ? `•••• ${digits.slice(-4)}` : found
  })

/** Redacts every member of a value. */
export const redact = (value: unknown): unknown => {
  if (typeof value === 'string') return redactText(value)
  if (typeof value === 'number') {
    const text = redactText(String(value))
    return text === String(value) ? value : text
  }
  if (Array.isArray(value)) return value.map(redact)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      redactText(name),
      SECRET.test(name) ? '[hidden]' : redact(member),
    ]),
  )
}
