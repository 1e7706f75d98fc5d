// A shopper should see a mistake in a card's data where and while they make it, so the browser
// judges each field by the rules of the endpoint. The endpoint decides.
import { numberAsSeen } from '@plazo/core/form-rules'
import { withoutSeparators } from '../../../http/page/script/dom.ts'
import type { CardTexts } from './card-texts.ts'

/** The first brand that fits counts. `length`: the usual number of digits. */
const BRANDS = [
  { name: 'Visa', start: /^4/, length: 16 },
  { name: 'Mastercard', start: /^(5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/, length: 16 },
  { name: 'American Express', start: /^3[47]/, length: 15 },
  { name: 'Diners Club', start: /^3(0[0-5]|[689])/, length: 14 },
  { name: 'JCB', start: /^35/, length: 16 },
  { name: 'UnionPay', start: /^62/, length: 19 },
  { name: 'Discover', start: /^6(011|4[4-9]|5)/, length: 16 },
  { name: 'Maestro', start: /^(5[06-9]|6)/, length: 19 },
]
const brandOf = (digits: string) => BRANDS.find(({ start }) => start.test(digits))

export const brandName = (typed: string): string => brandOf(withoutSeparators(typed))?.name ?? ''

/** The number in the groups that are printed on the card, or as typed if it has other signs. */
export const groupDigits = (typed: string): string => {
  const digits = withoutSeparators(typed)
  if (!/^\d+$/.test(digits)) return typed
  const isShort = (brandOf(digits)?.length ?? 16) < 16
  const groups = isShort ? /^(\d{4})(\d{1,6})?(\d+)?$/ : /(\d{1,4})/g
  return (isShort ? (groups.exec(digits)?.slice(1) ?? [digits]) : (digits.match(groups) ?? []))
    .filter((group) => group !== undefined)
    .join(' ')
}

/** True if the digits of a card's number add up. */
const addsUp = (digits: string): boolean =>
  [...digits].reverse().reduce((sum, digit, index) => {
    const doubled = Number(digit) * (index % 2 === 1 ? 2 : 1)
    return sum + (doubled > 9 ? doubled - 9 : doubled)
  }, 0) %
    10 ===
  0

// "1239", "12/39", "12 39" and "1/39". The endpoint takes only MM/YY.
const EXPIRY = /^\s*(0[1-9]|1[0-2]|[1-9](?=\D))[/\s.-]*(?:20)?(\d\d)\s*$/

type Reading = { readonly value: string; readonly wrong: keyof CardTexts['wrong'] | null }
type Field = Pick<HTMLInputElement, 'name' | 'value'>

/** The field as the endpoint takes it, and what is wrong with it. */
export const readField = ({ name, value }: Field, now = new Date()): Reading => {
  if (name === 'expiry') {
    const [, month, year] = EXPIRY.exec(numberAsSeen(value)) ?? []
    if (month === undefined) return { value, wrong: 'expiry' }
    const hasExpired = Date.UTC(2000 + Number(year), Number(month), 1) <= now.getTime()
    return { value: `${month.padStart(2, '0')}/${year}`, wrong: hasExpired ? 'expired' : null }
  }
  const digits = withoutSeparators(value)
  if (name === 'cvc') return { value: digits, wrong: /^\d{3,4}$/.test(digits) ? null : 'cvc' }
  if (!/^\d{13,19}$/.test(digits)) return { value: digits, wrong: 'number' }
  return { value: digits, wrong: addsUp(digits) ? null : 'digits' }
}

/** True if the shopper has typed all of a field. Before that, it may only look wrong. */
export const isWhole = ({ name, value }: Field): boolean => {
  const { length } = withoutSeparators(value).replace(/\D/g, '')
  // "12/20" may become "12/2039".
  if (name === 'expiry') return length >= 4 && !/\D20$/.test(value)
  return name === 'cvc' ? length > 4 : length >= (brandOf(withoutSeparators(value))?.length ?? 19)
}
