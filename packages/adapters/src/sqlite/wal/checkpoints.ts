// Copies the write-ahead log into the database file, in another thread than the commits. SQLite's own checkpoints, which run on
// the committing thread, then have little to copy, so that no request waits long for them. Once nothing has been committed for
// a while, the log's space is freed.
import { statSync } from 'node:fs'
import { dirname } from 'node:path'
import { parentPort, type Worker } from 'node:worker_threads'
import Sqlite from 'better-sqlite3'
import type { CancelableTimer, Timers } from '../../system/clock-and-ids.ts'
import { startThread, threadData } from '../../system/threads.ts'
import { COMMIT_BYTES, emptyLog, freeBytesOf, logBytesOf, logLimit } from './log-space.ts'

const THREAD = 'checkpoints'

/** `empty`: copies all of the log and frees its space. */
type CheckpointRequest = 'checkpoint' | 'empty' | 'close'

type Checkpoints = {
  /** Call after each commit. */
  readonly onCommit: (jobs: number) => void
  /** Call it before the database is closed: the last connection empties the log. */
  readonly close: () => Promise<void>
}

type CheckpointsOptions = {
  /** The number of jobs between two checkpoints. The first so many start the thread. */
  readonly every: number
  readonly timers: Pick<Timers, 'after' | 'monotonicNow'>
}

export const noCheckpoints: Checkpoints = { onCommit: () => {}, close: async () => {} }

// In milliseconds. The earliest restart of a thread that has ended, for example because it could not open the database on a
// full disk.
const RESTART_MILLIS = 5_000
const IDLE_MILLIS = 30_000

type Thread = { readonly worker: Worker; readonly ended: Promise<void> }

/** `path`: the path of an open database. */
export const startCheckpoints = (path: string, { every, timers }: CheckpointsOptions): Checkpoints => {
  let thread: Thread | null = null
  let startedAt = Number.NEGATIVE_INFINITY
  let jobsSince = 0
  let idleTimer: CancelableTimer | null = null

  const start = (): Thread | null => {
    if (timers.monotonicNow() - startedAt < RESTART_MILLIS) return null
    startedAt = timers.monotonicNow()
    const worker = startThread(import.meta.url, THREAD, path)
    const ended = new Promise<void>((resolve) =>
      worker.once('exit', () => {
        thread = null
        resolve()
      }),
    )
    // If the thread fails, SQLite's own checkpoints are enough, as they are for every other connection.
    worker.on('error', () => {})
    worker.unref()
    return { worker, ended }
  }

  const send = (request: CheckpointRequest): void => {
    thread ??= start()
    thread?.worker.postMessage(request)
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
    onCommit: (jobs) => {
      if (idleTimer === null) emptyWhenIdle('')
      jobsSince += jobs
      if (jobsSince < every) return
      jobsSince = 0
      send('checkpoint')
    },
    close: async () => {
      idleTimer?.cancel()
      if (thread === null) return
      const { worker, ended } = thread
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

  // If a checkpoint fails, the next one does its work: a full disk, or a reader that holds the log, is temporary.
  const copy = (): void => {
    try {
      checkpoint.all()
    } catch (cause) {
      if (!(cause instanceof Sqlite.SqliteError && /^SQLITE_(BUSY|LOCKED|FULL|IOERR)/.test(cause.code))) throw cause
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
