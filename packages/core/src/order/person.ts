// Compares the submitting person with the previous one before the step, so that no guard does.
// Contract §4.
import type { Identification, Person } from '../protocol/identification-form.ts'
import { comparablePhone, e164From, phoneFrom } from '../protocol/phone-number.ts'
import { comparableName, numberAsSeen } from '../protocol/text-as-seen.ts'
import type { Order, SubmissionEvent } from './order.ts'

/** The ID number reduced to letters and digits, in upper case. */
export const comparableNin = (nin: string): string =>
  numberAsSeen(nin)
    .replace(/[^\p{L}\p{N}]/gu, '')
    .toUpperCase()

const isSame = (a: string, b: string, comparable: (text: string) => string): boolean =>
  a === b || comparable(a) === comparable(b)

/**
 * Checks are valid only for the person who passed them, so two submissions must be compared.
 * `country`: the shop's. Contract §4.
 */
export const isSamePerson = (a: Person, b: Person, country: string | null): boolean =>
  isSame(a.nin, b.nin, comparableNin) &&
  isSame(a.given_names, b.given_names, comparableName) &&
  isSame(a.surnames, b.surnames, comparableName) &&
  isSame(a.dob_day, b.dob_day, numberAsSeen) &&
  isSame(a.dob_month, b.dob_month, numberAsSeen) &&
  isSame(a.dob_year, b.dob_year, numberAsSeen) &&
  isSame(a.mobile_phone, b.mobile_phone, (phone) => phoneFrom(country, phone))

/** Phone and ID number together, alike in all orders of one person. Null if the order lacks one. */
export const personKey = ({ context: { person }, placed }: Order): string | null => {
  if (person === null) return null
  const phone = comparablePhone(e164From(placed.merchant.country, person.mobile_phone))
  const nin = comparableNin(person.nin)
  return phone === '' || nin === '' ? null : `person ${phone} ${nin}`
}

/**
 * Turns a submission into one of three events. A code counts only if the order accepts its event.
 */
export const submissionEvent = (
  { context, placed }: Order,
  { person, agreement, validationCode }: Identification,
  accepts: (event: SubmissionEvent) => boolean,
): SubmissionEvent => {
  const { person: previous } = context
  if (previous !== null && !isSamePerson(previous, person, placed.merchant.country))
    return { type: 'person.changed', person, agreement }
  const code = typeof validationCode === 'string' ? validationCode : ''
  const withCode = { type: 'code.submitted', person, agreement, code } as const
  const hasCode = validationCode !== undefined && validationCode !== null
  return hasCode && accepts(withCode) ? withCode : { type: 'person.submitted', person, agreement }
}
