// Wakes a worker when the next job is due, and at least once a second, because other processes make jobs due too.
import type { CancelableTimer, Timers } from '@plazo/adapters/system'
import type { Clock, Unavailable } from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'

const POLL_MILLIS = 1_000

type DueTimerParts = {
  /** When the next job is due, by the store. */
  readonly nextDueAt: TaskEither<Unavailable, number | null>
  readonly clock: Clock
  readonly timers: Pick<Timers, 'after'>
  readonly onDue: () => void
}

type DueTimer = {
  /** A job becomes due at this instant. True: earlier than all that were known. */
  readonly noteDue: (dueAt: number) => boolean
  /** A claim takes what is due at `at`, so a due time up to then says nothing any more. */
  readonly noteClaim: (at: number) => void
  /** The store failed, so it must be asked again. */
  readonly forget: () => void
  /** Asks the store for the next due time, unless it is known. */
  readonly refresh: () => Promise<void>
  readonly start: () => void
  readonly stop: () => void
}

export const createDueTimer = ({ nextDueAt: readNextDueAt, clock, timers, onDue }: DueTimerParts): DueTimer => {
  // Infinite: no job is known that becomes due later.
  let nextDueAt = Number.POSITIVE_INFINITY
  let isKnown = false
  let timer: CancelableTimer | undefined

  return {
    noteDue: (dueAt) => {
      const isEarlier = dueAt < nextDueAt
      if (isEarlier) nextDueAt = dueAt
      return isEarlier
    },
    noteClaim: (at) => {
      if (nextDueAt <= at) isKnown = false
    },
    forget: () => {
      isKnown = false
    },
    refresh: async () => {
      if (isKnown) return
      isKnown = true
      nextDueAt = Number.POSITIVE_INFINITY
      const due = await readNextDueAt()
      if (E.isLeft(due)) isKnown = false
      // A job that is due but cannot be claimed now, because an attempt in flight excludes it, is looked for at the next poll.
      else if (due.right !== null && due.right > clock.now()) nextDueAt = Math.min(nextDueAt, due.right)
    },
    start: () => {
      timer?.cancel()
      const wait = Math.max(1, nextDueAt - clock.now())
      timer = timers.after(Math.min(POLL_MILLIS, wait), () => {
        // Another process may have made something due.
        isKnown = false
        onDue()
      })
    },
    stop: () => timer?.cancel(),
  }
}
