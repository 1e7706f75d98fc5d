// Turns the result of a claimed job into a row of the write statement, so that the result commits together with the step
// that it causes.
import {
  type AttemptResult,
  type FinalStatus,
  type Outcome,
  outcomeOf,
  type ReleasedAs,
  type Report,
} from '@plazo/core'
import { placeOfMessage, placeOfResponse } from '../rows/places.ts'
import { type DataKey, seal } from '../sealing/sealer.ts'
import { type ClaimToken, isBeside } from './claim-token.ts'
import type { EndingRow } from './writing.ts'

type Reported = Pick<EndingRow, 'outcome' | 'duration' | 'status' | 'error' | 'response'>

const reported = (
  { deliveryId, attempt }: ClaimToken,
  outcome: Outcome,
  report: Report | null,
  key: DataKey | undefined,
): Reported => {
  if (report === null) return { outcome }
  const { durationMillis, status, error, response } = report
  // A merchant may put anything into their response, including their customer's data.
  const kept = response && key ? seal(key, placeOfResponse(deliveryId, attempt), response) : null
  return {
    outcome,
    duration: durationMillis,
    status,
    error,
    response: response === '' ? Buffer.alloc(0) : kept,
  }
}

const common = (token: ClaimToken) => ({
  id: token.id,
  token: token.held,
  delivery_id: token.deliveryId,
  is_work: token.isWork,
  is_beside: isBeside(token),
})

const left = (
  token: ClaimToken,
  conclusion: AttemptResult,
  ending: FinalStatus | null,
): Pick<EndingRow, 'ends_as' | 'due_at'> => {
  // A resend is sent only once.
  if (isBeside(token)) return { ends_as: conclusion.type === 'ended' ? conclusion.as : 'stopped' }
  if (ending !== null) return { ends_as: ending }
  return conclusion.type === 'ended' ? { ends_as: conclusion.as } : { due_at: conclusion.dueAt }
}

/** The response is encrypted under the order's data key. `ending`: the status that the step sets; null: see `conclusion`. */
export const concludedRow = (
  token: ClaimToken,
  conclusion: AttemptResult,
  ending: FinalStatus | null,
  report: Report | null,
  key: DataKey | undefined,
): EndingRow => {
  const outcome = outcomeOf(conclusion)
  return {
    ...common(token),
    ...reported(token, outcome, report, key),
    ...left(token, conclusion, ending),
    ...(conclusion.type === 'ended' && outcome === 'accepted' && { delivery_becomes: conclusion.as }),
  }
}

/** Makes the job stuck: the attempt's result is stored, and nothing more is done. */
export const parkedRow = (
  token: ClaimToken,
  message: string,
  conclusion: AttemptResult,
  report: Report | null,
  key: DataKey | undefined,
): EndingRow => ({
  ...common(token),
  ...reported(token, outcomeOf(conclusion), report, key),
  ends_as: 'stuck',
  delivery_becomes: 'stuck',
  // An error message may quote the shopper's data.
  message:
    key === undefined
      ? Buffer.from('What is sealed of this order cannot be opened.')
      : seal(key, placeOfMessage(token.deliveryId), message),
})

/** Releases the job unfinished. */
export const givenBackRow = (token: ClaimToken, as: ReleasedAs): EndingRow => ({
  ...common(token),
  ...reported(token, 'lost', null, undefined),
  ...(as === 'unbegun' && { is_unbegun: true }),
})
