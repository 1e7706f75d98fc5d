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

/** The state of a database's tables, as `plazo doctor` reports it. */
export type SchemaInspection = {
  /** The last migration that was applied. 0: none was. */
  readonly version: number
  /** The last migration that this plazo has. */
  readonly latest: number
  /** Of the columns that the database has. */
  readonly fingerprint: string
  /** Null: this plazo can use the database, perhaps after it has applied the rest of the migrations. */
  readonly fault: {
    readonly code: 'DATABASE_LATER' | 'DATABASE_OTHER'
    readonly message: string
    readonly todo: string
  } | null
}

/**
 * `columns`: a text for each column of the database, in any order. It begins with its table and a
 * dot. Tables that no migration creates do not count, because a host may have its own. Neither do
 * indexes, because an operator may add some.
 */
export const inspectSchema = (
  version: number,
  columns: readonly string[],
  migrations: readonly Migration[],
): SchemaInspection => {
  const created = migrations.flatMap(({ sql }) =>
    [...sql.matchAll(/create table (?:plazo\.)?(\w+)/g)].map(([, name]) => name),
  )
  const ours = columns.filter((column) => created.includes(column.split('.')[0]))
  const text = ours.sort().join('\n')
  const fingerprint = createHash('sha256').update(text).digest('hex').slice(0, 16)
  const state = { version, latest: migrations.length, fingerprint }
  if (version > migrations.length)
    return {
      ...state,
      fault: {
        code: 'DATABASE_LATER',
        message: `The database has version ${version}; this plazo supports versions up to ${migrations.length}.`,
        todo: 'Use the version of plazo that wrote it, or a later one.',
      },
    }
  const expected = version === 0 ? fingerprint : migrations[version - 1]?.fingerprint
  if (fingerprint === expected) return { ...state, fault: null }
  return {
    ...state,
    fault: {
      code: 'DATABASE_OTHER',
      message: `The database has version ${version}, but its tables are not those of this plazo’s version ${version}: their fingerprint is ${fingerprint} instead of ${expected}. Another program or another plazo has changed them.`,
      todo: 'Use the plazo that wrote it, restore a backup, or give this one a new database.',
    },
  }
}
