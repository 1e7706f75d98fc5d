// Inspects a database file for the doctor command. It only reads: nothing is changed, and no
// migration is applied.
import { statfsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import Sqlite from 'better-sqlite3'
import * as E from 'fp-ts/lib/Either.js'
import { identity } from 'fp-ts/lib/function.js'
import type { SchemaInspection } from '../../sql/schema-fingerprint.ts'
import { readSchema } from '../schema/migrate.ts'
import { assertOwnLog } from '../wal/file-mark.ts'

/** The size of a database on its disk. A path without a file has none of it. */
export type DiskInspection = {
  readonly bytes: number
  /** Size of the write-ahead log. */
  readonly walBytes: number
  /** Free on its disk for users other than root. */
  readonly freeBytes: number
}

/** What `inspectDatabase` has read of a database, for `plazo doctor`. */
export type Inspection = DiskInspection & {
  readonly schema: SchemaInspection
  /** The findings of SQLite's own check of the whole file. Empty if the file is intact. */
  readonly damage: readonly string[]
}

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0

/** Asks the file system only, so it is quick whatever the size of the file. Throws its errors. */
export const inspectDisk = (path: string): DiskInspection => {
  const { bavail, bsize } = statfsSync(dirname(path))
  return { bytes: sizeOf(path), walBytes: sizeOf(`${path}-wal`), freeBytes: bavail * bsize }
}

/**
 * Reads the state of a database file, and changes nothing. Left: the thrown error, if the file
 * cannot be read or belongs to another program.
 */
export const inspectDatabase = (path: string): E.Either<unknown, Inspection> =>
  E.tryCatch(() => {
    assertOwnLog(path)
    const db = new Sqlite(path, { readonly: true, fileMustExist: true })
    try {
      const lines = db.prepare<[], string>('pragma integrity_check(10)').pluck().all()
      return {
        ...inspectDisk(path),
        schema: db.transaction(() => readSchema(db))(),
        damage: lines.filter((line) => line !== 'ok'),
      }
    } finally {
      db.close()
    }
  }, identity)
