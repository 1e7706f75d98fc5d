// One attempt of a delivery: its record, and the meaning of the merchant's answer. These are pure
// functions, so that the rules can be tested alone. Interface §6.1, contract §5 and §6.
import { type CancelAnswer, decodeCancelAnswer, parseAnswer } from '../protocol/cancel-answer.ts'
import { isJsonObject } from '../protocol/scalars.ts'
import { cutToBytes } from '../protocol/text-as-seen.ts'
import type { LifecycleEventName } from '../protocol/webhook-event.ts'

/** The events that a merchant can receive. The IPN is not one of them. Interface §6.1. */
export type EventName = LifecycleEventName | 'identification_action'

const INFORMATIVE: readonly number[] = [200, 201, 202, 302, 307, 404, 501]

/**
 * Exactly the codes of the interface. All others, such as 204, 301, 303, 308 and 410, are errors.
 */
export const ACCEPTED_STATUSES: { readonly [event in EventName]: readonly number[] } = {
  cancelled: INFORMATIVE,
  denied: INFORMATIVE,
  risk_assessment: INFORMATIVE,
  identification_action: INFORMATIVE,
  cancel: [200, 201, 202, 302, 307, 501],
}

/** What was sent, besides the body that the delivery has. */
export type AttemptRequest = {
  readonly url: string
  /** Absent: nothing was sent. `timestamp`: `Webhook-Timestamp`. */
  readonly sent?: {
    readonly timestamp: string
    /** By the names of their headers. */
    readonly signatures: Readonly<Record<string, string>>
  }
}

/** The answer to one request. */
export type HttpResponse = {
  readonly status: number
  /** The `Retry-After` header as sent, or null. */
  readonly retryAfter: string | null
  /** At most 64 KiB of UTF-8. Null if the body was too long, broken or not requested. */
  readonly body: string | null
  /** The `Location` header of a redirect, as sent. */
  readonly location?: string
  readonly sent?: AttemptRequest['sent']
}

/**
 * The statuses for which the answer's body decides. For every other status the status line decides.
 */
export const statusesThatNeedBody = (event: EventName): readonly number[] =>
  event === 'cancel' ? ACCEPTED_STATUSES.cancel : []

export const classifyIpnResponse = (status: number): 'accepted' | 'conflicted' | 'erred' =>
  status >= 200 && status < 300
    ? 'accepted'
    : status === 409 || status === 410
      ? 'conflicted'
      : 'erred'

/**
 * What the merchant's answer to `cancel` means. `unsupported`: they do not handle the event.
 * `erred`: no valid answer, so the event is sent again. Interface §6.1, contract §6.
 */
export type CancelVerdict =
  | CancelAnswer
  | { readonly result: 'unsupported' }
  | { readonly result: 'erred' }

// The body of a 501 says that the merchant does not support `cancel`: a JSON object without
// `result`.
const saysUnsupported = (body: string): boolean => {
  const answer = parseAnswer(body)
  return isJsonObject(answer) && !Object.hasOwn(answer, 'result')
}

/**
 * Reads the answer to `cancel`. A body that was not read, a status that is not accepted and an
 * invalid body are errors. Interface §6.1, contract §6.
 */
export const classifyCancelResponse = ({ status, body }: HttpResponse): CancelVerdict => {
  if (body === null || !ACCEPTED_STATUSES.cancel.includes(status)) return { result: 'erred' }
  if (status === 501 && saysUnsupported(body)) return { result: 'unsupported' }
  return decodeCancelAnswer(body) ?? { result: 'erred' }
}

/** The reason for an attempt: the schedule, or a manual resend or recovery. */
export type Trigger = 'schedule' | 'resend' | 'recover'

/**
 * How an attempt has ended. `lost`: the process that made the attempt stopped before it could report. The request may or may
 * not have arrived.
 */
export type Outcome = 'accepted' | 'error' | 'lost'

/**
 * Why an attempt got no answer, as stored with it and shown by the Order API. Contract §3,
 * Deliveries.
 */
export type NoAnswerReason =
  | 'timeout'
  | 'dns'
  | 'connection_refused'
  | 'connection_reset'
  | 'tls'
  | 'protocol_error'
  | 'response_too_large'
  | 'blocked_address'
  | 'merchant_unknown'
  // The signing secrets could not be read. No request was made.
  | 'secrets_unavailable'
  // This process or its machine has no socket left. No request was made.
  | 'no_socket'

/**
 * Why an attempt failed, for the log. The message may quote a shopper, so the log shows only the
 * rest. `member`: the path of the wrong member of a provider's answer, such as `cards.1.last_four`,
 * or `the body`.
 */
export type AttemptError = { readonly message: string } & (
  | { readonly reason: NoAnswerReason | 'other' }
  | { readonly reason: 'answered'; readonly status: number }
  | { readonly reason: 'wrong_answer'; readonly member: string }
)

/** The result of an attempt. */
export type Report = {
  readonly durationMillis: number
  /** Null if there was no answer. */
  readonly status: number | null
  /** The reason for not being accepted, in one word; null if accepted. */
  readonly error: string | null
  /**
   * What the word leaves open, such as why a certificate is not trusted, at most 300 characters.
   */
  readonly errorReason?: string
  readonly request?: AttemptRequest
  /** The beginning of the answer's body, at most 16 KiB; null if it could not be read. */
  readonly response: string | null
}

/**
 * An attempt that has ended. `startedAt` is domain time, epoch milliseconds. `durationMillis`: null
 * if it was lost.
 */
export type Attempt = {
  readonly n: number
  readonly trigger: Trigger
  readonly startedAt: number
  readonly outcome: Outcome
  readonly durationMillis: number | null
} & Omit<Report, 'durationMillis'>

/**
 * A delivery has the answers of this many last attempts: about twice those of a week, because
 * resends are unlimited. Contract §3.
 */
export const RESPONSES_SHOWN = 50

const RESPONSE_BYTES_MAX = 16 * 1024

/** As much of the text as fits into `maxBytes` of UTF-8, by default 16 KiB, in whole characters. */
export const truncateResponse = (
  text: string | null,
  maxBytes = RESPONSE_BYTES_MAX,
): string | null =>
  // One UTF-16 unit takes at most three bytes in UTF-8, so a short text fits without counting.
  text === null || text.length < maxBytes / 3 ? text : cutToBytes(text, maxBytes)

/**
 * The reason why an answer was not accepted: its body, if the body decides for this status, or else
 * its status.
 */
export const rejectionReason = (
  { status }: HttpResponse,
  statusesThatNeedBody: readonly number[],
): string => (statusesThatNeedBody.includes(status) ? 'unreadable_answer' : 'unaccepted_status')

const REASON_LENGTH_MAX = 300

/** Whole characters only, and none that moves a terminal's cursor. */
const onOneLine = (text: string): string =>
  [...text.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, ' ')].slice(0, REASON_LENGTH_MAX).join('')

// The target's credentials, query and fragment may hold tokens or personal data, so they are not
// shown.
const redirectTarget = (location: string, requested: string): string => {
  const target = URL.parse(location, requested)
  if (target === null) return 'something that is not a URL'
  if (target.protocol !== 'https:' && target.protocol !== 'http:')
    return `a URL of the scheme ${target.protocol}`
  return `${target.origin}${target.pathname}${target.search === '' ? '' : '?…'}`
}

/** Where a redirect leads. `requested`: the URL that was called. */
export const redirectDetail = (
  { location }: HttpResponse,
  requested: string,
): string | undefined =>
  location === undefined
    ? undefined
    : onOneLine(
        `The answer redirects to ${redirectTarget(location, requested)}. plazo follows no redirect.`,
      )
