// Opens the store that DATABASE_URL names: one SQLite file, or a PostgreSQL database that many
// servers share. Everything else works with either.
import {
  checkAfterUncleanStop,
  type OpenSqliteOptions,
  openSqlite,
  type Storage,
} from '@plazo/adapters/internal/sqlite'
import { systemTimers, type Timers } from '@plazo/adapters/internal/system'
import { errorMessage, type Unavailable } from '@plazo/core/internal'
import type { Log } from '../log/log.ts'
import { type Config, databaseName } from '../settings/config.ts'
import { openError } from '../settings/startup-errors.ts'

export type OpenStorageOptions = Pick<
  OpenSqliteOptions,
  'onCommit' | 'threadAfterJobs' | 'database' | 'limitsCodes'
> & { readonly timers?: Timers }

/** The ports that one database implements. */
export type ServerStorage = Awaited<ReturnType<typeof openStorage>>

// Milliseconds to wait for a database that starts together with a server.
const WAIT = 30_000
const RETRY_INTERVAL = 500
const READ_ONLY_MESSAGE =
  'takes no writes: it is a standby, or read-only. Have DATABASE_URL lead to the primary.'

/**
 * Rejects with the database's name and the reason if it cannot be opened, or not with these keys.
 * `log`: a server's, which waits for a database that does not answer. Null: a command does not wait.
 */
export const openStorage = async (
  { database, keyring }: Pick<Config, 'database' | 'keyring'>,
  options: OpenStorageOptions,
  log: Log | null,
): Promise<Storage> => {
  const { timers = systemTimers } = options
  if (database.type === 'sqlite') {
    try {
      const isServer = log !== null
      if (isServer && options.database === undefined) await checkAfterUncleanStop(database.path)
      return openSqlite(database.path, { ...options, keyring, renewsMark: isServer })
    } catch (cause) {
      throw openError(database.path, cause)
    }
  }
  if (keyring === null) throw new Error('SECRET_KEY is not set. A PostgreSQL database requires it.')
  // A SQLite installation loads no PostgreSQL driver.
  const { isUnreachable, isReadOnly, openPostgres, postgresUnavailable } = await import(
    '@plazo/adapters/internal/postgres'
  )
  let lastReason: Unavailable['code'] | null = null
  for (let deadline: number | null = null; ; ) {
    try {
      return await openPostgres(database.url, { ...options, keyring })
    } catch (cause) {
      const name = databaseName(database)
      if (!isUnreachable(cause)) throw new Error(`${name}: ${errorMessage(cause)}`)
      const reason = postgresUnavailable(cause)
      if (reason.code !== lastReason) log?.('awaiting_database', { database: name, reason })
      lastReason = reason.code
      deadline ??= timers.monotonicNow() + (log === null ? 0 : WAIT)
      if (timers.monotonicNow() >= deadline)
        throw new Error(
          isReadOnly(cause)
            ? `${name} ${READ_ONLY_MESSAGE}`
            : `${name} does not answer: ${errorMessage(cause)}`,
        )
    }
    await new Promise<void>((resolve) => timers.after(RETRY_INTERVAL, resolve))
  }
}
