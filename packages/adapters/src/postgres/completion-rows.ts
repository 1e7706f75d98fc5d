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
import { aadForResponse, aadForStuckMessage, type DataKey, encrypt } from '../encryption/cipher.ts'
import { type ClaimToken, isResend } from './claim.ts'
import type { CompletionRow } from './writer/orders.ts'

type ReportColumns = Pick<CompletionRow, 'outcome' | 'duration' | 'status' | 'error' | 'response'>

const reportColumns = (
  { deliveryId, attempt }: ClaimToken,
  outcome: Outcome,
  report: Report | null,
  key: DataKey | undefined,
): ReportColumns => {
  if (report === null) return { outcome }
  const { durationMillis, status, error, response } = report
  // A merchant may put anything into their response, including their customer's data.
  const encrypted = response && key ? encrypt(key, aadForResponse(deliveryId, attempt), response) : null
  return {
    outcome,
    duration: durationMillis,
    status,
    error,
    response: response === '' ? Buffer.alloc(0) : encrypted,
  }
}

const commonColumns = (token: ClaimToken) => ({
  id: token.id,
  token: token.rowToken,
  delivery_id: token.deliveryId,
  is_work: token.isWork,
  is_resend: isResend(token),
})

const resultColumns = (
  token: ClaimToken,
  attemptResult: AttemptResult,
  finalStatus: FinalStatus | null,
): Pick<CompletionRow, 'final_status' | 'due_at'> => {
  // A resend is sent only once.
  if (isResend(token)) return { final_status: attemptResult.type === 'finished' ? attemptResult.status : 'stopped' }
  if (finalStatus !== null) return { final_status: finalStatus }
  return attemptResult.type === 'finished' ? { final_status: attemptResult.status } : { due_at: attemptResult.dueAt }
}

/** The response is encrypted under the order's data key. `finalStatus`: the status that the step sets; null: see `attemptResult`. */
export const completedRow = (
  token: ClaimToken,
  attemptResult: AttemptResult,
  finalStatus: FinalStatus | null,
  report: Report | null,
  key: DataKey | undefined,
): CompletionRow => {
  const outcome = outcomeOf(attemptResult)
  return {
    ...commonColumns(token),
    ...reportColumns(token, outcome, report, key),
    ...resultColumns(token, attemptResult, finalStatus),
    ...(attemptResult.type === 'finished' && outcome === 'accepted' && { delivery_status: attemptResult.status }),
  }
}

/** Makes the job stuck: the attempt's result is stored, and nothing more is done. */
export const stuckRow = (
  token: ClaimToken,
  message: string,
  attemptResult: AttemptResult,
  report: Report | null,
  key: DataKey | undefined,
): CompletionRow => ({
  ...commonColumns(token),
  ...reportColumns(token, outcomeOf(attemptResult), report, key),
  final_status: 'stuck',
  delivery_status: 'stuck',
  // An error message may quote the shopper's data.
  message:
    key === undefined
      ? Buffer.from('The data of this order cannot be decrypted.')
      : encrypt(key, aadForStuckMessage(token.deliveryId), message),
})

/** Releases the job unfinished. */
export const releasedRow = (token: ClaimToken, as: ReleasedAs): CompletionRow => ({
  ...commonColumns(token),
  ...reportColumns(token, 'lost', null, undefined),
  ...(as === 'not_started' && { is_not_started: true }),
})
