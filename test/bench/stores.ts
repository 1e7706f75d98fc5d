// Where plazo's orders stand while it is measured: the store is a parameter of every benchmark.
import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { type Postgres, startPostgres } from '../support/postgres.ts'

export const STORES = ['sqlite', 'postgres'] as const
export type StoreName = (typeof STORES)[number]

export const called: { readonly [store in StoreName]: string } = { sqlite: 'SQLite', postgres: 'PostgreSQL' }

export type Stores = {
  /** Where data lie, for whoever counts flushes there. */
  readonly folder: string
  /** A DATABASE_URL of a new, empty database. */
  readonly fresh: (store: StoreName) => Promise<string>
  /** One that is kept for the next run: filling it takes long. On PostgreSQL as long as the server given is. */
  readonly lasting: (store: StoreName, name: string) => Promise<string>
  /** For a peer, on the same server as plazo's. */
  readonly postgres: () => Promise<Postgres>
  readonly close: () => Promise<void>
}

const CACHE = fileURLToPath(new URL('../../node_modules/.cache/plazo-bench', import.meta.url))

// Of a machine that does nothing else; the database's own defaults for the rest.
const SETTINGS = { shared_buffers: '1GB', max_connections: '200' }

export const openStores = (): Stores => {
  const folder = mkdtempSync(join(tmpdir(), 'plazo-bench-'))
  let started: Promise<Postgres> | null = null
  const postgres = (): Promise<Postgres> => {
    started ??= startPostgres({ settings: SETTINGS })
    return started
  }
  return {
    folder,
    postgres,
    fresh: async (store) =>
      store === 'sqlite'
        ? `sqlite:${join(folder, `${randomBytes(6).toString('hex')}.db`)}`
        : (await postgres()).database(),
    lasting: async (store, name) => {
      if (store === 'sqlite') {
        mkdirSync(CACHE, { recursive: true })
        return `sqlite:${join(CACHE, `${name}.db`)}`
      }
      const { url } = await postgres()
      const own = new URL(url)
      own.pathname = `/plazo_bench_${name}`
      const client = new pg.Client({ connectionString: url })
      await client.connect()
      const { rowCount } = await client.query('select from pg_database where datname = $1', [own.pathname.slice(1)])
      if (rowCount === 0) await client.query(`create database ${own.pathname.slice(1)}`)
      await client.end()
      return own.href
    },
    close: async () => {
      await (await started)?.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
