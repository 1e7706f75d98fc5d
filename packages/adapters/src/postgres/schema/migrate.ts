// Applies migrations to a PostgreSQL database. Several nodes may do so at once: they take turns,
// and the second one finds nothing left to do. There is no time limit, neither for a large database
// nor for a node that waits for its turn.
import { setTimeout } from 'node:timers/promises'
import {
  createdTables,
  fingerprintOf,
  type SchemaState,
  schemaFault,
} from '../../sql/schema-fingerprint.ts'
import { errorCodeOf } from '../../system/error-code.ts'
import {
  type ConnectionOptions,
  openConnection,
  type Query,
  type Statement,
  statement,
} from '../connection/connection.ts'
import { isUnreachable } from '../unavailable.ts'
import { MIGRATIONS } from './migrations.ts'

// Nodes that start together may all find no schema yet. One of them creates it, and the others wait
// for it.
const SCHEMA = statement('')`
  create schema if not exists plazo;
  create table if not exists plazo.schema_version (only_one boolean primary key check (only_one), version integer not null);
  insert into plazo.schema_version values (true, 0) on conflict do nothing;`

const EXISTS = statement(
  'schema-exists',
)`select to_regclass('plazo.schema_version') is not null as exists`
// As JSON, because the baseline has no column for the fingerprint.
const VERSION = `select version, to_jsonb(schema_version) ->> 'fingerprint' as recorded from plazo.schema_version`
const READ = statement('schema-version')`${VERSION}`
// A server of the former version takes turns by the row alone. Servers with migrations that change
// this table would wait for one another there: one for the table, the others for the row.
const TURN = statement(
  'schema-turn',
)`select pg_advisory_xact_lock(hashtext('plazo.schema_version'))`
const LOCK = statement('schema-lock')`${VERSION} for update`
const COLUMNS = statement('schema-columns')`
  select format('%s.%s %s %s', c.relname, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull) as text
  from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  where c.relnamespace = 'plazo'::regnamespace and c.relkind = 'r' and c.relname = any($1)`
const RAISE = statement(
  'schema-raise',
)`update plazo.schema_version set version = $1, fingerprint = $2`

type VersionRow = { readonly version: number; readonly recorded: string | null }

// "if not exists" checks first and creates then. If two nodes do so at once, one may be refused;
// the schema exists then.
const TRIES = 10

const createSchema = async (query: Query): Promise<void> => {
  for (let tried = 1; ; tried++)
    try {
      const [schema] = await query<{ exists: boolean }>(EXISTS)
      if (schema?.exists) return
      await query(SCHEMA)
    } catch (cause) {
      if (tried === TRIES || isUnreachable(cause)) throw cause
    }
}

/** Null: the database has no table of plazo. */
export const readSchema = async (
  query: Query,
  versionStatement: Statement = READ,
): Promise<SchemaState | null> => {
  const [schema] = await query<{ exists: boolean }>(EXISTS)
  if (!schema?.exists) return null
  const [row = { version: 0, recorded: null }] = await query<VersionRow>(versionStatement)
  const columns = await query<{ text: string }>(COLUMNS, createdTables(MIGRATIONS))
  return { ...row, fingerprint: fingerprintOf(columns.map(({ text }) => text)) }
}

// A migration that waits for a table keeps all later statements from it, also those of servers of
// the former version. So it does not wait longer than this for one, for example while a backup
// reads it, and begins again. It does so too if a starting server of the former version has the
// table and waits for the row.
const TABLE_WAIT = `set local lock_timeout = '1s'`
const RETRIED: readonly unknown[] = ['55P03', '40P01']
const RETRY_MILLIS = 1_000

const applyMigrations = async (query: Query): Promise<void> => {
  await query(TURN)
  const schema = await readSchema(query, LOCK)
  if (schema === null) throw new Error('The table plazo.schema_version was removed.')
  const fault = schemaFault(schema, MIGRATIONS)
  if (fault !== null) throw new Error(`${fault.message} ${fault.todo}`)
  const pending = MIGRATIONS.slice(schema.version)
  if (pending.length === 0) return
  await query({ name: '', text: TABLE_WAIT })
  for (const { sql } of pending) await query({ name: '', text: sql })
  await query(RAISE, MIGRATIONS.length, MIGRATIONS.at(-1)?.fingerprint)
}

/**
 * Throws if the database belongs to a later version of plazo, or if its tables are not those of its
 * version.
 */
export const migrate = async (url: string, options: ConnectionOptions = {}): Promise<void> => {
  const connection = openConnection(url, { ...options, connections: 1, hasNoTimeout: true })
  try {
    await createSchema(connection.query)
    for (let isDone = false; !isDone; )
      try {
        await connection.transaction(applyMigrations)
        isDone = true
      } catch (cause) {
        if (!RETRIED.includes(errorCodeOf(cause))) throw cause
        await setTimeout(RETRY_MILLIS)
      }
  } finally {
    await connection.close()
  }
}
