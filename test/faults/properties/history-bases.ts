// The bases on which the property of two dispatchers runs. Each commit of a database is repeated in
// memory, so that one judge sees each version of an order.
import { newKeyring } from '@plazo/adapters/internal/encryption'
import type { Order, Step } from '@plazo/core'
import type { ShopperErasure } from '@plazo/core/internal'
import * as E from 'fp-ts/lib/Either.js'
import { createCipher } from '../../../packages/adapters/src/encryption/cipher.ts'
import { postgresBase } from '../../../packages/adapters/src/postgres/base.ts'
import { openConnection } from '../../../packages/adapters/src/postgres/connection/connection.ts'
import { postgresErasure } from '../../../packages/adapters/src/postgres/erasure.ts'
import { postgresDialect } from '../../../packages/adapters/src/postgres/queries/dialect.ts'
import { sqliteBase } from '../../../packages/adapters/src/sqlite/base.ts'
import { openCommitter } from '../../../packages/adapters/src/sqlite/commit.ts'
import { openCipher } from '../../../packages/adapters/src/sqlite/encryption/master-keys.ts'
import { sqliteErasure } from '../../../packages/adapters/src/sqlite/erasure.ts'
import { sqliteDialect } from '../../../packages/adapters/src/sqlite/queries/dialect.ts'
import { openDatabase } from '../../../packages/adapters/src/sqlite/schema/database.ts'
import type { Base, Opener, OrderChange } from '../../../packages/adapters/src/store/base.ts'
import type { Lease } from '../../../packages/adapters/src/store/lease.ts'
import { createSealer } from '../../../packages/adapters/src/store/seal.ts'
import { createStore } from '../../../packages/adapters/src/store/store.ts'
import { temporaryPath } from '../../harness/ports-and-folders.ts'
import { freshDatabase } from '../../harness/postgres-storage.ts'
import {
  baseInMemory,
  isUnfinished,
  type OnWrite,
  type Orders,
  plainOpener,
} from './base-in-memory.ts'

type Run = <A>(call: () => Promise<A>) => Promise<A>

type StoreParts = {
  readonly orders: Orders
  readonly onWrite: OnWrite
  /** Brings a call to the database, and its answer back. */
  readonly call: Run
  readonly lease: Lease
  readonly monotonicNow: () => number
}

/** `erase`: an order without unfinished jobs loses its payloads. */
export type HistoryBase = {
  readonly openStore: (parts: StoreParts) => ReturnType<typeof createStore>
  readonly erase: (orders: Orders, ref: string, step: (order: Order) => Step) => Promise<void>
  /** Ends what a history that was broken off has left behind. */
  readonly begin: () => Promise<void>
  /** Resolves once the database has nothing to do. */
  readonly flush: () => Promise<void>
  readonly close: () => Promise<void>
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

// A batch is sent in the next turn of the event loop, and its answer goes through a few functions.
const QUIET_TURNS = 3

const changed = (orders: Orders, ref: string, version: number | undefined): void => {
  const stored = orders.get(ref)
  if (stored === undefined || version === undefined) return
  const jobs = stored.jobs.map((job) => ({ ...job, work: null }))
  orders.set(ref, { ...stored, version, jobs })
}

const through = <Value, Key>(base: Base<Value, Key>, call: Run): Base<Value, Key> => ({
  readOrders: (asked) => call(() => base.readOrders(asked)),
  readWork: (jobs) => call(() => base.readWork(jobs)),
  commit: (changes) => call(() => base.commit(changes)),
  due: (...page) => call(() => base.due(...page)),
  dueOf: (...page) => call(() => base.dueOf(...page)),
  goodEndpoints: () => call(() => base.goodEndpoints()),
  erasures: () => call(() => base.erasures()),
  nextDueAt: (after) => call(() => base.nextDueAt(after)),
  holderOf: (...reference) => call(() => base.holderOf(...reference)),
})

const storeOn = <Value, Key>(
  base: Base<Value, Key>,
  open: Opener<Value, Key>,
  { call, lease, monotonicNow }: StoreParts,
) =>
  createStore({
    base: through(base, call),
    ...{ open, lease, options: { soon: queueMicrotask, monotonicNow } },
  })

export const mapsForHistories = (): HistoryBase => ({
  openStore: (parts) => storeOn(baseInMemory(parts.orders, parts.onWrite), plainOpener, parts),
  erase: async (orders, ref) => {
    const stored = orders.get(ref)
    if (!stored?.jobs.some(isUnfinished)) changed(orders, ref, stored && stored.version + 1)
  },
  begin: async () => {},
  flush: turn,
  close: async () => {},
})

const withoutKeys = <Key>({ row, placed, ...change }: OrderChange<string, Key>) => ({
  ...change,
  row: row && { ...row, key: null },
  placed: placed && { ...placed, key: null },
})

const repeatedInMemory = <Value, Key>(
  base: Base<Value, Key>,
  { orders, onWrite }: StoreParts,
): Base<Value, Key> => {
  const memory = baseInMemory(orders, onWrite)
  return {
    ...base,
    commit: async (changes) => {
      const results = await base.commit(changes)
      for (const [n, result] of results.entries()) {
        const change = changes[n] as OrderChange<string, Key>
        if (E.isLeft(result) || result.right.as !== 'done') continue
        const [repeated] = await memory.commit([withoutKeys(change)])
        if (!repeated || E.isLeft(repeated) || repeated.right.as !== 'done')
          throw new Error('A commit has overtaken the one before it.')
      }
      return results
    },
  }
}

type DatabaseParts<Value, Key> = {
  readonly base: Base<Value, Key>
  readonly opener: Opener<Value, Key>
  readonly erasure: ShopperErasure
  readonly run: (sql: string) => Promise<unknown>
  readonly schema: string
  readonly close: () => Promise<void>
}

const overDatabase = <Value, Key>(parts: DatabaseParts<Value, Key>): HistoryBase => {
  const { base, opener, erasure, run, schema, close } = parts
  let underWay = 0

  const count: Run = async (call) => {
    underWay += 1
    try {
      return await call()
    } finally {
      underWay -= 1
    }
  }

  return {
    openStore: (storeParts) =>
      storeOn(through(repeatedInMemory(base, storeParts), count), opener, storeParts),
    erase: async (orders, ref, step) => {
      const erased = await erasure.erase(ref, (order) => E.right(step(order)))()
      if (E.isLeft(erased)) return
      const [row] = await base.readOrders([{ ref, version: null }])
      changed(orders, ref, row?.version ?? undefined)
    },
    begin: async () => {
      await run(
        `update ${schema}outbox set state = 'stopped' where state in ('queued', 'pending', 'stuck')`,
      )
      await run(`delete from ${schema}endpoints`)
    },
    flush: async () => {
      for (let quiet = 0; quiet < QUIET_TURNS; quiet++) {
        await turn()
        if (underWay > 0) quiet = 0
      }
    },
    close,
  }
}

export const sqliteForHistories = async (): Promise<HistoryBase> => {
  const { path, remove } = temporaryPath('histories.db')
  const db = openDatabase(path)
  const cipher = openCipher(db, newKeyring())
  const committer = openCommitter(db, cipher, { threadAfterJobs: Number.POSITIVE_INFINITY })
  const dialect = sqliteDialect(db, createSealer(cipher), committer)
  return overDatabase({
    base: sqliteBase(db, dialect, committer.commit),
    opener: dialect.sealer.opener,
    erasure: sqliteErasure(db, dialect),
    run: async (sql) => db.exec(sql),
    schema: '',
    close: async () => {
      await committer.close()
      db.close()
      remove()
    },
  })
}

export const postgresForHistories = async (): Promise<HistoryBase> => {
  const { url, drop } = await freshDatabase()
  const connection = openConnection(url, { connections: 4 })
  const dialect = postgresDialect(connection, createSealer(createCipher(newKeyring())))
  const { sealer } = dialect
  const erasures = async (): Promise<number> => {
    const [row] = await dialect.query<{ readonly count: number }>(
      () => 'select count from plazo.key_changes',
    )
    return row?.count ?? 0
  }
  return overDatabase({
    base: postgresBase(connection, dialect, { erasures, lockTimeout: null }),
    opener: sealer.opener,
    erasure: postgresErasure(dialect),
    run: (sql) => dialect.query(() => sql),
    schema: 'plazo.',
    close: async () => {
      await connection.close()
      await drop()
    },
  })
}
