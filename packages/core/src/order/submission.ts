// Who submits is judged before the step, so that no guard of the statechart compares identities. Contract §4.
import type { Identification } from '../protocol/identification-form.ts'
import { ValidationCode } from '../protocol/identification-form.ts'
import type { Order } from './order.ts'
import type { SubmissionEvent } from './order-event.ts'
import { isSamePerson } from './same-person.ts'

const isAskedForACode = ({ state }: Order): boolean => state.checkout === 'verifyingPhone'

const isGiven = (code: unknown): boolean => code !== undefined && code !== null

/** A code given where one is asked for, by the person who was asked, that is not five digits. */
export const isMalformedCode = (order: Order, { person, validationCode }: Identification): boolean =>
  isAskedForACode(order) &&
  isGiven(validationCode) &&
  !ValidationCode.is(validationCode) &&
  order.context.person !== null &&
  isSamePerson(order.context.person, person)

/** The submission as one of three events; a code given where none is asked for is ignored. */
export const submissionEvent = (
  order: Order,
  { person, agreement, validationCode }: Identification,
): SubmissionEvent => {
  const before = order.context.person
  if (before !== null && !isSamePerson(before, person)) return { type: 'person.changed', person, agreement }
  return isAskedForACode(order) && ValidationCode.is(validationCode)
    ? { type: 'code.submitted', person, agreement, code: validationCode }
    : { type: 'person.submitted', person, agreement }
}
