// Opens the databases of a benchmark. The store is a parameter of every benchmark.
import { createHash, randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { type Postgres, startPostgres } from '../../harness/postgres.ts'

export const STORES = ['sqlite', 'postgres'] as const
export type StoreName = (typeof STORES)[number]

export const called: { readonly [store in StoreName]: string } = {
  sqlite: 'SQLite',
  postgres: 'PostgreSQL',
}

export type Stores = {
  /** The folder of the data, to count flushes there. */
  readonly folder: string
  /** The DATABASE_URL of a new, empty database. */
  readonly fresh: (store: StoreName) => Promise<string>
  /**
   * A database that is kept for the next run, because filling it takes long. `isNew` replaces it
   * with an empty one.
   */
  readonly lasting: (store: StoreName, name: string, isNew?: boolean) => Promise<string>
  /** A database for a peer, on the same server as plazo's. */
  readonly postgres: () => Promise<Postgres>
  readonly close: () => Promise<void>
}

const CACHE = fileURLToPath(new URL('../../../node_modules/.cache/plazo-bench', import.meta.url))

// The settings from docs/operations.md for a dedicated server; otherwise PostgreSQL's
// defaults.
const SETTINGS = {
  shared_buffers: `${Math.min(8192, Math.floor(totalmem() / 4 / 2 ** 20))}MB`,
  max_connections: '200',
  wal_compression: 'on',
  max_wal_size: '8GB',
  checkpoint_timeout: '15min',
}

// A database that was filled under other migrations is filled again.
const tables = createHash('sha256')
for (const store of STORES)
  tables.update(
    readFileSync(
      new URL(`../../../packages/adapters/src/${store}/schema/migrations.ts`, import.meta.url),
    ),
  )
const TABLES = tables.digest('hex').slice(0, 8)

/** A server that starts when it is first needed. */
const serverIn = (folder?: string) => {
  let started: Promise<Postgres> | null = null
  return {
    postgres: (): Promise<Postgres> => {
      started ??= startPostgres({ settings: SETTINGS, ...(folder && { folder }) })
      return started
    },
    close: async (): Promise<void> => (await started)?.close(),
  }
}

/**
 * Drops the databases with this name prefix, for example of other migrations. Keeps the current one
 * unless `isNew`.
 */
const namedDatabase = async (
  server: string,
  name: string,
  expected: string,
  isNew: boolean,
): Promise<string> => {
  const client = new pg.Client({ connectionString: server })
  await client.connect()
  const { rows } = await client.query(
    'select datname from pg_database where starts_with(datname, $1)',
    [`${name}_`],
  )
  const names = rows.map(({ datname }) => String(datname))
  for (const old of names.filter((datname) => isNew || datname !== expected))
    await client.query(`drop database ${old}`)
  if (isNew || !names.includes(expected)) await client.query(`create database ${expected}`)
  await client.end()
  const overrides = new URL(server)
  overrides.pathname = `/${expected}`
  return overrides.href
}

const namedFile = (name: string, expected: string, isNew: boolean): string => {
  mkdirSync(CACHE, { recursive: true })
  for (const file of readdirSync(CACHE).filter((entry) => entry.startsWith(`${name}_`)))
    if (isNew || !file.startsWith(expected)) rmSync(join(CACHE, file))
  return `sqlite:${join(CACHE, `${expected}.db`)}`
}

export const openStores = (): Stores => {
  const folder = mkdtempSync(join(tmpdir(), 'plazo-bench-'))
  const passing = serverIn()
  const server = serverIn(join(CACHE, 'postgres'))
  return {
    folder,
    postgres: passing.postgres,
    fresh: async (store) =>
      store === 'sqlite'
        ? `sqlite:${join(folder, `${randomBytes(6).toString('hex')}.db`)}`
        : (await passing.postgres()).database(),
    lasting: async (store, name, isNew = false) => {
      const expected = `${name}_${TABLES}`
      return store === 'sqlite'
        ? namedFile(name, expected, isNew)
        : namedDatabase(
            (await server.postgres()).url,
            `plazo_bench_${name}`,
            `plazo_bench_${expected}`,
            isNew,
          )
    },
    close: async () => {
      await server.close()
      await passing.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
