// Tells whether a database has the tables that its version number promises. The number alone
// cannot: two versions of plazo have given the same number to different tables. So each version
// also has a fingerprint of its columns. A database from before fingerprints has none recorded, but
// its tables show which version it is.
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
  /**
   * The fingerprint that the last migration wrote. Null: no plazo with fingerprints has opened the
   * database.
   */
  readonly recorded: string | null
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

const OTHER_TODO = 'Use the plazo that wrote it, or give this one a new database.'

/**
 * Null: this plazo can use the database, perhaps after it has applied the rest of the migrations.
 */
export const schemaFault = (
  { version, fingerprint, recorded }: SchemaState,
  migrations: readonly Migration[],
): SchemaFault | null => {
  const supported = `this plazo supports versions up to ${migrations.length}`
  if (version > migrations.length)
    return recorded === null
      ? {
          code: 'DATABASE_OTHER',
          message: `The database has version ${version} but no fingerprint: an older plazo wrote it, which numbered its versions differently. Of today’s versions, ${supported}.`,
          todo: OTHER_TODO,
        }
      : {
          code: 'DATABASE_LATER',
          message: `The database has version ${version}; ${supported}.`,
          todo: 'Use the version of plazo that wrote it, or a later one.',
        }
  const expected = version === 0 ? fingerprint : migrations[version - 1]?.fingerprint
  if (fingerprint === expected) return null
  const difference = `The database has version ${version}, but its tables are not those of this plazo’s version ${version}: their fingerprint is ${fingerprint} instead of ${expected}.`
  return recorded === expected
    ? {
        code: 'DATABASE_OTHER',
        message: `${difference} Another program has changed them.`,
        todo: 'Undo that change, or restore a backup.',
      }
    : {
        code: 'DATABASE_OTHER',
        message: `${difference} Another plazo wrote it, probably an older one.`,
        todo: OTHER_TODO,
      }
}

/** The state of a database's tables, as `plazo doctor` reports it. */
export type SchemaInspection = Pick<SchemaState, 'version' | 'fingerprint'> & {
  /** The last migration that this plazo has. */
  readonly latest: number
  readonly fault: SchemaFault | null
}

export const inspectSchema = (
  state: SchemaState,
  migrations: readonly Migration[],
): SchemaInspection => ({
  version: state.version,
  fingerprint: state.fingerprint,
  latest: migrations.length,
  fault: schemaFault(state, migrations),
})
