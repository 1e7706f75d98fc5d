// Applies migrations to a SQLite database. The number of the last one is its `user_version`, which
// other programs may use too.
import type { Database as Connection } from 'better-sqlite3'
import {
  inspectSchema,
  type Migration,
  type SchemaInspection,
} from '../../sql/schema-fingerprint.ts'
import { MIGRATIONS } from './migrations.ts'

const COLUMNS = `
  select m.name || '.' || c.name || ' ' || c.type || ' ' || c."notnull"
  from sqlite_schema m, pragma_table_xinfo(m.name) c
  where m.type = 'table' and m.name not like 'sqlite!_%' escape '!' order by m.name`

const schemaError = (code: string, message: string): Error =>
  Object.assign(new Error(message), { code })

/** Call it within a transaction. Throws if the tables belong to another program. */
export const readSchema = (
  db: Connection,
  migrations: readonly Migration[] = MIGRATIONS,
): SchemaInspection => {
  const version = Number(db.pragma('user_version', { simple: true }))
  const columns = db.prepare<[], string>(COLUMNS).pluck().all()
  const tables = [...new Set(columns.map((column) => column.split('.')[0]))]
  // Every version of plazo has the table placements.
  if (version === 0 ? tables.length > 0 : !tables.includes('placements')) {
    const contents =
      tables.length === 0 ? 'no tables' : `the tables ${tables.slice(0, 3).join(', ')}`
    const message = `The database belongs to another program: it contains ${contents}.`
    throw schemaError('DATABASE_FOREIGN', message)
  }
  return inspectSchema(version, columns, migrations)
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
  const { version, fault } = readSchema(db, migrations)
  if (fault !== null) throw schemaError(fault.code, fault.message)
  return version
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
