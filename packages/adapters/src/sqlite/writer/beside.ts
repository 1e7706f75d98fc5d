// Writes in another thread once there is enough to write. This takes encryption, SQLite and each flush off the event loop,
// which reads, decides and answers meanwhile. Three cases are written in this thread: the first jobs, a database without a
// file, and commits while no request waits. Deliveries alone are not worth the trip to the other thread.
import { Worker } from 'node:worker_threads'
import * as E from 'fp-ts/lib/Either.js'
import type { Keyring } from '../../sealing/keyring.ts'
import { threadFile } from '../../system/thread-file.ts'
import type { Batch, Write, Written } from './batch.ts'
import type { CommittingOptions } from './committing.ts'
import type { Writer } from './writer.ts'

/** The data that the thread gets when it starts. */
export type WriterThreadData = {
  readonly path: string
  readonly keyring: Keyring
  readonly boot: string
  readonly patience: number
  /** At each moment of a commit the thread waits here for an acknowledgement. For tests of crashes; otherwise null. */
  readonly moments: Int32Array | null
}

/** A message of the thread: a result, that it is ready, or the moment at which it waits. */
export type WriterThreadTold = Written | 'ready' | 'before' | 'after'

type BesideOptions = Pick<WriterThreadData, 'path' | 'keyring' | 'boot' | 'patience'> &
  Pick<CommittingOptions, 'onCommit'> & {
    /** The thread starts once this many jobs were written. 0: it writes all of them. */
    readonly after: number
    readonly monotonicNow: () => number
  }

type WritingBeside = {
  readonly write: Write
  /** Call it before the database is closed: the last connection empties the log. */
  readonly close: () => Promise<void>
}

// Real milliseconds after the last write for which a request waited.
const QUIET = 250

type Thread = { readonly worker: Worker; readonly ended: Promise<void>; isReady: boolean }

type Underway = { readonly batch: Batch; readonly answer: (written: Written) => void }

const lost = ({ calls }: Batch, cause: string): Written => ({
  outcomes: calls.map(() => E.left({ message: `The thread that writes has ended${cause}.`, isOurs: false })),
  handed: [],
  // The batch may have been written nevertheless.
  nextDueAt: Number.NEGATIVE_INFINITY,
})

export const writingHere = (writer: Writer): WritingBeside => ({
  write: (batch, _, answer) => answer(writer.write(batch)),
  close: async () => {},
})

export const writingBeside = (here: Writer, options: BesideOptions): WritingBeside => {
  const { after, monotonicNow, onCommit, ...data } = options
  const moments = onCommit === undefined ? null : new Int32Array(new SharedArrayBuffer(4))
  let thread: Thread | null = null
  let underway: Underway[] = []
  let jobs = 0
  let isClosing = false
  let awaitedAt = Number.NEGATIVE_INFINITY

  const hear = (told: WriterThreadTold, started: Thread): void => {
    if (told === 'ready') started.isReady = true
    else if (typeof told === 'string') {
      onCommit?.(told)
      if (moments === null) return
      Atomics.store(moments, 0, 1)
      Atomics.notify(moments, 0)
    } else {
      // Results arrive in the order in which the batches were sent.
      const [first, ...rest] = underway
      underway = rest
      if (underway.length === 0) started.worker.unref()
      first?.answer(told)
    }
  }

  // Only answers are lost with the thread. A new one starts after the same number of jobs.
  const end = (cause: string): void => {
    thread = null
    jobs = 0
    const failing = underway
    underway = []
    for (const { batch, answer } of failing) answer(lost(batch, cause))
  }

  const start = (): Thread => {
    const workerData: WriterThreadData = { ...data, moments }
    const worker = new Worker(threadFile('./thread.ts', import.meta.url), { workerData })
    const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()))
    const started: Thread = { worker, ended, isReady: false }
    worker.on('message', (told: WriterThreadTold) => hear(told, started))
    let cause = ''
    // Only the error's name: its message might contain the data that was to be written.
    worker.on('error', (error) => {
      cause = `: ${error instanceof Error ? error.name : 'an error'}`
    })
    worker.once('exit', () => end(cause))
    worker.unref()
    return started
  }

  // Only one of the two threads writes at a time.
  const isWrittenHere = ({ isReady }: Thread): boolean =>
    after > 0 && underway.length === 0 && (!isReady || monotonicNow() - awaitedAt > QUIET)

  return {
    write: (batch, { isAwaited }, answer) => {
      jobs += batch.calls.length
      if (isAwaited) awaitedAt = monotonicNow()
      if (jobs >= after && !isClosing) thread ??= start()
      if (thread === null || isWrittenHere(thread)) return answer(here.write(batch))
      underway.push({ batch, answer })
      thread.worker.ref()
      thread.worker.postMessage(batch)
    },
    close: async () => {
      isClosing = true
      if (thread === null) return
      const { worker, ended } = thread
      worker.ref()
      worker.postMessage('close')
      await ended
    },
  }
}
