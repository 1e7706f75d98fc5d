// Copies what was committed from the write-ahead log into the file, in a thread beside the commits: what SQLite copies by
// itself, on the thread that committed, is then little, and no request waits long for it.
import { Worker } from 'node:worker_threads'
import { threadFile } from '../system/thread-file.ts'

type Checkpoints = {
  /** To be told of each commit. */
  readonly committed: (jobs: number) => void
  /** Before the database is closed: its last connection empties the log. */
  readonly close: () => Promise<void>
}

export const noCheckpoints: Checkpoints = { committed: () => {}, close: async () => {} }

/** `path`: of an open database; `every`: so many jobs, the first of which start the thread. */
export const checkpointsBeside = (path: string, every: number): Checkpoints => {
  let thread: { readonly worker: Worker; readonly ended: Promise<void> } | null = null
  let jobsSince = 0

  const start = () => {
    const worker = new Worker(threadFile('./checkpoint-thread.ts', import.meta.url), { workerData: path })
    const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()))
    // Where it fails, SQLite's own checkpoints do, as they do for everybody else.
    worker.on('error', () => {})
    worker.unref()
    return { worker, ended }
  }

  return {
    committed: (jobs) => {
      jobsSince += jobs
      if (jobsSince < every) return
      jobsSince = 0
      thread ??= start()
      thread.worker.postMessage('checkpoint')
    },
    close: async () => {
      if (thread === null) return
      thread.worker.ref()
      thread.worker.postMessage('close')
      await thread.ended
    },
  }
}
