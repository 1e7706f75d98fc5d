// Checks are valid only for the person who passed them, so two submissions must be compared. Contract §4.
import { normalizeText } from '../protocol/composed.ts'
import type { Person } from '../protocol/identification-form.ts'

const comparableName = (value: string): string => normalizeText(value).trim().replace(/\s+/gu, ' ').toLowerCase()

/** The ID number reduced to letters and digits, in upper case. */
export const comparableNin = (nin: string): string => nin.replace(/[^\p{L}\p{N}]/gu, '').toUpperCase()

/** The phone number reduced to its digits, with a leading `+` if it has one. A leading `00` counts as `+`. */
export const comparablePhone = (phone: string): string => {
  const international = phone.replace(/[^\d+]/g, '').replace(/^00/, '+')
  return (international.startsWith('+') ? '+' : '') + international.replace(/\D/g, '')
}

export const isSamePerson = (a: Person, b: Person): boolean =>
  comparableNin(a.nin) === comparableNin(b.nin) &&
  comparableName(a.given_names) === comparableName(b.given_names) &&
  comparableName(a.surnames) === comparableName(b.surnames) &&
  a.dob_day === b.dob_day &&
  a.dob_month === b.dob_month &&
  a.dob_year === b.dob_year &&
  comparablePhone(a.mobile_phone) === comparablePhone(b.mobile_phone)
