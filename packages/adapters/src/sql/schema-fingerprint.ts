// Tells whether a database has the tables that its version number promises. The number alone cannot,
// because two versions of plazo may give the same number to different tables. So each version also
// has a fingerprint of its columns.
import { createHash } from 'node:crypto'

export type Migration = {
  /** Of all columns once this migration is applied. */
  readonly fingerprint: string
  /**
   * Only adds and copies, because servers of the former version go on meanwhile. Never changes once
   * it is on `main`.
   */
  readonly sql: string
}

export type SchemaState = {
  /** The last migration that was applied. 0: none was. */
  readonly version: number
  /** Of the columns that the database has. */
  readonly fingerprint: string
}

type SchemaFault = {
  readonly code: 'DATABASE_LATER' | 'DATABASE_OTHER'
  readonly message: string
  readonly todo: string
}

/**
 * The tables that any of these migrations creates. Other tables do not count: a host may have its
 * own.
 */
export const createdTables = (migrations: readonly Migration[]): readonly string[] =>
  migrations.flatMap(({ sql }) =>
    [...sql.matchAll(/create table (?:plazo\.)?(\w+)/g)].map(([, name = '']) => name),
  )

/**
 * `columns`: a text for each column, in any order. Indexes do not count, because an operator may
 * add some.
 */
export const fingerprintOf = (columns: readonly string[]): string =>
  createHash('sha256')
    .update([...columns].sort().join('\n'))
    .digest('hex')
    .slice(0, 16)

/**
 * Null: this plazo can use the database, perhaps after it has applied the rest of the migrations.
 */
export const schemaFault = (
  { version, fingerprint }: SchemaState,
  migrations: readonly Migration[],
): SchemaFault | null => {
  if (version > migrations.length)
    return {
      code: 'DATABASE_LATER',
      message: `The database has version ${version}; this plazo supports versions up to ${migrations.length}.`,
      todo: 'Use the version of plazo that wrote it, or a later one.',
    }
  const expected = version === 0 ? fingerprint : migrations[version - 1]?.fingerprint
  if (fingerprint === expected) return null
  return {
    code: 'DATABASE_OTHER',
    message: `The database has version ${version}, but its tables are not those of this plazo’s version ${version}: their fingerprint is ${fingerprint} instead of ${expected}. Another program or another plazo has changed them.`,
    todo: 'Use the plazo that wrote it, restore a backup, or give this one a new database.',
  }
}

/** The state of a database's tables, as `plazo doctor` reports it. */
export type SchemaInspection = SchemaState & {
  /** The last migration that this plazo has. */
  readonly latest: number
  readonly fault: SchemaFault | null
}

export const inspectSchema = (
  state: SchemaState,
  migrations: readonly Migration[],
): SchemaInspection => ({
  ...state,
  latest: migrations.length,
  fault: schemaFault(state, migrations),
})
