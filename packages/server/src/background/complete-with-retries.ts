// Writes a job's result, and tries again while the store does not answer. Without it, a short outage of the database would let
// the lease expire, and the effect would run twice.
import type { Timers } from '@plazo/adapters/system'
import type { CompletionResult, EffectResult, Unavailable } from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'

const RETRY_MILLIS = 250

// A write that was not answered may have been made, and settling again then reports a lost lease. Operators should see an alert
// twice rather than never.
const resultIfUnanswered = (
  { attemptResult: conclusion }: EffectResult,
  completion: CompletionResult,
): CompletionResult =>
  completion === 'lost' && conclusion.type === 'finished' && /^(exhausted|unsupported)$/.test(conclusion.status)
    ? conclusion.status
    : completion

/**
 * Tries for `millis`, by the monotonic clock. Left: the last error. The lease then expires by itself: nothing is lost, but
 * something may run twice.
 */
export const completeWithRetries = async (
  complete: () => Promise<E.Either<Unavailable, CompletionResult>>,
  result: EffectResult,
  { millis, mayRetry }: { readonly millis: number; readonly mayRetry: () => boolean },
  timers: Pick<Timers, 'after' | 'monotonicNow'>,
): Promise<E.Either<Unavailable, CompletionResult>> => {
  const deadline = timers.monotonicNow() + millis
  for (let isUnanswered = false; ; isUnanswered = true) {
    const completed = await complete()
    if (E.isRight(completed)) return isUnanswered ? E.right(resultIfUnanswered(result, completed.right)) : completed
    if (timers.monotonicNow() > deadline || !mayRetry()) return completed
    await new Promise<void>((resolve) => timers.after(RETRY_MILLIS, resolve))
  }
}
