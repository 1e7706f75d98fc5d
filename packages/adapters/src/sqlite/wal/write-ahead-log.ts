// Keeps the write-ahead log small, so that it neither fills the disk nor makes a request wait.
// Without a limit it grows to 64 MiB next to a database of two. Once it has taken the last space,
// it cannot be copied into the database, which would have to grow. Then no commit succeeds any
// more, and a restart does not help. Docs: decisions/0021.
//
// A thread of its own copies the log into the database. SQLite's own checkpoints run on the
// committing thread, and then have little left to copy. Once nothing has been committed for a
// while, the thread frees the log's space.
import { statfsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { parentPort, type Worker } from 'node:worker_threads'
import Sqlite from 'better-sqlite3'
import type { CancelableTimer, Timers } from '../../system/clock-and-ids.ts'
import { errorCodeOf } from '../../system/error-code.ts'
import { startThread, threadData } from '../../system/threads.ts'

/** The free bytes on a folder's disk, for users other than root. */
export type FreeBytes = (folder: string) => number

// A disk that does not report its size counts as a large one.
export const freeBytesOf: FreeBytes = (folder) => {
  try {
    const { blocks, bavail, bsize } = statfsSync(folder)
    return blocks === 0 ? Number.POSITIVE_INFINITY : bavail * bsize
  } catch {
    return Number.POSITIVE_INFINITY
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
// Milliseconds between two attempts to empty the log of a full disk.
const RETRY_MILLIS = 1_000

/** The space that a commit of usual size needs, in bytes. */
export const COMMIT_BYTES = PAGES_MIN * PAGE_BYTES
/** With at least this much free space, the log may have its full size. */
export const ROOMY_BYTES = SPACE_SHARE * PAGES_MAX * PAGE_BYTES

export const logBytesOf = (path: string): number => {
  try {
    return statSync(`${path}-wal`).size
  } catch {
    return 0
  }
}

/** The number of pages that the log may have with this much free space on its disk. */
export const logPages = (freeBytes: number, logBytes: number): number =>
  Math.min(
    PAGES_MAX,
    Math.max(PAGES_MIN, Math.floor((freeBytes + logBytes) / SPACE_SHARE / PAGE_BYTES)),
  )

/** The log's limit in bytes of its file. */
export const logLimit = (freeBytes: number, logBytes: number): number =>
  logPages(freeBytes, logBytes) * PAGE_BYTES

/**
 * Sets the log's limit. Space above the limit is freed when the log restarts, which is after the
 * next full checkpoint.
 */
export const limitLog = (db: Sqlite.Database, freeBytes: FreeBytes): void => {
  if (db.memory) return
  const pages = logPages(freeBytes(dirname(db.name)), logBytesOf(db.name))
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

// A disk without a free byte also has no room for the log's index, a file of 32 KiB.
export const isOutOfSpace = (cause: unknown): boolean =>
  /^SQLITE_(FULL|IOERR_SHMSIZE)$/.test(errorCodeOf(cause))

/** True if the disk has no room for a commit of usual size. */
export const isFull = (db: Sqlite.Database, freeBytes: FreeBytes): boolean =>
  !db.memory && freeBytes(dirname(db.name)) < COMMIT_BYTES

export type LogSpace = {
  /** Call after each commit. */
  readonly onCommit: () => void
  /**
   * Call outside a transaction, if the disk is full. True: the log was emptied and has freed some
   * space.
   */
  readonly makeRoom: () => boolean
}

/** For one connection that commits. */
export const logSpace = (
  db: Sqlite.Database,
  freeBytes: FreeBytes,
  monotonicNow: () => number,
): LogSpace => {
  let commits = 0
  let triedAt = Number.NEGATIVE_INFINITY

  return {
    makeRoom: () => {
      if (db.memory || monotonicNow() - triedAt < RETRY_MILLIS) return false
      triedAt = monotonicNow()
      const isEmptied = logBytesOf(db.name) > 0 && emptyLog(db)
      limitLog(db, freeBytes)
      return isEmptied
    },
    onCommit: () => {
      commits += 1
      if (commits % COMMITS_PER_CHECK === 0) limitLog(db, freeBytes)
    },
  }
}

const THREAD = 'checkpoints'

/** `empty`: copies all of the log and frees its space. */
type CheckpointRequest = 'checkpoint' | 'empty' | 'close'

// In milliseconds. The earliest restart of a thread that has ended, for example because it could
// not open the database on a full disk.
const RESTART_MILLIS = 5_000
const IDLE_MILLIS = 30_000

/**
 * `path`: of an open database. `every`: the number of jobs between two checkpoints. The first so
 * many start the thread.
 */
export const startCheckpoints = (
  path: string,
  every: number,
  timers: Pick<Timers, 'after' | 'monotonicNow'>,
) => {
  let thread: Worker | null = null
  let startedAt = Number.NEGATIVE_INFINITY
  let jobsSince = 0
  let idleTimer: CancelableTimer | null = null

  const start = (): Worker | null => {
    if (timers.monotonicNow() - startedAt < RESTART_MILLIS) return null
    startedAt = timers.monotonicNow()
    const worker = startThread(import.meta.url, THREAD, path)
    worker.once('exit', () => {
      thread = null
    })
    // If the thread fails, SQLite's own checkpoints are enough, as they are for every other
    // connection.
    worker.on('error', () => {})
    worker.unref()
    return worker
  }

  const send = (request: CheckpointRequest): void => {
    thread ??= start()
    thread?.postMessage(request)
  }

  // Size and last write of the log, because other processes commit to it too.
  const logState = (): string => {
    const { size = 0, mtimeMs = 0 } = statSync(`${path}-wal`, { throwIfNoEntry: false }) ?? {}
    return size > COMMIT_BYTES ? `${size} ${mtimeMs}` : ''
  }

  const emptyWhenIdle = (stateBefore: string): void => {
    idleTimer = timers.after(IDLE_MILLIS, () => {
      const state = logState()
      if (state === '') idleTimer = null
      else if (state !== stateBefore) emptyWhenIdle(state)
      else {
        idleTimer = null
        send('empty')
      }
    })
  }

  return {
    /** Call after each commit. */
    onCommit: (jobs: number): void => {
      if (idleTimer === null) emptyWhenIdle('')
      jobsSince += jobs
      if (jobsSince < every) return
      jobsSince = 0
      send('checkpoint')
    },
    /** Call it before the database is closed: the last connection empties the log. */
    close: async (): Promise<void> => {
      idleTimer?.cancel()
      if (thread === null) return
      const worker = thread
      const ended = new Promise((resolve) => worker.once('exit', resolve))
      worker.ref()
      worker.postMessage('close')
      await ended
    },
  }
}

/** The thread has its own connection, which only copies the log into the file. */
const runThread = (path: string): void => {
  const db = new Sqlite(path, { fileMustExist: true })
  const checkpoint = db.prepare('pragma wal_checkpoint(passive)')

  const isTooLarge = (): boolean => {
    const logBytes = logBytesOf(path)
    return logBytes > logLimit(freeBytesOf(dirname(path)), logBytes)
  }

  // If a checkpoint fails, the next one does its work: a full disk, or a reader that holds the log,
  // is temporary.
  const copy = (): void => {
    try {
      checkpoint.all()
    } catch (cause) {
      if (!/^SQLITE_(BUSY|LOCKED|FULL|IOERR)/.test(errorCodeOf(cause))) throw cause
    }
  }

  parentPort?.on('message', (request: CheckpointRequest) => {
    if (request === 'close') {
      db.close()
      parentPort?.close()
      return
    }
    copy()
    // After the copy, little is left to do in the moment in which nobody else may write.
    if (request === 'empty' || isTooLarge()) emptyLog(db)
  })
}

const ownPath = threadData<string>(THREAD)
if (ownPath !== undefined) runThread(ownPath)
