// One phone has many spellings. They must be one person's phone when two submissions are compared.
// Contract §4.
import { factsOf } from './country.ts'
import { numberAsSeen } from './text-as-seen.ts'

/**
 * The phone number reduced to its digits, with a leading `+` if it has one. A leading `00` counts
 * as `+`.
 */
export const comparablePhone = (phone: string): string => {
  const international = numberAsSeen(phone)
    .replace(/[^\d+]/g, '')
    .replace(/^00/, '+')
  return (international.startsWith('+') ? '+' : '') + international.replace(/\D/g, '')
}

/**
 * A phone number in comparable form. One of this country loses the calling code and the trunk
 * prefix, such as the 0 of `0151 …`.
 */
export const phoneFrom = (country: string | null, phone: string): string => {
  const number = comparablePhone(phone)
  const facts = factsOf(country)
  if (facts === undefined) return number
  const code = `+${facts.callingCode}`
  const national = number.startsWith(code) ? number.slice(code.length) : number
  if (national.startsWith('+')) return national
  const trunk = facts.trunkPrefixes.find((prefix) => national.startsWith(prefix)) ?? ''
  return national.slice(trunk.length)
}

// As in `+44 (0)7700 900123`: a zero that is dialled only inside the country.
const TRUNK_ZERO = /^([\s(]*(?:\+|00)\s*\d+[\s)./-]*)\(\s*0\s*\)/u

// With fewer digits, a number may begin with the digits of its own calling code.
const DIGITS_WITH_CODE = 11
const E164_MAX = '+123456789012345'.length

/**
 * The number in E.164, such as `+34600123456`, if its `+` or the country says which one it is. Else
 * as it was typed.
 */
export const e164From = (country: string | null, phone: string): string => {
  const number = phoneFrom(country, numberAsSeen(phone).replace(TRUNK_ZERO, '$1'))
  if (number.startsWith('+')) return number
  const code = factsOf(country)?.callingCode
  if (code === undefined || number === '') return phone
  // Perhaps the plus was left out.
  const hasCode = number.startsWith(code) && number.length >= DIGITS_WITH_CODE
  const international = `+${code}${number}`
  return hasCode || international.length > E164_MAX ? phone : international
}
