// The record of one attempt of a delivery. It answers the question why a merchant did not receive an event. Contract §3.
import type { HttpResponse } from './acceptance.ts'

/** The reason for an attempt: the schedule, or a manual resend or recovery. */
export type Trigger = 'schedule' | 'resend' | 'recover'

/** `lost`: the process that made the attempt stopped before it could report. The request may or may not have arrived. */
export type Outcome = 'accepted' | 'error' | 'lost'

/** The result of an attempt. */
export type Report = {
  readonly durationMillis: number
  /** Null if there was no answer. */
  readonly status: number | null
  /** The reason for not being accepted, in one word; null if accepted. */
  readonly error: string | null
  /** The beginning of the answer's body, at most 16 KiB; null if it could not be read. */
  readonly response: string | null
}

/** `startedAt` is domain time, epoch milliseconds. While the attempt is in flight, its results are null. */
export type Attempt = {
  readonly n: number
  readonly trigger: Trigger
  readonly startedAt: number
  readonly outcome: Outcome | null
  readonly durationMillis: number | null
} & Omit<Report, 'durationMillis'>

/** How many of a delivery's last attempts show the answer: about twice the attempts of a week, as resends are unlimited. */
export const RESPONSES_SHOWN = 50

const RESPONSE_BYTES_MAX = 16 * 1024

// One UTF-16 unit takes at most three bytes in UTF-8, so a short text fits without counting.
const SURELY_FITS = RESPONSE_BYTES_MAX / 3

/** As much of the text as fits into 16 KiB of UTF-8, in whole characters. */
export const truncateResponse = (text: string | null): string | null =>
  text === null || text.length < SURELY_FITS
    ? text
    : text.slice(0, new TextEncoder().encodeInto(text, new Uint8Array(RESPONSE_BYTES_MAX)).read)

/** The reason why an answer was not accepted: its body, if the body decides for this status, or else its status. */
export const rejectionReason = ({ status }: HttpResponse, statusesThatNeedBody: readonly number[]): string =>
  statusesThatNeedBody.includes(status) ? 'unreadable_answer' : 'unaccepted_status'
