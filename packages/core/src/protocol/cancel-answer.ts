// The answers that a merchant may give to the `cancel` event. Interface §6.1, contract §6.
import * as t from 'io-ts'
import { description, schemaName } from './json-schema.ts'
import { Count, objectOf, textOf, wholeNumber } from './scalars.ts'

/** A merchant's answer to the `cancel` event. Interface §6.1, contract §6. */
export type CancelAnswer =
  | { readonly result: 'cancelled' }
  /** Whole minutes, or `null` if absent or ambiguous. The negotiation ends in any case. */
  | { readonly result: 'toolate'; readonly lateByMinutes: number | null }
  | { readonly result: 'retry'; readonly retryInMinutes: number }

/** The longest time, in minutes, after which a merchant can ask to be asked again: one day. */
export const RETRY_IN_MINUTES_MAX = 1440

const RetryIn = t.union([
  wholeNumber(1, RETRY_IN_MINUTES_MAX),
  textOf(
    'the same as digits',
    /^(?=[0-9]{1,4}$)0*(?:[1-9][0-9]{0,2}|1[0-3][0-9]{2}|14[0-3][0-9]|1440)$/u,
  ),
])

// Any value is accepted: `toolate` ends the negotiation in any case.
const LateBy = description('The minutes by which it was too late, under any name.', t.unknown)

/**
 * The body of a merchant's answer to the `cancel` event. Other members of the answer are ignored.
 */
export const CancelAnswerBody = schemaName(
  'CancelAnswer',
  t.union([
    objectOf({ result: t.literal('cancelled') }),
    objectOf({ result: t.literal('toolate'), late_by: LateBy }),
    objectOf({
      result: t.literal('retry'),
      retry_in: RetryIn,
    }),
  ]),
)

/**
 * Parses the body as JSON and ignores its Content-Type. Removes one byte order mark. `undefined`:
 * the body is not JSON.
 */
export const parseAnswer = (body: string): unknown => {
  try {
    return JSON.parse(body.startsWith('\uFEFF') ? body.slice(1) : body)
  } catch {
    return undefined
  }
}

/**
 * `null` if the body is not a valid answer. That is an error, and the question is repeated on the
 * schedule.
 */
export const decodeCancelAnswer = (body: string): CancelAnswer | null => {
  const answer = parseAnswer(body)
  if (!CancelAnswerBody.is(answer)) return null
  switch (answer.result) {
    case 'cancelled':
      return { result: 'cancelled' }
    case 'toolate': {
      // The interface does not name the attribute, so the only other whole number is taken.
      const numbers = Object.values(answer).filter(Count.is)
      return {
        result: 'toolate',
        lateByMinutes: numbers.length === 1 ? (numbers[0] ?? null) : null,
      }
    }
    case 'retry':
      return { result: 'retry', retryInMinutes: Number(answer.retry_in) }
  }
}
