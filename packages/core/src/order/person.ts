// Compares the submitting person with the previous one before the step, so that no guard does. Contract §4.
import { type Identification, type Person, ValidationCode } from '../protocol/identification-form.ts'
import type { Order, SubmissionEvent } from './order.ts'

// Unicode can write one letter in several ways. Texts must be normalised before they are compared.
// Normalisation sorts the marks on one letter by comparing each with those before it: 30,000 marks take a third of a second.
// Unicode's own limit for such a run is thirty, and no real writing reaches it (UAX #15, Stream-Safe Text).
const ENDLESS_MARKS = /\p{M}{31}/u

/** The text in NFC. A text with more than thirty marks on one letter is returned unchanged. */
export const normalizeText = (text: string): string => (ENDLESS_MARKS.test(text) ? text : text.normalize('NFC'))

const comparableName = (value: string): string => normalizeText(value).trim().replace(/\s+/gu, ' ').toLowerCase()

/** The ID number reduced to letters and digits, in upper case. */
export const comparableNin = (nin: string): string => nin.replace(/[^\p{L}\p{N}]/gu, '').toUpperCase()

/** The phone number reduced to its digits, with a leading `+` if it has one. A leading `00` counts as `+`. */
export const comparablePhone = (phone: string): string => {
  const international = phone.replace(/[^\d+]/g, '').replace(/^00/, '+')
  return (international.startsWith('+') ? '+' : '') + international.replace(/\D/g, '')
}

/** Checks are valid only for the person who passed them, so two submissions must be compared. Contract §4. */
export const isSamePerson = (a: Person, b: Person): boolean =>
  comparableNin(a.nin) === comparableNin(b.nin) &&
  comparableName(a.given_names) === comparableName(b.given_names) &&
  comparableName(a.surnames) === comparableName(b.surnames) &&
  a.dob_day === b.dob_day &&
  a.dob_month === b.dob_month &&
  a.dob_year === b.dob_year &&
  comparablePhone(a.mobile_phone) === comparablePhone(b.mobile_phone)

const isAskedForACode = ({ state }: Order): boolean => state.checkout === 'verifyingPhone'

/** True if the order asks for a code, the same person has submitted one, and it is not five digits. */
export const isMalformedCode = (order: Order, { person, validationCode }: Identification): boolean =>
  isAskedForACode(order) &&
  (validationCode ?? null) !== null &&
  !ValidationCode.is(validationCode) &&
  order.context.person !== null &&
  isSamePerson(order.context.person, person)

/** Turns a submission into one of three events. A code is ignored if the order does not ask for one. */
export const submissionEvent = (
  order: Order,
  { person, agreement, validationCode }: Identification,
): SubmissionEvent => {
  const previous = order.context.person
  if (previous !== null && !isSamePerson(previous, person)) return { type: 'person.changed', person, agreement }
  return isAskedForACode(order) && ValidationCode.is(validationCode)
    ? { type: 'code.submitted', person, agreement, code: validationCode }
    : { type: 'person.submitted', person, agreement }
}
