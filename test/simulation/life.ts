// One process of the server in a simulated world: the real composition, on the database that the previous process left. A crash
// ends it between two turns; it never learns the results of its pending work.
import type { HttpRequest, HttpResult } from '@plazo/adapters/http'
import type { Timers } from '@plazo/adapters/system'
import type { Ids, Providers, Store } from '@plazo/core'
import { type Config, compose, type Log, type Plazo } from '@plazo/server'
import { type Database, openDatabase } from '../../packages/adapters/src/sqlite/database.ts'
import type { Seeded } from '../crash/seeded.ts'
import type { Answered, Request } from './network.ts'
import type { Scheduler } from './scheduler.ts'
import { asMerchant } from './shopper.ts'
import type { Weather } from './weather.ts'

export type Life = {
  readonly isDead: () => boolean
  /** Ends the process; nothing of it continues. */
  readonly die: () => void
  /** The database with everything it has committed. */
  readonly remains: () => Buffer
  /** Null if the process ended before it could answer. */
  readonly serve: (request: Request) => Promise<Answered | null>
  /** Finishes what is in flight. */
  readonly stop: () => Promise<void>
  readonly database: Database
  /** The number of claimed jobs, and when the next job is due in domain time. */
  readonly due: () => { readonly claimed: number; readonly due: number | null }
  /** Requests not yet answered by the server, merchants or providers. */
  readonly inFlight: () => number
}

type LifeParts = {
  readonly config: Config
  readonly url: string
  readonly scheduler: Scheduler
  readonly weather: Weather
  readonly draw: Seeded
  readonly ids: Ids
  readonly realNow: () => number
  readonly exchange: (call: HttpRequest) => Promise<HttpResult>
  readonly deciders: (own: Providers) => Providers
  readonly store: (own: Store) => Store
  readonly log: Log
  readonly onMoment: (moment: 'before a commit' | 'after a commit' | 'claimed' | 'carried out', life: Life) => void
  /** Milliseconds for which the process is frozen from now on. */
  readonly frozenFor: () => number
}

const never = new Promise<never>(() => {})
const POLL = 1_000

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

export const beginLife = async (image: Buffer, parts: LifeParts): Promise<Life> => {
  const { config, url, scheduler, weather, draw, ids, realNow, exchange, deciders, log, onMoment, frozenFor } = parts
  const database = openDatabase(image)
  const close = database.close.bind(database)
  let left: Buffer | null = null
  let isDead = false
  let flying = 0
  let plazo: Plazo | null = null

  const remains = (): Buffer => {
    if (left === null) {
      if (database.inTransaction) database.exec('rollback')
      left = database.serialize()
      close()
    }
    return left
  }
  // An in-memory database is lost when it is closed.
  Object.assign(database, { close: () => void remains() })
  if (weather.fullDisk > 0) fillDisk(database)

  // A frozen process runs its missed timers when the freeze ends.
  const alive = (call: () => void) => (): void => {
    if (isDead) return
    if (frozenFor() > 0) scheduler.after(frozenFor(), alive(call))
    else call()
  }
  const timers: Timers = {
    realNow,
    monotonicNow: () => {
      if (weather.slowDisk > 0) scheduler.spend(2)
      return scheduler.now()
    },
    after: (millis, call) =>
      scheduler.after(
        millis,
        alive(call),
        millis <= POLL && flying === 0 ? 'poll' : millis > 5 * 60_000 ? 'background' : 'other',
      ),
    soon: (call) => void scheduler.after(0.1 + 0.4 * draw.next(), alive(call)),
  }

  const thawed = async (): Promise<void> => {
    while (frozenFor() > 0) await scheduler.sleep(frozenFor())
  }

  /** A frozen process sees a result only when the freeze ends. */
  const heard = async <A>(work: () => Promise<A>): Promise<A> => {
    const result = await work()
    await thawed()
    return result
  }

  /** A result for a dead process never arrives. */
  const mortal = async <A>(work: () => Promise<A>): Promise<A> => {
    if (isDead) return never
    flying += 1
    try {
      const result = await work()
      return isDead ? await never : result
    } finally {
      flying -= 1
    }
  }

  const onCommit = (moment: 'before' | 'after'): void => {
    if (moment === 'before') {
      if (isDead) throw diskError('SQLITE_IOERR', 'the process is gone')
      scheduler.spend(weather.slowDisk > 0 ? 20 + 1_500 * draw.next() : 0.5)
      onMoment('before a commit', life)
      if (isDead) throw diskError('SQLITE_IOERR', 'the process is gone')
      if (weather.failingCommits > 0 && draw.below(2) === 0)
        throw draw.below(2) === 0
          ? diskError('SQLITE_BUSY', 'database is locked')
          : diskError('SQLITE_FULL', 'database or disk is full')
      return
    }
    onMoment('after a commit', life)
  }

  const due = database.prepare<[], { claimed: number; due: number | null }>(
    `select (select count(*) from outbox where state = 'claimed') as claimed,
      (select min(due_at) from outbox where state = 'pending') as due`,
  )

  const life: Life = {
    due: () => due.get() ?? { claimed: 0, due: null },
    isDead: () => isDead,
    die: () => {
      isDead = true
    },
    remains,
    database,
    inFlight: () => flying,
    serve: async ({ method, path, headers = {}, body, form }) => {
      if (plazo === null || isDead) return null
      const init: RequestInit = {
        method,
        headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
      }
      if (body !== undefined) init.body = JSON.stringify(body)
      if (form !== undefined) init.body = new URLSearchParams(form)
      const answering = async (): Promise<Answered> => {
        await thawed()
        if (isDead) return never
        const response = await (plazo as Plazo).app.request(`${url}${path}`, init)
        const text = await response.text()
        const isJson = response.headers.get('content-type')?.includes('json') === true
        return {
          status: response.status,
          location: response.headers.get('location'),
          body: isJson ? (JSON.parse(text) as Answered['body']) : {},
        }
      }
      return mortal(answering)
    },
    stop: async () => {
      await plazo?.stop()
      isDead = true
    },
  }

  const troubledDeciders = (own: Providers): Providers => {
    const given = deciders(own)
    const each = <Port extends object>(port: Port): Port =>
      Object.fromEntries(
        Object.entries(port).map(([name, ask]) => [
          name,
          (asked: unknown) => () => mortal(() => heard((ask as (asked: unknown) => () => Promise<unknown>)(asked))),
        ]),
      ) as Port
    return {
      screening: each(given.screening),
      sms: each(given.sms),
      identity: each(given.identity),
      payments: each(given.payments),
      risk: each(given.risk),
    }
  }

  plazo = await compose(config, url, log, {
    database,
    timers,
    ids,
    sendRequest: (call) => mortal(() => heard(() => exchange(call))),
    deciders: troubledDeciders,
    store: parts.store,
    onCommit,
    onMoment: (moment) => onMoment(moment, life),
  })
  // The password is checked once, in a thread outside the scheduler, and cached.
  await plazo.app.request(`${url}/merchants/credentials`, { headers: asMerchant })
  return life
}
