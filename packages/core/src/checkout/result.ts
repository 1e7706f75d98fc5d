// What carrying out an effect came to: what the order is told, and what becomes of the entry.
import type { Report } from '../delivery/attempt.ts'
import { nextAttemptAt } from '../delivery/schedule.ts'
import type { OrderEvent } from '../order/order-event.ts'
import type { Clock } from '../ports/clock.ts'
import type { Conclusion, Ending } from '../ports/conclusion.ts'
import type { Entry } from '../ports/store.ts'
import type { Thrown } from './caught.ts'

/** `event`: what the order is told, if anything. `error`: why it did not work, for the log. */
export type Result = {
  readonly event: OrderEvent | null
  readonly conclusion: Conclusion
  readonly error: string | null
  /** Of a delivery alone. */
  readonly report: Report | null
  /** False: nobody was called, so that this says nothing about the merchant. */
  readonly wasCalled?: boolean
  /** This process has no socket left. A worker may release the entry as unbegun in place of settling it. */
  readonly hasNoSocket?: boolean
} & Thrown

export const ended = (as: Ending, event: OrderEvent | null, error: string | null = null): Result => ({
  event,
  conclusion: { type: 'ended', as },
  error,
  report: null,
})

/** A code's SMS, say, once the code is void. */
export const isOfNoUse = ({ until }: Entry, at: number): boolean => until !== null && at >= until

/** Pending again from then on, unless it is of no use any more by then. */
export const againAt = (
  entry: Entry,
  dueAt: number,
  error: string | null = null,
  event: OrderEvent | null = null,
): Result =>
  isOfNoUse(entry, dueAt)
    ? ended('stopped', null, error)
    : { event, conclusion: { type: 'again', dueAt }, error, report: null }

export type Tried = { readonly retryAfterMillis: number | null; readonly error: string }

/** Tried again on its schedule, or given up after the last slot; `given`: what the order is told then. */
export const again = (
  { clock }: { readonly clock: Clock },
  jitter: number,
  entry: Entry,
  { retryAfterMillis, error }: Tried,
  retold: OrderEvent | null,
  given: OrderEvent | null,
): Result => {
  const dueAt = nextAttemptAt({
    key: entry.key,
    kind: entry.work.kind,
    firstAt: entry.firstAt,
    startedAt: entry.startedAt,
    endedAt: clock.now(),
    retryAfterMillis,
    jitter,
  })
  // What was given up, or has long arrived, is not given up once more because sending it again has failed.
  return dueAt === null
    ? ended(entry.isResend ? 'stopped' : 'exhausted', given, error)
    : againAt(entry, dueAt, error, retold)
}
