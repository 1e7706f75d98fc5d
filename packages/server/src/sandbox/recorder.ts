// Keeps what happens to an order in the sandbox, for its timeline: requests and providers' answers.
// Under load nobody reads a timeline, so few records are made, or
// none. No request waits for a record.
import type { Clock, NewRecord, Records, Unavailable } from '@plazo/core/ports'
import * as E from 'fp-ts/lib/Either.js'
import { redact } from './redact.ts'

export type RecordedContent =
  | {
      readonly type: 'request'
      readonly method: string
      readonly path: string
      readonly status: number
      readonly body: unknown
      readonly answer: unknown
    }
  | {
      readonly type: 'provider'
      /** The kind of the effect: `screening`, `sms`, … */
      readonly effect: string
      readonly answer: unknown
    }

export const RECORD_KIND = 'timeline'

export type Recorder = ReturnType<typeof createRecorder>

type RecorderParts = {
  readonly records: Pick<Records, 'add'>
  readonly clock: Clock
  readonly monotonicNow: () => number
  /** The merchant of an order. Null: it cannot be read, and nothing of it is recorded. */
  readonly merchantOf: (orderRef: string) => Promise<string | null>
  readonly onFailure: (reason: Unavailable) => void
}

const BURST = 200
const PER_SECOND = 40
// A person at a browser, or a test of a shop, has fewer requests in progress. A load test has more,
// and each record would cost a read and a write of its own.
const IN_PROGRESS_MAX = 24
const PAUSE_MILLIS = 1_000
const CONTENT_MAX = 64 * 1024

export const createRecorder = (parts: RecorderParts) => {
  const { records, clock, monotonicNow, merchantOf, onFailure } = parts
  let tokens = BURST
  let inProgress = 0
  let pausedUntil = Number.NEGATIVE_INFINITY
  let filledAt = monotonicNow()
  // One after another, so that records have the order in which things happened.
  let last: Promise<void> = Promise.resolve()

  const isOpen = (): boolean => {
    const now = monotonicNow()
    if (now < pausedUntil) return false
    tokens = Math.min(BURST, tokens + ((now - filledAt) / 1000) * PER_SECOND)
    filledAt = now
    return tokens >= 1
  }

  const add = async (orderRef: string, content: NewRecord['value'], at: number): Promise<void> => {
    const merchantRef = await merchantOf(orderRef)
    if (merchantRef === null) return
    const record = { merchantRef, orderRef, kind: RECORD_KIND, at, value: content }
    const added = await records.add(record)()
    if (E.isLeft(added)) onFailure(added.left)
  }

  return {
    /** True if a record may be made now. Ask before collecting what it would hold. */
    isOpen,
    /**
     * Runs a request's work, and counts it as in progress meanwhile. After many at once, nothing is
     * recorded for a second.
     */
    during: async <A>(work: () => Promise<A>): Promise<A> => {
      inProgress += 1
      if (inProgress > IN_PROGRESS_MAX) pausedUntil = monotonicNow() + PAUSE_MILLIS
      try {
        return await work()
      } finally {
        inProgress -= 1
      }
    },
    /** `at`: when it began, domain time. */
    record: (orderRef: string, content: RecordedContent, at = clock.now()): void => {
      if (!isOpen()) return
      tokens -= 1
      const value = redact(content)
      if (JSON.stringify(value).length > CONTENT_MAX) return
      last = last.then(() => add(orderRef, value, at))
    },
    /** Resolves once all records are stored. */
    drain: () => last,
  }
}
