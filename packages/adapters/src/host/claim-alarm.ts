// Decides when the dispatcher claims next: at once if the alarm was rung, else when the next job
// becomes due, and at least once a second. Other processes make jobs due too, and nobody reports
// them.
//
// Its whole state: whether it was rung, when the next job is due, and the sleep that it ends.

import type { Clock, JobQueue } from '@plazo/core/internal'
import * as E from 'fp-ts/lib/Either.js'
import type { CancelableTimer, Timers } from '../system/clock-and-ids.ts'

type Sleep = { readonly end: () => void; timer: CancelableTimer }

const POLL_INTERVAL = 1_000

const AT_NO_KNOWN_TIME = Number.POSITIVE_INFINITY

export const createClaimAlarm = (
  clock: Clock,
  timers: Pick<Timers, 'after'>,
  nextDueAt: JobQueue['nextDueAt'],
) => {
  let isRung = false
  /** Null: the store must be asked. */
  let dueAt: number | null = null
  let sleep: Sleep | null = null

  /** Ends the sleep, or prevents the next one. */
  const ring = (): void => {
    isRung = true
    sleep?.end()
  }

  const startTimer = (): CancelableTimer => {
    const wait = Math.max(1, (dueAt ?? AT_NO_KNOWN_TIME) - clock.now())
    return timers.after(Math.min(POLL_INTERVAL, wait), () => {
      dueAt = null
      ring()
    })
  }

  /** Reports that a job becomes due at this instant, in the future. */
  const noteDue = (at: number): void => {
    if (dueAt === null || at >= dueAt) return
    dueAt = at
    if (sleep === null) return
    sleep.timer.cancel()
    sleep.timer = startTimer()
  }

  return {
    ring,
    isRung: (): boolean => isRung,
    /** Forgets that it was rung: a claim begins. */
    reset: (): void => {
      isRung = false
    },
    noteDue,
    /**
     * A due job may be claimed from now on, so its instant says nothing about the next one. `at`:
     * domain time; default: any.
     */
    forgetDue: (at = AT_NO_KNOWN_TIME): void => {
      if (dueAt !== null && dueAt <= at) dueAt = null
    },
    /** Asks the store when the next job is due, unless that is known. */
    readNextDue: async (): Promise<void> => {
      if (dueAt !== null) return
      // A commit may note an earlier instant while the store is asked.
      dueAt = AT_NO_KNOWN_TIME
      const read = await nextDueAt()()
      if (E.isLeft(read)) dueAt = null
      // A job that is due but cannot be claimed now, because an attempt in flight excludes it, is
      // looked for at the next poll.
      else if (read.right !== null && read.right > clock.now()) noteDue(read.right)
    },
    /** Resolves once the alarm rings. Do not call it while it is rung. */
    sleep: async (): Promise<void> => {
      await new Promise<void>((end) => {
        sleep = { end, timer: startTimer() }
      })
      sleep?.timer.cancel()
      sleep = null
    },
  }
}
