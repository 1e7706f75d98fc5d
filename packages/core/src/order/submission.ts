// Compares the submitting person with the previous one before the step, so that no guard does. Contract §4.
import type { Identification } from '../protocol/identification-form.ts'
import { ValidationCode } from '../protocol/identification-form.ts'
import type { Order } from './order.ts'
import type { SubmissionEvent } from './order-event.ts'
import { isSamePerson } from './same-person.ts'

const isAskedForACode = ({ state }: Order): boolean => state.checkout === 'verifyingPhone'

const isGiven = (code: unknown): boolean => code !== undefined && code !== null

/** True if the order asks for a code, the same person has submitted one, and it is not five digits. */
export const isMalformedCode = (order: Order, { person, validationCode }: Identification): boolean =>
  isAskedForACode(order) &&
  isGiven(validationCode) &&
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
