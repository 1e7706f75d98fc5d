// Keeps the write-ahead log small, so that it neither fills the disk nor makes a request wait.
// Without a limit it grows to 64 MiB next to a database of two, and takes the space that the
// database needs to take it in. SQLite itself keeps the limit: a commit beyond it copies the log
// and frees the rest.
//
// A thread of its own copies the log into the database. SQLite's own checkpoints run on the
// committing thread, and then have little left to copy.
import { statfsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { parentPort, type Worker } from 'node:worker_threads'
import Sqlite from 'better-sqlite3'
import { startThread, threadData } from '../../system/threads.ts'

/**
 * In bytes: what is free on the database's disk for users other than root, and the size of the log.
 * A disk that does not report its size counts as a large one.
 */
const spaceOf = ({ name }: Sqlite.Database) => {
  try {
    const { blocks, bavail, bsize } = statfsSync(dirname(name))
    const free = blocks === 0 ? Number.POSITIVE_INFINITY : bavail * bsize
    return { free, log: statSync(`${name}-wal`, { throwIfNoEntry: false })?.size ?? 0 }
  } catch {
    return { free: Number.POSITIVE_INFINITY, log: 0 }
  }
}

const PAGE_BYTES = 4_096
// In pages. A commit takes up to about 70. A large log is copied less often, which is faster.
const PAGES_MIN = 64
const PAGES_MAX = 16_000
// The log gets a quarter of the space. The rest has room for the pages that it adds to the
// database, twice over.
const SPACE_SHARE = 4
// The free space is checked after this many commits, which write at most 4 MiB.
const COMMITS_PER_CHECK = 16

/** The space that a commit of usual size needs, in bytes. */
export const COMMIT_BYTES = PAGES_MIN * PAGE_BYTES
/** With at least this much free space, the log may have its full size. */
export const ROOMY_BYTES = SPACE_SHARE * PAGES_MAX * PAGE_BYTES

/**
 * Sets the log's limit. Space above the limit is freed when the log restarts, which is after the
 * next full checkpoint.
 */
export const limitLog = (db: Sqlite.Database): void => {
  if (db.memory) return
  const { free, log } = spaceOf(db)
  const share = Math.floor((free + log) / SPACE_SHARE / PAGE_BYTES)
  const pages = Math.min(PAGES_MAX, Math.max(PAGES_MIN, share))
  db.pragma(`wal_autocheckpoint = ${pages}`)
  db.pragma(`journal_size_limit = ${pages * PAGE_BYTES}`)
}

/**
 * Copies the log into the database and frees its space. Returns false if another connection reads
 * or writes, or if the database has no space to grow. It does not wait for other connections,
 * because nobody could commit meanwhile.
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

/** True if the disk has no room for a commit of usual size. */
export const isFull = (db: Sqlite.Database): boolean =>
  !db.memory && spaceOf(db).free < COMMIT_BYTES

/**
 * Sets the limit of a connection that commits again as the free space changes. Call the result
 * after each commit.
 */
export const keepLogSmall = (db: Sqlite.Database): (() => void) => {
  let commits = 0
  return () => {
    commits += 1
    if (commits % COMMITS_PER_CHECK === 0) limitLog(db)
  }
}

const THREAD = 'checkpoints'

/**
 * `path`: of an open database. `every`: the number of jobs between two checkpoints. The first so
 * many start the thread.
 */
export const startCheckpoints = (path: string, every: number) => {
  let thread: Worker | null = null
  let jobsSince = 0

  const start = (): Worker => {
    const worker = startThread(import.meta.url, THREAD, path)
    worker.once('exit', () => {
      thread = null
    })
    // If the thread fails, for example because it could not open the database on a full disk,
    // SQLite's own checkpoints are enough until the next start.
    worker.on('error', () => {})
    worker.unref()
    return worker
  }

  return {
    /** Call after each commit. */
    onCommit: (jobs: number): void => {
      jobsSince += jobs
      if (jobsSince < every) return
      jobsSince = 0
      thread ??= start()
      thread.postMessage('checkpoint')
    },
    /** Call it before the database is closed: the last connection empties the log. */
    close: async (): Promise<void> => {
      thread?.ref()
      await thread?.terminate()
    },
  }
}

/** The thread has its own connection, which only copies the log into the file. */
const runThread = (path: string): void => {
  const checkpoint = new Sqlite(path, { fileMustExist: true }).prepare(
    'pragma wal_checkpoint(passive)',
  )
  parentPort?.on('message', () => {
    // If a checkpoint fails, the next one does its work: a full disk, or a reader that holds the
    // log, is temporary.
    try {
      checkpoint.all()
    } catch {}
  })
}

const ownPath = threadData<string>(THREAD)
if (ownPath !== undefined) runThread(ownPath)
