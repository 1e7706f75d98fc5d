// Applies migrations to a PostgreSQL database. Several nodes may do so at once: they take turns,
// and the second one finds nothing left to do. There is no time limit, neither for a large database
// nor for a node that waits for its turn.
import { setTimeout } from 'node:timers/promises'
import {
  inspectSchema,
  type Migration,
  type SchemaInspection,
} from '../../sql/schema-fingerprint.ts'
import { errorCodeOf } from '../../system/error-code.ts'
import {
  type ConnectionOptions,
  openConnection,
  type Query,
  statement,
} from '../connection/connection.ts'
import { MIGRATIONS } from './migrations.ts'

const TURN = statement(
  'schema-turn',
)`select pg_advisory_xact_lock(hashtext('plazo.schema_version'))`
const CREATE = statement('')`
  create schema if not exists plazo;
  create table plazo.schema_version (only_one boolean primary key check (only_one), version integer not null);
  insert into plazo.schema_version values (true, 0)`
const VERSION = statement('schema-version')`select version from plazo.schema_version`
const COLUMNS = statement('schema-columns')`
  select format('%s.%s %s %s', c.relname, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull) as text
  from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  where c.relnamespace = to_regnamespace('plazo') and c.relkind = 'r'`
const RAISE = statement('schema-raise')`update plazo.schema_version set version = $1`

/** Null: the database has no table of plazo. */
export const readSchema = async (
  query: Query,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<SchemaInspection | null> => {
  const columns = await query<{ text: string }>(COLUMNS)
  if (columns.length === 0) return null
  const [row] = await query<{ version: number }>(VERSION)
  const texts = columns.map(({ text }) => text)
  return inspectSchema(row?.version ?? 0, texts, migrations)
}

// A migration that waits for a table keeps all later statements from it, also those of servers of
// the former version. So it does not wait longer than this for one, for example while a backup
// reads it, and begins again.
const TABLE_WAIT = statement('')`set local lock_timeout = '1s'`
const RETRIED: readonly unknown[] = ['55P03', '40P01']
const RETRY_MILLIS = 1_000

const applyMigrations = async (query: Query, migrations: readonly Migration[]): Promise<void> => {
  await query(TURN)
  const schema = await readSchema(query, migrations)
  if (schema?.fault) throw new Error(`${schema.fault.message} ${schema.fault.todo}`)
  const pending = migrations.slice(schema?.version)
  if (pending.length === 0) return
  if (schema === null) await query(CREATE)
  await query(TABLE_WAIT)
  for (const { sql } of pending) await query(statement('')`${sql}`)
  await query(RAISE, migrations.length)
}

/**
 * Throws if the database belongs to a later version of plazo, or if its tables are not those of its
 * version. `migrations`: for tests.
 */
export const migrate = async (
  url: string,
  options: ConnectionOptions = {},
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<void> => {
  const connection = openConnection(url, { ...options, connections: 1, silenceTimeout: 0 })
  try {
    for (;;)
      try {
        return await connection.transaction((query) => applyMigrations(query, migrations))
      } catch (cause) {
        if (!RETRIED.includes(errorCodeOf(cause))) throw cause
        await setTimeout(RETRY_MILLIS)
      }
  } finally {
    await connection.close()
  }
}
