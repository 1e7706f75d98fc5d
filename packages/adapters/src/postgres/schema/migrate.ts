// Applies migrations to a PostgreSQL database. Several nodes may do so at once: they take turns, and the second one finds
// nothing left to do. There is no time limit, neither for a large database nor for a node that waits for its turn.
import { type ConnectionOptions, openConnection, type Query, statement } from '../connection/connection.ts'
import { MIGRATIONS } from './migrations.ts'

// Nodes that start together may all find no schema yet. One of them creates it, and the others wait for it.
const SCHEMA = statement('')`
  create schema if not exists plazo;
  create table if not exists plazo.schema_version (only_one boolean primary key check (only_one), version integer not null);
  insert into plazo.schema_version values (true, 0) on conflict do nothing;`

const EXISTS = statement('schema-exists')`select to_regclass('plazo.schema_version') is not null as exists`
const VERSION = statement('schema-version')`select version from plazo.schema_version`
const LOCK = statement('schema-lock')`select version from plazo.schema_version for update`
const RAISE = statement('schema-raise')`update plazo.schema_version set version = $1`

type VersionRow = { readonly version: number }

// "if not exists" checks first and creates then. If two nodes do so at once, one may be refused; the schema exists then.
const TRIES = 10

const createSchema = async (query: Query): Promise<void> => {
  for (let tried = 1; ; tried++)
    try {
      const [schema] = await query<{ exists: boolean }>(EXISTS)
      if (schema?.exists) return
      await query(SCHEMA)
    } catch (cause) {
      if (tried === TRIES) throw cause
    }
}

/** The last migration that was applied. Null: none was. */
export const readVersion = async (query: Query): Promise<number | null> => {
  const [schema] = await query<{ exists: boolean }>(EXISTS)
  if (!schema?.exists) return null
  const [row] = await query<VersionRow>(VERSION)
  return row?.version ?? null
}

/** Throws if the database belongs to a later version of plazo. */
export const migrate = async (url: string, options: ConnectionOptions = {}): Promise<void> => {
  const connection = openConnection(url, { ...options, connections: 1, hasNoTimeout: true })
  try {
    await createSchema(connection.query)
    await connection.transaction(async (query) => {
      const [row] = await query<VersionRow>(LOCK)
      const version = row?.version ?? 0
      if (version > MIGRATIONS.length)
        throw new Error(
          `The database has version ${version}; this plazo supports versions up to ${MIGRATIONS.length}. Use the version of plazo that wrote it, or a later one.`,
        )
      for (const migration of MIGRATIONS.slice(version)) await query({ name: '', text: migration })
      if (version < MIGRATIONS.length) await query(RAISE, MIGRATIONS.length)
    })
  } finally {
    await connection.close()
  }
}
