// Copies a live database into a file of its own while a server writes to it. One read transaction
// lasts from the first page to the last. So the copy is of one instant, and a commit made meanwhile
// neither appears in it nor restarts it. A restore copies likewise, and then replaces the database.
import { existsSync, linkSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { errorMessage } from '@plazo/core/internal'
import Sqlite from 'better-sqlite3'
import * as E from 'fp-ts/lib/Either.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import { systemTimers } from '../../system/clock-and-ids.ts'
import { errorCodeOf } from '../../system/error-code.ts'
import { sqliteLease } from '../lease.ts'
import { assertOwnLog, flush, readHeaderMark, setMark, writeMarks } from '../wal/file-mark.ts'
import { checkSchema } from './migrate.ts'

/**
 * Why no copy was made. `NoDatabase`: the path leads to no database. The target is deleted if the
 * copy fails on the way.
 */
export type BackupError =
  /** A backup never overwrites a file. */
  | { readonly _tag: 'TargetExists' }
  | { readonly _tag: 'NoDatabase' }
  | { readonly _tag: 'BackupFailed'; readonly message: string }

/** Why a database was not replaced. It is unchanged then. */
export type RestoreError =
  /** A server runs on the database. */
  { readonly _tag: 'InUse' } | { readonly _tag: 'RestoreFailed'; readonly message: string }

// The backup is one file without a log next to it. The next plazo that opens it creates a log
// again.
const finalizeCopy = (path: string): void => {
  const copy = new Sqlite(path)
  try {
    copy.pragma('journal_mode = DELETE')
    const integrity = copy.pragma('integrity_check(3)', { simple: true })
    if (integrity !== 'ok') throw new Error(`the copy is damaged: ${integrity}`)
    setMark(copy)
  } finally {
    copy.close()
  }
  flush(path)
}

/** `check`: throws if the database of that instant is not one to copy. */
const copy = async (
  path: string,
  part: string,
  check: (db: Sqlite.Database) => void = () => {},
): Promise<void> => {
  assertOwnLog(path)
  rmSync(part, { force: true })
  // The copy holds secrets. So it is always a new file, and only its owner can read it before it has
  // any content.
  writeFileSync(part, '', { flag: 'wx', mode: 0o600 })
  const db = new Sqlite(path, { readonly: true, fileMustExist: true })
  try {
    db.exec('begin')
    db.prepare('select count(*) from sqlite_schema').get()
    check(db)
    await db.backup(part)
  } finally {
    db.close()
  }
  finalizeCopy(part)
}

const removePart = (part: string): void => {
  rmSync(part, { force: true })
  rmSync(`${part}-journal`, { force: true })
}

/**
 * Copies the database to `target`. The copy appears there only after it was checked and flushed.
 * Returns its bytes.
 */
export const backUp =
  (path: string, target: string): TE.TaskEither<BackupError, number> =>
  async () => {
    if (!existsSync(path)) return E.left({ _tag: 'NoDatabase' })
    if (existsSync(target)) return E.left({ _tag: 'TargetExists' })
    const part = `${target}.${process.pid}.part`
    try {
      await copy(path, part)
      // A link, unlike a rename, does not replace a file that was created there meanwhile.
      linkSync(part, target)
      flush(dirname(target))
      return E.right(statSync(target).size)
    } catch (cause) {
      if (errorCodeOf(cause) === 'EEXIST') return E.left({ _tag: 'TargetExists' })
      return E.left({ _tag: 'BackupFailed', message: errorMessage(cause) })
    } finally {
      removePart(part)
    }
  }

const assertHasTables = (db: Sqlite.Database): void => {
  if (checkSchema(db) === 0) throw new Error('the file has no tables of plazo')
}

// The former database and its log are complete under their new name before anything is replaced. If
// the process ends before the old log is gone, the next start refuses that log.
const replaceDatabase = (path: string, part: string, former: string): void => {
  for (const end of ['', '-wal']) if (existsSync(path + end)) linkSync(path + end, former + end)
  writeMarks(path, [readHeaderMark(path)])
  renameSync(part, path)
  flush(dirname(path))
  for (const end of ['-wal', '-shm']) rmSync(path + end, { force: true })
  flush(dirname(path))
  // The next log is the backup's own, also if a command or the doctor leaves it.
  writeMarks(path, [readHeaderMark(path)])
}

/**
 * Puts a copy of a backup in the place of the database of a stopped server. Returns where the former
 * database is now, with its log if it had one. Null: there was no database.
 */
export const restoreBackup =
  (backup: string, path: string): TE.TaskEither<RestoreError, string | null> =>
  async () => {
    const lease = sqliteLease(path, systemTimers)
    const part = `${path}.${process.pid}.part`
    try {
      if ((await lease.take()) === null) return E.left({ _tag: 'InUse' })
      await copy(backup, part, assertHasTables)
      const now = new Date(systemTimers.realNow()).toISOString()
      const former = `${path}-until-${now.replaceAll(':', '-')}`
      replaceDatabase(path, part, former)
      return E.right(existsSync(former) ? former : null)
    } catch (cause) {
      return E.left({ _tag: 'RestoreFailed', message: errorMessage(cause) })
    } finally {
      removePart(part)
      lease.close()
    }
  }
