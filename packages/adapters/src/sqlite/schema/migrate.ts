// Applies migrations to a SQLite database. The number of the last one is its `user_version`, which
// other programs may use too.
import type { Database as Connection } from 'better-sqlite3'
import {
  createdTables,
  fingerprintOf,
  type Migration,
  type SchemaState,
  schemaFault,
} from '../../sql/schema-fingerprint.ts'
import { MIGRATIONS } from './migrations.ts'

const TABLES_SHOWN = 3
const OWN_TABLES = `select name from sqlite_schema where type = 'table' and name not like 'sqlite!_%' escape '!' order by name`

const COLUMNS = `
  select m.name || '.' || c.name || ' ' || c.type || ' ' || c."notnull"
  from sqlite_schema m, pragma_table_xinfo(m.name) c
  where m.type = 'table' and m.name in (select value from json_each(?))`

const schemaError = (code: string, message: string): Error =>
  Object.assign(new Error(message), { code })

/** Call it within a transaction. Throws if the tables belong to another program. */
export const readSchema = (
  db: Connection,
  migrations: readonly Migration[] = MIGRATIONS,
): SchemaState => {
  const version = Number(db.pragma('user_version', { simple: true }))
  const tables = db.prepare<[], string>(OWN_TABLES).pluck().all()
  // Every version of plazo has the table placements.
  if (version === 0 ? tables.length === 0 : tables.includes('placements')) {
    const columns = db
      .prepare<[string], string>(COLUMNS)
      .pluck()
      .all(JSON.stringify(createdTables(migrations)))
    return { version, fingerprint: fingerprintOf(columns) }
  }
  const more = tables.length > TABLES_SHOWN ? ` and ${tables.length - TABLES_SHOWN} more` : ''
  const contents =
    tables.length === 0
      ? 'no tables'
      : `the tables ${tables.slice(0, TABLES_SHOWN).join(', ')}${more}`
  throw schemaError(
    'DATABASE_FOREIGN',
    `The database belongs to another program: it contains ${contents}.`,
  )
}

/**
 * Call it within a transaction. Returns the version. Throws if this plazo cannot use the tables:
 * they are from a later one (`code` DATABASE_LATER), are not those of their version
 * (DATABASE_OTHER), or belong to another program (DATABASE_FOREIGN).
 */
export const checkSchema = (
  db: Connection,
  migrations: readonly Migration[] = MIGRATIONS,
): number => {
  const schema = readSchema(db, migrations)
  const fault = schemaFault(schema, migrations)
  if (fault !== null) throw schemaError(fault.code, fault.message)
  return schema.version
}

/** Throws as `checkSchema`, and changes nothing then. `migrations`: for tests. */
export const migrate = (db: Connection, migrations: readonly Migration[] = MIGRATIONS): void => {
  // A start without a pending migration writes nothing, because the disk may be full.
  if (db.transaction(checkSchema)(db, migrations) === migrations.length) return
  // Immediate: two processes that start together take turns, and the second one finds nothing left
  // to do.
  const run = db.transaction(() => {
    for (const { sql } of migrations.slice(checkSchema(db, migrations))) db.exec(sql)
    db.pragma(`user_version = ${migrations.length}`)
  })
  run.immediate()
}
