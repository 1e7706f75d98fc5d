// Real time by the database's clock, so that nodes whose own clocks differ agree on what is due. It
// counts the time since the database's clock was read, at the start and every few seconds, so that
// setting the machine's clock changes nothing. It is never ahead of the database's clock, and behind it
// at most by the time that an answer takes.
import type { Timers } from '../../system/clock-and-ids.ts'
import { type Connection, statement } from './connection.ts'

const NOW = statement('now')`
  select (extract(epoch from clock_timestamp()) * 1000)::double precision as now`

const REFRESH_MILLIS = 5_000
// Milliseconds that any answer may take.
const TOLERANCE_MILLIS = 5

export const databaseClock = async ({ query }: Connection, timers: Timers) => {
  let offset = 0
  let patience = Number.POSITIVE_INFINITY

  const readClock = async (): Promise<void> => {
    const from = timers.monotonicNow()
    const [row] = await query<{ readonly now: number }>(NOW)
    const took = timers.monotonicNow() - from
    // The database read its clock at some point between the request and the answer. With a slow
    // answer, that point is unknown, so slow answers are skipped. The latest point is assumed, so
    // everything due by this clock is also due by the database's.
    if (took > patience) patience *= 2
    else if (row !== undefined) {
      offset = row.now - (from + took)
      patience = 2 * took + TOLERANCE_MILLIS
    }
  }

  const refresh = (): void => {
    next = timers.after(REFRESH_MILLIS, refresh)
    void readClock().catch(() => {})
  }

  await readClock()
  let next = timers.after(REFRESH_MILLIS, refresh)

  return {
    now: () => Math.floor(timers.monotonicNow() + offset),
    stop: () => next.cancel(),
  }
}
