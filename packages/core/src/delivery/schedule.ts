// When an effect that failed is tried again. Slots are anchored at the first attempt, so that slow answers do not
// push the last one past the week. Contract §6, Schedule and Other effects.
import type { WorkKind } from '../order/effect.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** The week: 24 slots after the first attempt, in milliseconds. */
export const WEEK: readonly number[] = [
  0,
  10 * SECOND,
  MINUTE,
  5 * MINUTE,
  15 * MINUTE,
  30 * MINUTE,
  HOUR,
  2 * HOUR,
  4 * HOUR,
  8 * HOUR,
  16 * HOUR,
  ...Array.from({ length: 13 }, (_, index) => (24 + index * 12) * HOUR),
]

/** Opening a payment or an ID session: somebody waits for it. */
const MINUTE_OF_FIVE: readonly number[] = [0, 10 * SECOND, 20 * SECOND, 40 * SECOND, MINUTE]

const RETRY_AFTER_MAX = 24 * HOUR

/** `endless`: after the last slot every twelve hours, for what must not be left undone. */
type Schedule = { readonly slots: readonly number[]; readonly endless: boolean }

const week: Schedule = { slots: WEEK, endless: false }
const endless: Schedule = { slots: WEEK, endless: true }
const brief: Schedule = { slots: MINUTE_OF_FIVE, endless: false }

export const SCHEDULES: { readonly [kind in WorkKind]: Schedule } = {
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

export type Attempted = {
  readonly key: string
  readonly kind: WorkKind
  /** Epoch milliseconds: of the first attempt, and of this one's start and end. */
  readonly firstAt: number
  readonly startedAt: number
  readonly endedAt: number
  /** What the receiver asked for, if it did; it may only lengthen a step. */
  readonly retryAfterMillis: number | null
  /** The largest part of a step that is added to it, 0 to 1. */
  readonly jitter: number
}

/** The instant of the next attempt, or null when the one just made was the last. */
export const nextAttemptAt = ({
  key,
  kind,
  firstAt,
  startedAt,
  endedAt,
  retryAfterMillis: wished,
  jitter,
}: Attempted): number | null => {
  const { slots, endless: goesOn } = SCHEDULES[kind]
  // Slots missed while nothing ran are made up by the one attempt just made.
  const served = slots.findLastIndex((slot) => firstAt + slot <= startedAt)
  const next = slots[served + 1]
  const asked = wished === null ? 0 : endedAt + Math.min(wished, RETRY_AFTER_MAX)
  if (next === undefined) return goesOn ? Math.max(startedAt + 12 * HOUR, asked) : null
  const isLast = served + 2 === slots.length
  const step = next - (slots[served] ?? 0)
  return Math.max(firstAt + next + (isLast ? 0 : Math.floor(step * jitter * fraction(`${key}#${served + 1}`))), asked)
}

// FNV-1a, as a number from 0 to below 1: the same attempt of the same effect always waits the same.
const fraction = (text: string): number => {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  return (hash >>> 0) / 2 ** 32
}

// The three forms that RFC 9110 §5.6.7 has every recipient read; the last one names no zone, and means GMT.
const HTTP_DATES: readonly RegExp[] = [
  /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/,
  /^[A-Z][a-z]{5,8}, \d{2}-[A-Z][a-z]{2}-\d{2} \d{2}:\d{2}:\d{2} GMT$/,
  /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/,
]

/** Whole seconds, however many, or an HTTP date; anything else is no wish at all. Milliseconds from `at`. */
export const retryAfterMillis = (header: string | null, at: number): number | null => {
  if (header === null) return null
  const text = header.trim()
  if (/^\d+$/.test(text)) return Number(text) * SECOND
  if (!HTTP_DATES.some((form) => form.test(text))) return null
  const date = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`)
  return Number.isNaN(date) ? null : Math.max(0, date - at)
}
