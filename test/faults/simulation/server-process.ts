// One process of the server in a simulated world: the real composition, on the database that the
// previous process left. A crash ends it between two turns; it never learns the results of its
// pending work.
import { type HttpRequest, type HttpResult, merchantGateway } from '@plazo/adapters/internal/http'
import type { Timers } from '@plazo/adapters/internal/system'
import { openSqlite } from '@plazo/adapters/sqlite'
import type { FullStore, Ids, Providers } from '@plazo/core/ports'
import type { Log, Plazo } from '@plazo/server/internal'
import {
  type Database,
  openDatabase,
} from '../../../packages/adapters/src/sqlite/schema/database.ts'
import { composeInMode, configFrom } from '../../harness/config.ts'
import { atKillPoints, type KillPoint } from '../../harness/faults.ts'
import { addMerchants, MERCHANTS } from '../../harness/merchants.ts'
import { keyringOf } from '../../harness/secret-keys.ts'
import type { SeededRandom } from '../../harness/seeded-random.ts'
import { type Answered, asMerchant, fetchOptions } from '../../harness/shopper.ts'
import type { Request } from './network.ts'
import type { WorldState } from './world-state.ts'

export const URL_OF_US = 'http://localhost:3000'
export const EPOCH = Date.UTC(2026, 0, 5)

export const keyring = keyringOf(`simulated:${Buffer.alloc(32, 7).toString('base64')}`)

const sandboxConfig = configFrom({
  DATABASE_URL: 'sqlite::memory:',
  RETAIN_DELIVERIES: 'forever',
})
const config = {
  ...sandboxConfig,
  // Retries are late, as in production.
  policy: { ...sandboxConfig.policy, jitter: 0.1 },
  keyring,
}

/** The initial database of every world. */
const makeTemplate = async (): Promise<Buffer> => {
  const database = openDatabase(':memory:')
  const home = openSqlite(':memory:', { database, keyring })
  await addMerchants(home.merchants)
  let image = database.serialize()
  const settled = openDatabase(image)
  Object.assign(settled, {
    close: () => {
      image = settled.serialize()
    },
  })
  // The sandbox adds its own merchant at its first start.
  const plazo = await composeInMode(config, {
    baseUrl: URL_OF_US,
    log: () => {},
    database: settled,
  })
  await plazo.stop()
  return image
}

let template: Promise<Buffer> | null = null

/** Created once and shared by all worlds. */
export const firstImage = (): Promise<Buffer> => {
  template ??= makeTemplate()
  return template
}

export const idsOf = (draw: SeededRandom): Ids => {
  const hex = (digits: number): string =>
    Array.from({ length: digits }, () => draw.below(16).toString(16)).join('')
  return {
    orderRef: () => `${hex(8)}-${hex(4)}-4${hex(3)}-8${hex(3)}-${hex(12)}`,
    random: () => ({ code: String(draw.below(100_000)).padStart(5, '0'), token: hex(22) }),
  }
}

export type ServerProcess = {
  readonly isDead: () => boolean
  /** Ends the process; nothing of it continues. */
  readonly kill: () => void
  /** The database with everything it has committed. */
  readonly databaseImage: () => Buffer
  /** Null if the process ended before it could answer. */
  readonly serve: (request: Request) => Promise<Answered | null>
  /** Finishes what is in flight. */
  readonly stop: () => Promise<void>
  readonly database: Database
  /**
   * When the first job that has not ended is due in domain time. One that runs was due already. Null:
   * none is left.
   */
  readonly nextDueAt: () => number | null
  /** Requests not yet answered by the server, merchants or providers. */
  readonly inFlight: () => number
}

type ServerProcessParts = {
  readonly draw: SeededRandom
  readonly ids: Ids
  readonly realNow: () => number
  readonly exchange: (call: HttpRequest) => Promise<HttpResult>
  readonly providers: (given: Providers) => Providers
  readonly store: (store: FullStore) => FullStore
  readonly log: Log
  readonly onPoint: (point: KillPoint, serverProcess: ServerProcess) => void
  /** Milliseconds for which the process is frozen from now on. */
  readonly frozenFor: () => number
}

const never = new Promise<never>(() => {})
const POLL_INTERVAL = 1_000
/** Background work, such as retention and alerts, runs at most once a minute. */
const MINUTE = 60_000

/** A `SqliteError`, as a disk or another process causes it. */
const diskError = (code: string, message: string): Error =>
  Object.assign(new Error(message), { name: 'SqliteError', code })

/** From now on the database cannot grow: SQLite itself reports that the disk is full. */
export const fillDisk = (database: Database): void => {
  database.pragma(`max_page_count = ${database.pragma('page_count', { simple: true })}`)
}

export const freeDisk = (database: Database): void => {
  database.pragma('max_page_count = 1073741823')
}

export const startServerProcess = async (
  image: Buffer,
  { scheduler, faultLevels }: WorldState,
  { draw, ids, realNow, exchange, providers, store, log, onPoint, frozenFor }: ServerProcessParts,
): Promise<ServerProcess> => {
  const database = openDatabase(image)
  const close = database.close.bind(database)
  let finalImage: Buffer | null = null
  let isDead = false
  let pendingCount = 0
  let plazo: Plazo | null = null

  const databaseImage = (): Buffer => {
    if (finalImage === null) {
      if (database.inTransaction) database.exec('rollback')
      finalImage = database.serialize()
      close()
    }
    return finalImage
  }
  // An in-memory database is lost when it is closed.
  Object.assign(database, { close: () => void databaseImage() })
  if (faultLevels.fullDisk > 0) fillDisk(database)

  // A frozen process runs its missed timers when the freeze ends.
  const ifAlive = (call: () => void) => (): void => {
    if (isDead) return
    if (frozenFor() > 0) scheduler.after(frozenFor(), ifAlive(call))
    else call()
  }
  const timers: Timers = {
    realNow,
    monotonicNow: () => {
      if (faultLevels.slowDisk > 0) scheduler.spend(2)
      return scheduler.now()
    },
    after: (millis, call) =>
      scheduler.after(
        millis,
        ifAlive(call),
        millis >= MINUTE || (millis <= POLL_INTERVAL && pendingCount === 0) ? 'poll' : 'other',
      ),
    soon: (call) => void scheduler.after(0.1 + 0.4 * draw.next(), ifAlive(call)),
  }

  const waitForThaw = async (): Promise<void> => {
    while (frozenFor() > 0) await scheduler.sleep(frozenFor())
  }

  /** A frozen process sees a result only when the freeze ends. */
  const afterThaw = async <A>(work: () => Promise<A>): Promise<A> => {
    const result = await work()
    await waitForThaw()
    return result
  }

  /** A result for a dead process never arrives. */
  const unlessDead = async <A>(work: () => Promise<A>): Promise<A> => {
    if (isDead) return never
    pendingCount += 1
    try {
      const result = await work()
      return isDead ? await never : result
    } finally {
      pendingCount -= 1
    }
  }

  const seams = atKillPoints((point) => onPoint(point, serverProcess))

  const onCommit = (moment: 'before' | 'after'): void => {
    if (moment === 'before') {
      if (isDead) throw diskError('SQLITE_IOERR', 'the process is gone')
      scheduler.spend(faultLevels.slowDisk > 0 ? 20 + 1_500 * draw.next() : 0.5)
      seams.onCommit(moment)
      if (isDead) throw diskError('SQLITE_IOERR', 'the process is gone')
      if (faultLevels.failingCommits > 0 && draw.below(2) === 0)
        throw draw.below(2) === 0
          ? diskError('SQLITE_BUSY', 'database is locked')
          : diskError('SQLITE_FULL', 'database or disk is full')
      return
    }
    seams.onCommit(moment)
  }

  const nextDueAt = database
    .prepare<[], number | null>(`select min(due_at) from outbox where state = 'pending'`)
    .pluck()

  const serverProcess: ServerProcess = {
    nextDueAt: () => nextDueAt.get() ?? null,
    isDead: () => isDead,
    kill: () => {
      isDead = true
    },
    databaseImage,
    database,
    inFlight: () => pendingCount,
    serve: async (request) => {
      if (plazo === null || isDead) return null
      const answerRequest = async (): Promise<Answered> => {
        await waitForThaw()
        if (isDead) return never
        const response = await (plazo as Plazo).app.request(
          `${URL_OF_US}${request.path}`,
          fetchOptions(request),
        )
        const text = await response.text()
        const isJson = response.headers.get('content-type')?.includes('json') === true
        return {
          status: response.status,
          location: response.headers.get('location'),
          body: isJson ? (JSON.parse(text) as Answered['body']) : {},
        }
      }
      return unlessDead(answerRequest)
    },
    stop: async () => {
      await plazo?.stop()
      isDead = true
    },
  }

  const mortalProviders = (given: Providers): Providers => {
    const input = providers(given)
    const each = <Port extends object>(port: Port): Port =>
      Object.fromEntries(
        Object.entries(port).map(([name, ask]) => [
          name,
          (request: unknown) => () =>
            unlessDead(() =>
              afterThaw((ask as (request: unknown) => () => Promise<unknown>)(request)),
            ),
        ]),
      ) as Port
    return {
      screening: each(input.screening),
      sms: each(input.sms),
      identity: each(input.identity),
      payments: each(input.payments),
      risk: each(input.risk),
    }
  }

  plazo = await composeInMode(config, {
    baseUrl: URL_OF_US,
    log,
    database,
    timers,
    ids,
    openGateway: (given) =>
      merchantGateway({
        ...given,
        timers,
        sendRequest: (call) => unlessDead(() => afterThaw(() => exchange(call))),
      }),
    // The sandbox answers every port.
    wrapProviders: (given) => mortalProviders(given as Providers),
    store,
    onCommit,
    onMoment: seams.onMoment,
  })
  // The password is checked once, in a thread outside the scheduler, and cached.
  await plazo.app.request(`${URL_OF_US}/merchants/credentials`, {
    headers: asMerchant(MERCHANTS[0]),
  })
  return serverProcess
}
