// Who counts as the same shopper: what was checked stays checked only for that person. Contract §4.
import { composed } from '../protocol/composed.ts'
import type { Person } from '../protocol/identification-form.ts'

const name = (value: string): string => composed(value).trim().replace(/\s+/gu, ' ').toLowerCase()

/** Letters and digits only, upper case. */
export const comparableNin = (nin: string): string => nin.replace(/[^\p{L}\p{N}]/gu, '').toUpperCase()

/** Digits; a leading `00` reads as `+`. */
export const comparablePhone = (phone: string): string => {
  const international = phone.replace(/[^\d+]/g, '').replace(/^00/, '+')
  return (international.startsWith('+') ? '+' : '') + international.replace(/\D/g, '')
}

export const isSamePerson = (a: Person, b: Person): boolean =>
  comparableNin(a.nin) === comparableNin(b.nin) &&
  name(a.given_names) === name(b.given_names) &&
  name(a.surnames) === name(b.surnames) &&
  a.dob_day === b.dob_day &&
  a.dob_month === b.dob_month &&
  a.dob_year === b.dob_year &&
  comparablePhone(a.mobile_phone) === comparablePhone(b.mobile_phone)
