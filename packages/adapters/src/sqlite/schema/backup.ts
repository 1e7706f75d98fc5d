// Copies a live database into a file of its own while a server writes to it. One read transaction
// lasts from the first page to the last. So the copy is of one instant, and a commit made meanwhile
// neither appears in it nor restarts it.
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { errorMessage } from '@plazo/core/internal'
import Sqlite from 'better-sqlite3'
import * as E from 'fp-ts/lib/Either.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import { errorCodeOf } from '../../system/error-code.ts'

/**
 * Why no copy was made. `NoDatabase`: the path leads to no database. The target is deleted if the
 * copy fails on the way.
 */
export type BackupError =
  /** A backup never overwrites a file. */
  | { readonly _tag: 'TargetExists' }
  | { readonly _tag: 'NoDatabase' }
  | { readonly _tag: 'BackupFailed'; readonly message: string }

const flush = (path: string): void => {
  const file = openSync(path, 'r')
  fsyncSync(file)
  closeSync(file)
}

// The backup is one file without a log next to it. The next plazo that opens it creates a log
// again.
const finalizeCopy = (path: string): void => {
  const copy = new Sqlite(path)
  try {
    copy.pragma('journal_mode = DELETE')
    const integrity = copy.pragma('integrity_check(3)', { simple: true })
    if (integrity !== 'ok') throw new Error(`the copy is damaged: ${integrity}`)
  } finally {
    copy.close()
  }
  flush(path)
}

const copy = async (path: string, part: string): Promise<void> => {
  const db = new Sqlite(path, { readonly: true, fileMustExist: true })
  try {
    db.exec('begin')
    db.prepare('select count(*) from sqlite_schema').get()
    await db.backup(part)
  } finally {
    db.close()
  }
}

/**
 * Copies the database to `target`. The copy appears there only after it was checked and flushed.
 * Returns its bytes.
 */
export const backUp =
  (path: string, target: string): TE.TaskEither<BackupError, number> =>
  async () => {
    if (path === ':memory:' || !existsSync(path)) return E.left({ _tag: 'NoDatabase' })
    if (existsSync(target)) return E.left({ _tag: 'TargetExists' })
    const part = `${target}.${process.pid}.part`
    try {
      rmSync(part, { force: true })
      // The backup holds secrets. So it is always a new file, and only its owner can read it before
      // it has any content.
      writeFileSync(part, '', { flag: 'wx', mode: 0o600 })
      await copy(path, part)
      finalizeCopy(part)
      // A link, unlike a rename, does not replace a file that was created there meanwhile.
      linkSync(part, target)
      flush(dirname(target))
      return E.right(statSync(target).size)
    } catch (cause) {
      if (errorCodeOf(cause) === 'EEXIST') return E.left({ _tag: 'TargetExists' })
      return E.left({ _tag: 'BackupFailed', message: errorMessage(cause) })
    } finally {
      rmSync(part, { force: true })
      rmSync(`${part}-journal`, { force: true })
    }
  }
