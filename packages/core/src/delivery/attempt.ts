// What came of one attempt of a delivery: kept for whoever asks why a merchant did not hear of something. Contract §3.
import type { Heard } from './acceptance.ts'

/** What called for an attempt: its schedule, or somebody who asked for it. */
export type Trigger = 'schedule' | 'resend' | 'recover'

/** `lost`: whoever made the attempt did not live to tell; whether it arrived, nobody knows. */
export type Outcome = 'accepted' | 'error' | 'lost'

/** What an attempt found. */
export type Report = {
  readonly durationMillis: number
  /** Null where there was no answer. */
  readonly status: number | null
  /** Why it was not accepted, in one word; null where it was. */
  readonly error: string | null
  /** The beginning of the answer's body, if it could be read: at most 16 KiB. */
  readonly response: string | null
}

/** `startedAt` is domain time, epoch milliseconds. While it is in flight, only what was known before is there. */
export type Attempt = {
  readonly n: number
  readonly trigger: Trigger
  readonly startedAt: number
  readonly outcome: Outcome | null
  readonly durationMillis: number | null
} & Omit<Report, 'durationMillis'>

/** Of a delivery's last attempts so many show what was answered: a week of them, and as many again. Resends have no end. */
export const RESPONSES_SHOWN = 50

const RESPONSE_BYTES_MAX = 16 * 1024

// One UTF-16 unit takes three bytes at most: a short text fits without being counted.
const SURELY_FITS = RESPONSE_BYTES_MAX / 3

/** As much of the text as fits, whole characters only. */
export const responseKept = (text: string | null): string | null =>
  text === null || text.length < SURELY_FITS
    ? text
    : text.slice(0, new TextEncoder().encodeInto(text, new Uint8Array(RESPONSE_BYTES_MAX)).read)

/** Of an answer that is not accepted: was it the status, or what its body says, where that decides? */
export const whyUnaccepted = ({ status }: Heard, decidedByBody: readonly number[]): string =>
  decidedByBody.includes(status) ? 'unreadable_answer' : 'unaccepted_status'
