// Real time by the database's clock, so that nodes whose own clocks differ agree on what is due. It
// is this machine's clock, corrected by the database's at the start and every few seconds. It is
// never ahead of the database's clock, and behind it at most by the time that an answer takes.
import type { Clock } from '@plazo/core/ports'
import type { Timers } from '../../system/clock-and-ids.ts'
import { type Connection, statement } from './connection.ts'

type DatabaseClock = Clock & {
  /** Asks the database again. False if it does not answer or accepts no writes. */
  readonly isWritable: () => Promise<boolean>
  readonly stop: () => void
}

// A standby reports that it is read-only. A database that was recreated and is still empty has no
// table.
const NOW = statement('now')`
  select (extract(epoch from clock_timestamp()) * 1000)::double precision as now,
    current_setting('transaction_read_only') = 'off'
      and coalesce(has_table_privilege(to_regclass('plazo.orders'), 'insert'), false) as is_writable`

type Row = { readonly now: number; readonly is_writable: boolean }

const REFRESH_MILLIS = 5_000
// Milliseconds that any answer may take.
const TOLERANCE_MILLIS = 5

export const databaseClock = async (
  { query }: Connection,
  timers: Timers,
): Promise<DatabaseClock> => {
  let offset = 0
  let patience = Number.POSITIVE_INFINITY
  let isStopped = false

  const readClock = async (): Promise<Row | undefined> => {
    const [from, sentAt] = [timers.monotonicNow(), timers.realNow()]
    const [row] = await query<Row>(NOW)
    const took = timers.monotonicNow() - from
    // The database read its clock at some point between the request and the answer. With a slow
    // answer, that point is unknown, so slow answers are skipped. The latest point is assumed, so
    // everything due by this clock is also due by the database's.
    if (took > patience) patience *= 2
    else if (row !== undefined) {
      offset = row.now - (sentAt + took)
      patience = 2 * took + TOLERANCE_MILLIS
    }
    return row
  }

  const isWritable = async (): Promise<boolean> => {
    try {
      return (await readClock())?.is_writable ?? false
    } catch {
      return false
    }
  }

  const scheduleNext = (): void => {
    next = timers.after(REFRESH_MILLIS, async () => {
      await isWritable()
      if (!isStopped) scheduleNext()
    })
  }

  await readClock()
  let next = timers.after(0, () => {})
  scheduleNext()

  return {
    now: () => Math.floor(timers.realNow() + offset),
    isWritable,
    stop: () => {
      isStopped = true
      next.cancel()
    },
  }
}
