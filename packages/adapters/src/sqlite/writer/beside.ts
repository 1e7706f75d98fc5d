// Writes in a thread beside, once there is enough to be written: sealing, SQLite and each flush are taken off the event
// loop, which reads, decides and answers meanwhile. Before, where there is no file, and while nobody waits for an answer, it
// is written here: deliveries by themselves are not worth the way to the thread.
import { Worker } from 'node:worker_threads'
import * as E from 'fp-ts/lib/Either.js'
import type { Keyring } from '../../sealing/keyring.ts'
import { threadFile } from '../../system/thread-file.ts'
import type { Batch, Write, Written } from './batch.ts'
import type { CommittingOptions } from './committing.ts'
import type { Writer } from './writer.ts'

/** What the thread is given when it starts. */
export type WriterThreadData = {
  readonly path: string
  readonly keyring: Keyring
  readonly boot: string
  readonly patience: number
  /** Where each moment of a commit is heard before it goes on; for tests of crashes. */
  readonly moments: Int32Array | null
}

/** What it tells: what it has written, or the moment that it waits at. */
export type WriterThreadTold = Written | 'ready' | 'before' | 'after'

type BesideOptions = Pick<WriterThreadData, 'path' | 'keyring' | 'boot' | 'patience'> &
  Pick<CommittingOptions, 'onCommit'> & {
    /** The thread is started once so many jobs were written; 0: it writes all of them. */
    readonly after: number
    readonly monotonicNow: () => number
  }

type WritingBeside = {
  readonly write: Write
  /** Before the database is closed: its last connection empties the log. */
  readonly close: () => Promise<void>
}

// Real milliseconds since anybody has waited.
const QUIET = 250

type Thread = { readonly worker: Worker; readonly ended: Promise<void>; isReady: boolean }

type Underway = { readonly batch: Batch; readonly answer: (written: Written) => void }

const lost = ({ calls }: Batch, cause: string): Written => ({
  outcomes: calls.map(() => E.left({ message: `The thread that writes has ended${cause}.`, isOurs: false })),
  handed: [],
  // It may have been written all the same.
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
      // In the order they were sent.
      const [first, ...rest] = underway
      underway = rest
      if (underway.length === 0) started.worker.unref()
      first?.answer(told)
    }
  }

  // Nothing is lost with it but answers; it is started anew when there is as much to be written again.
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
    // Its name alone: a text of ours might hold what was to be written.
    worker.on('error', (error) => {
      cause = `: ${error instanceof Error ? error.name : 'an error'}`
    })
    worker.once('exit', () => end(cause))
    worker.unref()
    return started
  }

  // One at a time writes.
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
