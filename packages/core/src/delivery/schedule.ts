// The retry schedule of failed effects. Slots count from the first attempt, so that slow answers do
// not push the last one past the week. Contract §6, Schedule and Other effects.
import { type EffectKind, laneOfKey } from '../order/effects/effect.ts'
import type { ReplyEvent } from '../order/order.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** The 24 slots of a week, in milliseconds after the first attempt, which is the slot 0. */
export const WEEK: readonly number[] = [
  0,
  10 * SECOND,
  ...[1, 5, 15, 30].map((minutes) => minutes * MINUTE),
  ...[1, 2, 4, 8, 16].map((hours) => hours * HOUR),
  ...Array.from({ length: 13 }, (_, index) => (24 + index * 12) * HOUR),
]

const RETRY_AFTER_MAX = 24 * HOUR
/** For a step that begins in the schedule's first ten minutes while a shopper waits. */
const RETRY_AFTER_MAX_AT_FIRST = MINUTE

/**
 * `isEndless`: continues every twelve hours after the last slot, for effects that must succeed in
 * the end.
 */
type Schedule = { readonly slots: readonly number[]; readonly isEndless: boolean }

const week: Schedule = { slots: WEEK, isEndless: false }
const endless: Schedule = { slots: WEEK, isEndless: true }
/** For opening a payment or an ID session: the shopper is waiting. */
const brief: Schedule = {
  slots: [0, 10 * SECOND, 20 * SECOND, 40 * SECOND, MINUTE],
  isEndless: false,
}

export const SCHEDULES: { readonly [kind in EffectKind]: Schedule } = {
  ipn: week,
  event: week,
  sms: week,
  screening: week,
  cards: week,
  session: brief,
  payment: brief,
  void: endless,
  refund: endless,
  card: endless,
  risk: endless,
  watch: endless,
  timer: endless,
}

/** The longest that one whole attempt may take, in real milliseconds. */
export const ATTEMPT_MILLIS = 30_000

/** `repeated`: after an attempt that another one follows. `last`: after the last one. */
type FailureEvents = { readonly repeated: ReplyEvent | null; readonly last: ReplyEvent | null }

/**
 * The events by which an order learns that an attempt of the effect with this key has failed. Null:
 * it learns nothing.
 */
export const failureEvents = (inReplyTo: string): FailureEvents => {
  switch (laneOfKey(inReplyTo)) {
    case 'ipn':
      return {
        repeated: { type: 'ipn.erred', inReplyTo },
        last: { type: 'ipn.exhausted', inReplyTo },
      }
    case 'cancel':
      return { repeated: null, last: { type: 'cancel.exhausted', inReplyTo } }
    case 'session':
      return { repeated: null, last: { type: 'session.unavailable', inReplyTo } }
    case 'payment':
      return { repeated: null, last: { type: 'payment.unavailable', inReplyTo } }
    default:
      return { repeated: null, last: null }
  }
}

export type AttemptTiming = {
  readonly key: string
  readonly kind: EffectKind
  /** Epoch milliseconds: the start of the first attempt, and the start and end of this one. */
  readonly firstAt: number
  readonly startedAt: number
  readonly endedAt: number
  /** The wait that the receiver asked for, or null. It can only lengthen a step. */
  readonly retryAfterMillis: number | null
  /** The largest fraction of a step that is added to it, 0 to 1. */
  readonly jitter: number
}

/** The instant of the next attempt, or null if the one just made was the last. */
export const nextAttemptAt = (timing: AttemptTiming): number | null => {
  const { key, kind, firstAt, startedAt, endedAt, retryAfterMillis } = timing
  const { slots, isEndless } = SCHEDULES[kind]
  // Slots may have been missed while nothing ran. The attempt just made replaces all of them.
  const lastSlot = slots.findLastIndex((slot) => firstAt + slot <= startedAt)
  const next = slots[lastSlot + 1]
  // An IPN is revoked when its checkout ends, so a shopper may wait for the answer to each.
  const retryAfterMax =
    kind === 'ipn' && endedAt < firstAt + 10 * MINUTE ? RETRY_AFTER_MAX_AT_FIRST : RETRY_AFTER_MAX
  const earliestAt =
    retryAfterMillis === null ? 0 : endedAt + Math.min(retryAfterMillis, retryAfterMax)
  if (next === undefined) return isEndless ? Math.max(startedAt + 12 * HOUR, earliestAt) : null
  const isLast = lastSlot + 2 === slots.length
  const step = next - (slots[lastSlot] ?? 0)
  return Math.max(
    firstAt +
      next +
      (isLast ? 0 : Math.floor(step * timing.jitter * fraction(`${key}#${lastSlot + 1}`))),
    earliestAt,
  )
}

// FNV-1a, scaled to 0 ≤ x < 1. It is deterministic: the same attempt of the same effect always
// waits equally long.
const fraction = (text: string): number => {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index++)
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  return (hash >>> 0) / 2 ** 32
}

// RFC 9110 §5.6.7 requires every recipient to accept these three forms. The last one names no zone
// and means GMT.
const HTTP_DATES: readonly RegExp[] = [
  /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/,
  /^[A-Z][a-z]{5,8}, \d{2}-[A-Z][a-z]{2}-\d{2} \d{2}:\d{2}:\d{2} GMT$/,
  /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/,
]

/**
 * Reads a `Retry-After` header: any number of whole seconds, or an HTTP date. Returns milliseconds
 * from `at`, or null.
 */
export const parseRetryAfter = (header: string | null, at: number): number | null => {
  if (header === null) return null
  const text = header.trim()
  if (/^\d+$/.test(text)) return Number(text) * SECOND
  if (!HTTP_DATES.some((form) => form.test(text))) return null
  const date = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`)
  return Number.isNaN(date) ? null : Math.max(0, date - at)
}
