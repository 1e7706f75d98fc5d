// Opens the store that DATABASE_URL names: one SQLite file, or a PostgreSQL database that many
// servers share. Everything else works with either.
import { type OpenSqliteOptions, openSqlite, type Storage } from '@plazo/adapters/sqlite'
import { systemTimers, type Timers } from '@plazo/adapters/system'
import { errorMessage, type Unavailable } from '@plazo/core/ports'
import { type Config, databaseName } from './config.ts'
import { openError } from './startup-errors.ts'

export type OpenStorageOptions = Pick<
  OpenSqliteOptions,
  'onCommit' | 'threadAfterJobs' | 'reclaimsDeadClaims' | 'database'
> & {
  readonly timers?: Timers
  /** Real milliseconds to wait for a database that does not answer. Default: none. */
  readonly patience?: number
  /** Called when it begins to wait, and whenever the reason has changed. */
  readonly onWaiting?: (reason: Unavailable) => void
}

/** The ports that one database implements. */
export type ServerStorage = Awaited<ReturnType<typeof openStorage>>

const RETRY_INTERVAL = 500
const READ_ONLY_MESSAGE =
  'takes no writes: it is a standby, or read-only. Have DATABASE_URL lead to the primary.'

/**
 * Rejects with the database's name and the reason if it cannot be opened, or not with these keys.
 */
export const openStorage = async (
  { database, keyring }: Pick<Config, 'database' | 'keyring'>,
  { patience = 0, onWaiting, ...options }: OpenStorageOptions = {},
): Promise<Storage> => {
  const { timers = systemTimers } = options
  if (database.type === 'sqlite') {
    try {
      return openSqlite(database.path, { ...options, keyring })
    } catch (cause) {
      throw openError(database.path, cause)
    }
  }
  if (keyring === null) throw new Error('SECRET_KEY is not set. A PostgreSQL database requires it.')
  // A SQLite installation loads no PostgreSQL driver.
  const { isUnreachable, isReadOnly, openPostgres, postgresUnavailable } = await import(
    '@plazo/adapters/postgres'
  )
  let lastReason: Unavailable['code'] | null = null
  for (let deadline: number | null = null; ; ) {
    try {
      return await openPostgres(database.url, { ...options, keyring })
    } catch (cause) {
      const name = databaseName(database)
      if (!isUnreachable(cause)) throw new Error(`${name}: ${errorMessage(cause)}`)
      const reason = postgresUnavailable(cause)
      if (patience > 0 && reason.code !== lastReason) onWaiting?.(reason)
      lastReason = reason.code
      deadline ??= timers.monotonicNow() + patience
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
