// A live database copied whole into a file of its own, beside a server that writes: one read transaction is held from
// the first page to the last, so that the copy is of one instant and what is committed meanwhile neither shows in it nor
// begins it anew.
import { closeSync, existsSync, fsyncSync, linkSync, openSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { messageOf } from '@plazo/core'
import Sqlite from 'better-sqlite3'
import * as E from 'fp-ts/lib/Either.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'

export type BackupError =
  /** Nothing is ever overwritten. */
  | { readonly _tag: 'TargetExists' }
  | { readonly _tag: 'NoDatabase' }
  | { readonly _tag: 'BackupFailed'; readonly message: string }

export type BackupProgress = { readonly pages: number; readonly of: number }

const PAGES_PER_STEP = 1000

const flush = (path: string): void => {
  const file = openSync(path, 'r')
  fsyncSync(file)
  closeSync(file)
}

// It holds secrets: readable by its owner alone before there is anything in it, and a file of our own making.
const make = (path: string): void => {
  rmSync(path, { force: true })
  closeSync(openSync(path, 'wx', 0o600))
}

// One file, without a log beside it; the next plazo that opens it makes one again.
const finish = (path: string): void => {
  const copy = new Sqlite(path)
  try {
    copy.pragma('journal_mode = DELETE')
    const found = copy.pragma('integrity_check(3)', { simple: true })
    if (found !== 'ok') throw new Error(`the copy is not whole: ${found}`)
  } finally {
    copy.close()
  }
  flush(path)
}

const copy = async (path: string, part: string, onProgress: (progress: BackupProgress) => void): Promise<void> => {
  const db = new Sqlite(path, { readonly: true, fileMustExist: true })
  try {
    db.exec('begin')
    db.prepare('select count(*) from sqlite_schema').get()
    await db.backup(part, {
      progress: ({ totalPages, remainingPages }) => {
        onProgress({ pages: totalPages - remainingPages, of: totalPages })
        return PAGES_PER_STEP
      },
    })
  } finally {
    db.close()
  }
}

const isThere = (cause: unknown): boolean => cause instanceof Error && 'code' in cause && cause.code === 'EEXIST'

/** The copy has been checked and flushed when it stands at `target`, and nothing stands there before. Answers its bytes. */
export const backUp =
  (path: string, target: string, onProgress: (progress: BackupProgress) => void): TE.TaskEither<BackupError, number> =>
  async () => {
    if (path === ':memory:' || !existsSync(path)) return E.left({ _tag: 'NoDatabase' })
    if (existsSync(target)) return E.left({ _tag: 'TargetExists' })
    const part = `${target}.${process.pid}.part`
    try {
      make(part)
      await copy(path, part, onProgress)
      finish(part)
      // A link, unlike renaming, replaces nothing that has come there meanwhile.
      linkSync(part, target)
      flush(dirname(target))
      return E.right(statSync(target).size)
    } catch (cause) {
      if (isThere(cause)) return E.left({ _tag: 'TargetExists' })
      return E.left({ _tag: 'BackupFailed', message: messageOf(cause) })
    } finally {
      rmSync(part, { force: true })
      rmSync(`${part}-journal`, { force: true })
    }
  }
