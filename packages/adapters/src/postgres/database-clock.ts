// Real time as the database tells it, so that nodes whose own clocks differ agree on what is due: this machine's clock,
// put right by the database's at the start and every few seconds.
import type { Clock } from '@plazo/core'
import type { Timers } from '../system/timers.ts'
import type { Connection, Statement } from './connection.ts'

export type DatabaseClock = Clock & {
  /** Asks the database once more; false where it does not answer. */
  readonly isAnswered: () => Promise<boolean>
  readonly stop: () => void
}

const NOW: Statement = {
  name: 'now',
  text: 'select (extract(epoch from clock_timestamp()) * 1000)::double precision as now',
}

const EVERY = 5_000
// Milliseconds that any answer may take.
const LEAST = 5

export const databaseClock = async ({ query }: Connection, timers: Timers): Promise<DatabaseClock> => {
  let ahead = 0
  let patience = Number.POSITIVE_INFINITY
  let isStopped = false

  const ask = async (): Promise<void> => {
    const [from, sent] = [timers.monotonicNow(), timers.realNow()]
    const [row] = await query<{ readonly now: number }>(NOW)
    const took = timers.monotonicNow() - from
    // It was read somewhere between the asking and the answer: of one that was long on its way, nobody knows when.
    if (row === undefined) return
    if (took > patience) {
      patience *= 2
      return
    }
    ahead = row.now - (sent + took / 2)
    patience = 2 * took + LEAST
  }

  const isAnswered = async (): Promise<boolean> => {
    try {
      await ask()
      return true
    } catch {
      return false
    }
  }

  const goOn = (): void => {
    next = timers.after(EVERY, async () => {
      await isAnswered()
      if (!isStopped) goOn()
    })
  }

  await ask()
  let next = timers.after(0, () => {})
  goOn()

  return {
    now: () => Math.round(timers.realNow() + ahead),
    isAnswered,
    stop: () => {
      isStopped = true
      next.cancel()
    },
  }
}
