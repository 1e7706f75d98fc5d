// Opens the store that DATABASE_URL names: one SQLite file, or a PostgreSQL database that many
// servers share. Everything else works with either.
import { createTestClock, type TestClock } from '@plazo/adapters/sandbox'
import { type OpenSqliteOptions, openSqlite, type Storage } from '@plazo/adapters/sqlite'
import { systemTimers, type Timers } from '@plazo/adapters/system'
import { errorMessage, type FullStore, type Unavailable } from '@plazo/core/ports'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Log } from '../log/log.ts'
import { addDemoMerchant, findWellKnownCredentials } from '../sandbox/demo-merchant.ts'
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

/** The storage of a running server. */
export type OpenStores = Storage & {
  readonly timers: Timers
  /** Null in production. */
  readonly testClock: TestClock | null
}

// Milliseconds to wait for a database that starts together with this server.
const DATABASE_WAIT = 30_000

/**
 * In a sandbox with a clock that can be moved and the demo merchant; in production it rejects if a
 * merchant has well-known credentials.
 */
export const openStores = async (
  config: Pick<Config, 'database' | 'keyring' | 'mode'>,
  log: Log,
  options: OpenStorageOptions & { readonly store?: FullStore | ((own: FullStore) => FullStore) },
): Promise<OpenStores> => {
  const storage = await openStorage(config, {
    patience: DATABASE_WAIT,
    ...options,
    onWaiting: (reason) =>
      log('awaiting_database', {
        database: databaseName(config.database),
        reason,
        hint: reason.code,
      }),
  })

  const orThrow = <A>(task: TE.TaskEither<Unavailable, A>): Promise<A> =>
    pipe(
      task,
      TE.getOrElse(({ message }) => {
        throw new Error(
          `${databaseName(config.database)}: ${message}. \`plazo doctor\` says what is wrong with it.`,
        )
      }),
    )()

  const testClock =
    config.mode === 'sandbox'
      ? await orThrow(createTestClock(storage.records, { realNow: storage.clock.now }))
      : null
  if (config.mode === 'sandbox') await addDemoMerchant(storage.merchants)
  else {
    const credentials = await orThrow(
      findWellKnownCredentials(storage.merchants, storage.clock.now()),
    )
    if (credentials.length > 0)
      throw new Error(credentials.map(({ says, todo }) => `${says}. ${todo}`).join('\n'))
  }
  await orThrow(storage.keyRotation.markInUse())
  return {
    ...storage,
    store:
      typeof options.store === 'function'
        ? options.store(storage.store)
        : (options.store ?? storage.store),
    clock: testClock ?? storage.clock,
    testClock,
    timers: options.timers ?? systemTimers,
  }
}
