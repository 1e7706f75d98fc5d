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
