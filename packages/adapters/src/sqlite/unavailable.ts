// Turns an error of SQLite into the answer `Unavailable`, so that no caller has to catch it.
import {
  toUnavailable,
  type Unavailable,
  type UnavailableCode,
  UnavailableError,
} from '@plazo/core/internal'
import { errorCodeOf } from '../system/error-code.ts'

// The beginnings of SQLite's own codes. A violated constraint is a bug: the same rows would be
// refused again.
const CODES: readonly (readonly [string, UnavailableCode])[] = [
  ['SQLITE_CONSTRAINT', 'internal_error'],
  ['SQLITE_READONLY', 'file_read_only'],
  ['SQLITE_CORRUPT', 'file_damaged'],
  ['SQLITE_BUSY', 'file_locked'],
  ['SQLITE_FULL', 'file_disk_full'],
  ['SQLITE_IOERR', 'disk_io_error'],
  ['SQLITE_CANTOPEN', 'file_not_opened'],
]

const codeOf = (thrown: unknown): UnavailableCode => {
  // Not by its class: a database that the embedding program has opened may come from another copy
  // of better-sqlite3.
  const code = errorCodeOf(thrown)
  if (!(thrown instanceof Error && code.startsWith('SQLITE_'))) return 'internal_error'
  // For a missing table SQLite has only its general code.
  if (thrown.message.startsWith('no such table')) return 'table_missing'
  return CODES.find(([start]) => code.startsWith(start))?.[1] ?? 'unknown'
}

export const sqliteUnavailable = (thrown: unknown): Unavailable => toUnavailable(thrown, codeOf)

/** As `run`, but an error of the database says whether trying again may help. */
export const throwUnavailable = <A>(run: () => A): A => {
  try {
    return run()
  } catch (cause) {
    throw new UnavailableError(sqliteUnavailable(cause))
  }
}
