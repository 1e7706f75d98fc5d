// Opens the databases of a benchmark. The store is a parameter of every benchmark.
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import { type Postgres, startOwnPostgres } from '../../harness/postgres.ts'

export const STORES = ['sqlite', 'postgres'] as const
export type StoreName = (typeof STORES)[number]

export const called: { readonly [store in StoreName]: string } = {
  sqlite: 'SQLite',
  postgres: 'PostgreSQL',
}

export type Stores = {
  /** The DATABASE_URL of a new, empty database. */
  readonly fresh: (store: StoreName) => Promise<string>
  readonly close: () => Promise<void>
}

// The settings from docs/operations.md for a dedicated server; otherwise PostgreSQL's
// defaults.
const SETTINGS = {
  shared_buffers: `${Math.min(8192, Math.floor(totalmem() / 4 / 2 ** 20))}MB`,
  max_connections: '200',
  wal_compression: 'on',
  max_wal_size: '8GB',
  checkpoint_timeout: '15min',
}

export const openStores = (): Stores => {
  const folder = mkdtempSync(join(tmpdir(), 'plazo-bench-'))
  let server: Promise<Postgres> | null = null
  return {
    fresh: async (store) => {
      if (store === 'sqlite') return `sqlite:${join(folder, `${randomUUID()}.db`)}`
      server ??= startOwnPostgres({ settings: SETTINGS })
      return (await server).database()
    },
    close: async () => {
      await (await server)?.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
