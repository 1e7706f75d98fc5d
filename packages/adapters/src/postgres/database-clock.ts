// Real time as the database tells it, so that nodes whose own clocks differ agree on what is due: this machine's clock,
// put right by the database's at the start and every few seconds. Never ahead of it, and behind by what an answer takes at most.
import type { Clock } from '@plazo/core'
import type { Timers } from '../system/timers.ts'
import type { Connection, Statement } from './connection.ts'

type DatabaseClock = Clock & {
  /** Asks the database once more; false where it does not answer, or takes no writes. */
  readonly isWritable: () => Promise<boolean>
  readonly stop: () => void
}

// A standby says so too; one that was made anew and is still empty has no table.
const NOW: Statement = {
  name: 'now',
  text: `
    select (extract(epoch from clock_timestamp()) * 1000)::double precision as now,
      current_setting('transaction_read_only') = 'off'
        and coalesce(has_table_privilege(to_regclass('plazo.orders'), 'insert'), false) as is_writable`,
}

type Row = { readonly now: number; readonly is_writable: boolean }

const EVERY = 5_000
// Milliseconds that any answer may take.
const LEAST = 5

export const databaseClock = async ({ query }: Connection, timers: Timers): Promise<DatabaseClock> => {
  let ahead = 0
  let patience = Number.POSITIVE_INFINITY
  let isStopped = false

  const ask = async (): Promise<Row | undefined> => {
    const [from, sent] = [timers.monotonicNow(), timers.realNow()]
    const [row] = await query<Row>(NOW)
    const took = timers.monotonicNow() - from
    // It was read somewhere between the asking and the answer: of one that was long on its way, nobody knows when. Taken as read
    // last of all, so that what is due by this clock is due by the database's.
    if (took > patience) patience *= 2
    else if (row !== undefined) {
      ahead = row.now - (sent + took)
      patience = 2 * took + LEAST
    }
    return row
  }

  const isWritable = async (): Promise<boolean> => {
    try {
      return (await ask())?.is_writable ?? false
    } catch {
      return false
    }
  }

  const goOn = (): void => {
    next = timers.after(EVERY, async () => {
      await isWritable()
      if (!isStopped) goOn()
    })
  }

  await ask()
  let next = timers.after(0, () => {})
  goOn()

  return {
    now: () => Math.floor(timers.realNow() + ahead),
    isWritable,
    stop: () => {
      isStopped = true
      next.cancel()
    },
  }
}
