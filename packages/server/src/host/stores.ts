// A server keeps everything in one database. A program may have opened it before, to read its clock
// or its records. Everything else of the server receives the stores as arguments.
import { systemTimers } from '@plazo/adapters/system'
import type { Clock, FullStore, Unavailable } from '@plazo/core/ports'
import * as E from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { createErrorReporter } from '../log/error-reporter.ts'
import type { Log } from '../log/log.ts'
import { findKnownCredentials } from '../merchants/known-credentials.ts'
import { type Config, databaseName } from '../settings/config.ts'
import { type OpenStorageOptions, openStorage, type ServerStorage } from './storage.ts'

export type StoreOptions = OpenStorageOptions & {
  /** The opened database of `DATABASE_URL`; `stop` closes it. Default: compose opens it. */
  readonly storage?: ServerStorage
  /**
   * Replaces the store of `DATABASE_URL`, or wraps it. Merchants and keys stay in that database.
   */
  readonly store?: FullStore | ((store: FullStore) => FullStore)
  /** Domain time. Default: the database's own clock. */
  readonly clock?: Clock
}

export type Stores = Awaited<ReturnType<typeof openStores>>

/** While a server starts: throws if the database does not answer. */
export const answerOrThrow = async <A>(
  { database }: Pick<Config, 'database'>,
  task: TaskEither<Unavailable, A>,
): Promise<A> => {
  const answer = await task()
  if (E.isRight(answer)) return answer.right
  const { message } = answer.left
  throw new Error(
    `${databaseName(database)}: ${message}. \`plazo doctor\` says what is wrong with it.`,
  )
}

const leaseHere: ServerStorage['lease'] = async () => ({ isHere: true, holder: null, since: null })

/** Rejects if the database cannot be opened, or if production may not run on it. */
export const openStores = async (config: Config, options: StoreOptions, log: Log) => {
  const { limitsRates: limitsCodes } = config.policy
  const storage = options.storage ?? (await openStorage(config, { limitsCodes, ...options }, log))
  const { timers = systemTimers, clock = storage.clock, store: given = storage.store } = options
  const store = typeof given === 'function' ? given(storage.store) : given
  const { probeDisk = async () => null } = storage
  // No other process starts the jobs of a store that replaces the database's.
  const lease = typeof options.store === 'object' ? leaseHere : storage.lease
  const errorReporter = createErrorReporter(log, timers.monotonicNow, store.takesWrites, probeDisk)
  try {
    if (config.policy.refusesKnownCredentials) {
      const wellKnown = await answerOrThrow(
        config,
        findKnownCredentials(storage.merchants, clock.now()),
      )
      if (wellKnown.length > 0) throw new Error(wellKnown.join('\n'))
    }
    await answerOrThrow(config, storage.keyRotation.markInUse())
  } catch (cause) {
    await storage.close()
    throw cause
  }

  /** True while the database accepts writes. */
  const takesWrites = async (): Promise<boolean> => {
    const isReady = await store.takesWrites()
    const failure = isReady ? null : await probeDisk()
    if (failure !== null) errorReporter.noteUnavailable(failure)
    return isReady
  }
  return { ...storage, store, clock, timers, lease, errorReporter, takesWrites }
}
