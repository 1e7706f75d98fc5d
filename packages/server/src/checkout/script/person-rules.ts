// When a field that was wrong is right, its message goes. The endpoint decides; this only knows
// when a message no longer helps. Contract §4, Fields.
import type { CheckoutSummary, PersonField } from '@plazo/core/protocol'
import { numberAsSeen, withoutSeparators } from '../../http/page/script/number-as-seen.ts'

export const BIRTH = ['dob_day', 'dob_month', 'dob_year'] as const
type BirthField = (typeof BIRTH)[number]
export const isBirth = (field: string): field is BirthField =>
  (BIRTH as readonly string[]).includes(field)

const isSeen = (typed: string): boolean =>
  /[^\s\p{Cf}\p{Cc}\p{Default_Ignorable_Code_Point}\u2800]/u.test(typed)

/** "2" becomes "02". What is a number is sent as people see it, and names as typed. */
export const normalizeField = (field: string, typed: string): string => {
  switch (field) {
    case 'dob_day':
    case 'dob_month':
      return withoutSeparators(typed).replace(/^\d$/, '0$&')
    case 'dob_year':
      return withoutSeparators(typed)
    case 'mobile_phone':
    case 'nin':
    case 'postal_code':
      return numberAsSeen(typed).trim()
    default:
      return typed.trim()
  }
}

const SPANISH_NIN = /^([XYZ]\d{7}|\d{8}|[KLM]\d{7})[A-Z]$/

const isSpanishNin = (typed: string): boolean => {
  const nin = typed.replace(/[\s.-]/g, '').toUpperCase()
  if (!SPANISH_NIN.test(nin)) return false
  const digits = nin.slice(0, -1).replace(/^[XYZ]/, (letter) => String('XYZ'.indexOf(letter)))
  return nin.endsWith('TRWAGMYFPDXBNJZSQVHLCKE'.charAt(Number(digits.replace(/\D/g, '')) % 23))
}

type Rule = (typed: string) => boolean

type RulesOfMerchant = Pick<CheckoutSummary, 'country' | 'surnames_needed'>

/** All take a field as `normalizeField` leaves it. */
export const rulesFor = (merchant: RulesOfMerchant): { readonly [field in PersonField]: Rule } => {
  const isSpanish = merchant.country === 'ES'
  return {
    given_names: isSeen,
    surnames: (typed) => typed.split(/\s+/).filter(isSeen).length >= merchant.surnames_needed,
    dob_day: (day) => /^\d\d$/.test(day) && Number(day) >= 1 && Number(day) <= 31,
    dob_month: (month) => /^\d\d$/.test(month) && Number(month) >= 1 && Number(month) <= 12,
    dob_year: (year) => /^\d{4}$/.test(year),
    mobile_phone: (phone) => /^\+?\d{7,17}$/.test(phone.replace(/[\s()./-]/g, '')),
    nin: isSpanish ? isSpanishNin : (nin) => /^[\p{L}\d]{5,20}$/u.test(nin.replace(/[\s.-]/g, '')),
    address: isSeen,
    postal_code: isSpanish
      ? (code) => /^\d{5}$/.test(code)
      : (code) => /^[\p{L}\d][\p{L}\d -]{1,8}[\p{L}\d]$/u.test(code),
    city: isSeen,
  }
}

/** The date exists, and is 18 to 120 years ago. The parts are right by themselves. */
export const isBirthDate = (day: string, month: string, year: string, now: Date): boolean => {
  const date = new Date(0)
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day))
  const yearsLater = (years: number): number => new Date(date).setUTCFullYear(Number(year) + years)
  return (
    date.getUTCDate() === Number(day) &&
    yearsLater(18) <= now.getTime() &&
    yearsLater(121) > now.getTime()
  )
}
