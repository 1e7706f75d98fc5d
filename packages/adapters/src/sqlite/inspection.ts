// A database file as a doctor sees it: read, and changed in nothing; not even brought up to date.
import { existsSync, statfsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import Sqlite from 'better-sqlite3'
import * as E from 'fp-ts/lib/Either.js'
import { identity } from 'fp-ts/lib/function.js'
import { versionOf } from './database.ts'
import { MIGRATIONS } from './migrations.ts'

export type Inspection = {
  /** The last migration applied, and the last one there is. */
  readonly version: number
  readonly latest: number
  /** What SQLite's own check of the whole file found; none when it is whole. */
  readonly damage: readonly string[]
  readonly bytes: number
  /** The write-ahead log's. */
  readonly walBytes: number
  /** Left on its disk for whoever is not root. */
  readonly freeBytes: number
  /** When the file was last written by its own account, epoch milliseconds. */
  readonly writtenAt: number
}

const sizeOf = (path: string): number => (existsSync(path) ? statSync(path).size : 0)

/** Left: what was thrown, where it cannot be looked at or is another program's. */
export const inspectDatabase = (path: string): E.Either<unknown, Inspection> =>
  E.tryCatch(() => {
    const db = new Sqlite(path, { readonly: true, fileMustExist: true })
    try {
      const version = db.transaction(versionOf)(db)
      const found = db.pragma('integrity_check(10)') as readonly { readonly integrity_check: string }[]
      const { bavail, bsize } = statfsSync(dirname(path))
      return {
        version,
        latest: MIGRATIONS.length,
        damage: found.map(({ integrity_check }) => integrity_check).filter((line) => line !== 'ok'),
        bytes: sizeOf(path),
        walBytes: sizeOf(`${path}-wal`),
        freeBytes: bavail * bsize,
        writtenAt: Math.max(statSync(path).mtimeMs, existsSync(`${path}-wal`) ? statSync(`${path}-wal`).mtimeMs : 0),
      }
    } finally {
      db.close()
    }
  }, identity)
