// One process at a time starts the jobs of a database: the one that has an exclusive transaction on a file
// beside it. The system ends that transaction with the process, so another one goes on at once. A frozen
// process keeps the lease until it is ended. The modification time of that file is when another process
// last changed an order.
import { statSync, utimesSync } from 'node:fs'
import { hostname } from 'node:os'
import Sqlite from 'better-sqlite3'
import type { Storage } from '../sql/storage.ts'
import { type Lease, type LeaseHolder, NO_FORMER } from '../store/lease.ts'
import type { Timers } from '../system/clock-and-ids.ts'
import { errorCodeOf } from '../system/error-code.ts'

// Real milliseconds between two tries, because each commit may ask.
const RETRY_MILLIS = 250

export type SqliteLease = Lease &
  Pick<Storage, 'lease'> & {
    /** The listener is told that other processes have changed orders. */
    readonly onNews: (listener: () => void) => void
    /** This process has changed an order. */
    readonly noteChange: () => void
    readonly close: () => void
  }

/** `database`: the path of its file. */
export const sqliteLease = (
  database: string,
  { monotonicNow, realNow }: Pick<Timers, 'monotonicNow' | 'realNow'>,
): SqliteLease => {
  const path = `${database}-dispatcher`
  let file: Sqlite.Database | null = null
  let listener = (): void => {}
  let changedAt: number | undefined
  let isHeld = false
  let since = 0
  let triedAt = Number.NEGATIVE_INFINITY

  const tryTake = (): boolean => {
    file ??= new Sqlite(path, { timeout: 0 })
    try {
      file.exec('begin exclusive')
      return true
    } catch (cause) {
      if (errorCodeOf(cause).startsWith('SQLITE_BUSY')) return false
      throw cause
    }
  }

  const readNews = (): void => {
    const before = changedAt
    changedAt = statSync(path, { throwIfNoEntry: false })?.mtimeMs
    if (changedAt !== before) listener()
  }

  return {
    take: async () => {
      if (!isHeld && monotonicNow() - triedAt >= RETRY_MILLIS) {
        triedAt = monotonicNow()
        isHeld = tryTake()
        if (isHeld) since = realNow()
      }
      if (isHeld) readNews()
      return isHeld ? NO_FORMER : null
    },
    isHeld: () => isHeld,
    onNews: (listen) => {
      listener = listen
    },
    noteChange: () => {
      if (isHeld) return
      const now = (performance.timeOrigin + performance.now()) / 1_000
      try {
        utimesSync(path, now, now)
      } catch {
        // Nobody starts jobs yet, or the one that does looks for them every ten seconds.
      }
    },
    lease: async (): Promise<LeaseHolder | null> => {
      if (isHeld) return { isHere: true, holder: `${hostname()} ${process.pid}`, since }
      if (!tryTake()) return { isHere: false, holder: null, since: null }
      file?.exec('rollback')
      return null
    },
    close: () => {
      isHeld = false
      file?.close()
    },
  }
}
