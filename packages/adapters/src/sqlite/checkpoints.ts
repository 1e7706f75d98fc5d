// Copies what was committed from the write-ahead log into the file, in a thread beside the commits: what SQLite copies by
// itself, on the thread that committed, is then little, and no request waits long for it. Once nothing has been committed for
// a while, the log's space is given back.
import { statSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import { threadFile } from '../system/thread-file.ts'
import type { Pending, Timers } from '../system/timers.ts'
import { COMMIT_BYTES } from './log-space.ts'

/** `empty`: all of it, and give its space back. */
export type CheckpointRequest = 'checkpoint' | 'empty' | 'close'

type Checkpoints = {
  /** To be told of each commit. */
  readonly committed: (jobs: number) => void
  /** Before the database is closed: its last connection empties the log. */
  readonly close: () => Promise<void>
}

type CheckpointsOptions = {
  /** After so many jobs; the first of them start the thread. */
  readonly every: number
  readonly timers: Pick<Timers, 'after' | 'monotonicNow'>
  /** The program of the thread; its own unless given. */
  readonly program?: URL
}

export const noCheckpoints: Checkpoints = { committed: () => {}, close: async () => {} }

// In milliseconds. A thread that has ended, as one that could not open the database on a full disk, is started again after so
// long at the earliest.
const AGAIN = 5_000
const IDLE = 30_000

type Thread = { readonly worker: Worker; readonly ended: Promise<void> }

/** `path`: of an open database. */
export const checkpointsBeside = (path: string, options: CheckpointsOptions): Checkpoints => {
  const { every, timers, program = threadFile('./checkpoint-thread.ts', import.meta.url) } = options
  let thread: Thread | null = null
  let startedAt = Number.NEGATIVE_INFINITY
  let jobsSince = 0
  let idling: Pending | null = null

  const start = (): Thread | null => {
    if (timers.monotonicNow() - startedAt < AGAIN) return null
    startedAt = timers.monotonicNow()
    const worker = new Worker(program, { workerData: path })
    const ended = new Promise<void>((resolve) =>
      worker.once('exit', () => {
        thread = null
        resolve()
      }),
    )
    // Where it fails, SQLite's own checkpoints do, as they do for everybody else.
    worker.on('error', () => {})
    worker.unref()
    return { worker, ended }
  }

  const ask = (request: CheckpointRequest): void => {
    thread ??= start()
    thread?.worker.postMessage(request)
  }

  // By its size and its last write: other processes commit to it, too.
  const logState = (): string => {
    const { size = 0, mtimeMs = 0 } = statSync(`${path}-wal`, { throwIfNoEntry: false }) ?? {}
    return size > COMMIT_BYTES ? `${size} ${mtimeMs}` : ''
  }

  const emptyOnceIdle = (seen: string): void => {
    idling = timers.after(IDLE, () => {
      const state = logState()
      if (state === '') idling = null
      else if (state !== seen) emptyOnceIdle(state)
      else {
        idling = null
        ask('empty')
      }
    })
  }

  return {
    committed: (jobs) => {
      if (idling === null) emptyOnceIdle('')
      jobsSince += jobs
      if (jobsSince < every) return
      jobsSince = 0
      ask('checkpoint')
    },
    close: async () => {
      idling?.cancel()
      if (thread === null) return
      const { worker, ended } = thread
      worker.ref()
      worker.postMessage('close')
      await ended
    },
  }
}
