// Keeps the write-ahead log from filling the disk. Without a bound it grows to 64 MiB beside a database of two, and once it
// has taken the last space it cannot be copied into the database, which would have to grow: then nothing is committed any
// more, and a restart does not help. Docs: decisions/0021.
import { statfsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import Sqlite from 'better-sqlite3'

/** How many bytes are left on the disk of a folder, for users other than root. */
export type FreeBytes = (folder: string) => number

// A disk that does not tell its size is taken for a large one.
export const freeBytesOf: FreeBytes = (folder) => {
  try {
    const { blocks, bavail, bsize } = statfsSync(folder)
    return blocks === 0 ? Number.POSITIVE_INFINITY : bavail * bsize
  } catch {
    return Number.POSITIVE_INFINITY
  }
}

const PAGE = 4_096
// In pages: a commit takes up to some 70. A large log is copied seldom, which is quicker.
const LEAST = 64
const MOST = 16_000
// A quarter for the log leaves room for the pages that it adds to the database, twice over.
const SHARE = 4
// The disk is looked at after so many commits: they write 4 MiB at most.
const COMMITS = 16
// Milliseconds between two attempts to empty the log of a full disk.
const AGAIN = 1_000

/** The least space that a commit of usual size needs. */
export const COMMIT_BYTES = LEAST * PAGE
/** From so much free space on, the log has its full size. */
export const ROOMY_BYTES = SHARE * MOST * PAGE

export const logBytesOf = (path: string): number => {
  try {
    return statSync(`${path}-wal`).size
  } catch {
    return 0
  }
}

/** How many pages the log may have with this much free space on its disk. */
export const logPages = (freeBytes: number, logBytes: number): number =>
  Math.min(MOST, Math.max(LEAST, Math.floor((freeBytes + logBytes) / SHARE / PAGE)))

/** The same in bytes of its file. */
export const logLimit = (freeBytes: number, logBytes: number): number => logPages(freeBytes, logBytes) * PAGE

/** Of a log that is not emptied the rest is given back when it begins again, which is after the next full checkpoint. */
export const boundLog = (db: Sqlite.Database, freeBytes: FreeBytes): void => {
  if (db.memory) return
  const pages = logPages(freeBytes(dirname(db.name)), logBytesOf(db.name))
  db.pragma(`wal_autocheckpoint = ${pages}`)
  db.pragma(`journal_size_limit = ${pages * PAGE}`)
}

/**
 * Copies the log into the database and gives its space back. False where another connection reads or writes, or where the
 * database has no space to grow. It waits for nobody: while it waited, nobody could commit.
 */
export const emptyLog = (db: Sqlite.Database): boolean => {
  const patience = Number(db.pragma('busy_timeout', { simple: true }))
  try {
    db.pragma('busy_timeout = 0')
    return db.pragma('wal_checkpoint(truncate)', { simple: true }) === 0
  } catch {
    return false
  } finally {
    db.pragma(`busy_timeout = ${patience}`)
  }
}

// A disk without a byte left has no room for the index of the log, either, which is a file of 32 KiB.
export const isOfSpace = (cause: unknown): boolean =>
  cause instanceof Sqlite.SqliteError && /^SQLITE_(FULL|IOERR_SHMSIZE)$/.test(cause.code)

/** Whether the disk has no room for a commit of usual size. */
export const isFull = (db: Sqlite.Database, freeBytes: FreeBytes): boolean =>
  !db.memory && freeBytes(dirname(db.name)) < COMMIT_BYTES

type LogSpace = {
  /** After each commit. */
  readonly committed: () => void
  /** After a commit that failed for want of space. True: the log has given some back. */
  readonly makeRoom: () => boolean
  /** Whether a commit of usual size fits, if need be into the log's own space. */
  readonly hasRoom: () => boolean
}

/** Of one connection that commits. */
export const logSpace = (db: Sqlite.Database, freeBytes: FreeBytes, monotonicNow: () => number): LogSpace => {
  let commits = 0
  let triedAt = Number.NEGATIVE_INFINITY
  let pages = 0

  const bound = (): void => {
    if (db.memory) return
    const now = logPages(freeBytes(dirname(db.name)), logBytesOf(db.name))
    if (now !== pages) boundLog(db, freeBytes)
    pages = now
  }

  const makeRoom = (): boolean => {
    if (db.memory || monotonicNow() - triedAt < AGAIN) return false
    triedAt = monotonicNow()
    const isEmptied = logBytesOf(db.name) > 0 && emptyLog(db)
    bound()
    return isEmptied
  }

  const isCommitFree = (): boolean => !isFull(db, freeBytes)

  return {
    makeRoom,
    committed: () => {
      commits += 1
      if (commits % COMMITS === 0) bound()
    },
    hasRoom: () => db.memory || isCommitFree() || (makeRoom() && isCommitFree()),
  }
}
