// What a server keeps lies in one database. A program may have opened it before, to read its clock
// or its records. Everything else of the server receives the stores as arguments.
import { systemTimers, type Timers } from '@plazo/adapters/system'
import type { FullStore, Unavailable } from '@plazo/core/ports'
import * as E from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { insideOf, openExtensions, type ServerExtension } from '../http/extension.ts'
import { createErrorReporter } from '../log/error-reporter.ts'
import type { Log } from '../log/log.ts'
import { findWellKnownCredentials } from '../merchants/known-credentials.ts'
import { type Config, databaseName } from '../settings/config.ts'
import { type OpenStorageOptions, openStorage, type ServerStorage } from '../settings/storage.ts'

export type StoreOptions = Pick<
  OpenStorageOptions,
  'onCommit' | 'threadAfterJobs' | 'database' | 'patience'
> & {
  /** The opened database of `DATABASE_URL`, which the server then closes. Default: it opens it. */
  readonly storage?: ServerStorage
  /**
   * Replaces the store of `DATABASE_URL`, or wraps it. Merchants and keys stay in that database.
   */
  readonly store?: FullStore | ((store: FullStore) => FullStore)
  /** Default: the machine's own. */
  readonly timers?: Timers
  /** Parts that not every server has. Default: none. */
  readonly extensions?: readonly ServerExtension[]
}

export type Stores = Omit<Awaited<ReturnType<typeof openStores>>, 'extension'>

// Milliseconds to wait for a database that starts together with this server.
const DATABASE_WAIT = 30_000

/** Rejects if the database cannot be opened, or if production may not run on it. */
export const openStores = async (
  config: Config,
  options: StoreOptions & { readonly baseUrl: string },
  log: Log,
) => {
  const database = databaseName(config.database)
  const storage =
    options.storage ??
    (await openStorage(config, {
      patience: DATABASE_WAIT,
      ...options,
      onWaiting: (reason) => log('awaiting_database', { database, reason, hint: reason.code }),
    }))
  const { timers = systemTimers, baseUrl, store: given = storage.store } = options
  const store = typeof given === 'function' ? given(storage.store) : given
  const { probeDisk = async () => null } = storage
  const errorReporter = createErrorReporter(log, timers.monotonicNow, store.takesWrites, probeDisk)

  const answerOrThrow = async <A>(task: TaskEither<Unavailable, A>): Promise<A> => {
    const answer = await task()
    if (E.isRight(answer)) return answer.right
    throw new Error(
      `${database}: ${answer.left.message}. \`plazo doctor\` says what is wrong with it.`,
    )
  }
  try {
    const parts = { ...storage, store, timers, config, baseUrl }
    const extension = await answerOrThrow(
      openExtensions((options.extensions ?? []).map(insideOf), {
        ...parts,
      }),
    )
    const clock = extension.clock ?? storage.clock
    if (config.policy.refusesKnownCredentials) {
      const wellKnown = await answerOrThrow(
        findWellKnownCredentials(storage.merchants, clock.now()),
      )
      if (wellKnown.length > 0)
        throw new Error(wellKnown.map(({ says, todo }) => `${says}. ${todo}`).join('\n'))
    }
    await answerOrThrow(storage.keyRotation.markInUse())
    /** True while the database accepts writes. */
    const takesWrites = async (): Promise<boolean> => {
      const isReady = await store.takesWrites()
      const failure = isReady ? null : await probeDisk()
      if (failure !== null) errorReporter.noteUnavailable(failure)
      return isReady
    }
    return { ...storage, store, clock, timers, errorReporter, takesWrites, extension }
  } catch (cause) {
    await storage.close()
    throw cause
  }
}
