// Writes in another thread once there is enough to write. This takes encryption, SQLite and each
// flush off the event loop, which reads, decides and answers meanwhile. Three cases are written in
// this thread: the first jobs, a database without a file, and commits while no request waits.
// Deliveries alone are not worth the trip to the other thread. The thread has its own connection
// and its own data keys.
import { type MessagePort, parentPort, type Worker } from 'node:worker_threads'
import { unavailable } from '@plazo/core/ports'
import { createCipher } from '../../encryption/cipher.ts'
import type { Keyring } from '../../encryption/keyring.ts'
import type { Committed } from '../../sql/order-writes.ts'
import { systemTimers } from '../../system/clock-and-ids.ts'
import { startThread, threadData } from '../../system/threads.ts'
import { sqliteDataKeys } from '../encryption/data-keys.ts'
import { openAgain } from '../schema/database.ts'
import type { Batch, Command } from './commands.ts'
import { sqliteWriter, type TransactionOptions, type Writer } from './writer.ts'

const THREAD = 'writer'

/** The data that the thread gets when it starts. */
type ThreadData = {
  readonly path: string
  readonly keyring: Keyring
  readonly boot: string
  readonly patience: number
  /**
   * At each moment of a commit the thread waits here for an acknowledgement. For tests of crashes;
   * otherwise null.
   */
  readonly moments: Int32Array | null
}

/** A message of the thread: a result, that it is ready, or the moment at which it waits. */
type ThreadMessage = Committed<unknown> | 'ready' | 'before' | 'after'

type ThreadedWriterOptions = Pick<ThreadData, 'path' | 'keyring' | 'boot' | 'patience'> &
  Pick<TransactionOptions, 'onCommit'> & {
    /** The thread starts once this many jobs were written. 0: it writes all of them. */
    readonly after: number
    readonly monotonicNow: () => number
  }

// Real milliseconds after the last write for which a request waited.
const QUIET_MILLIS = 250

/** True if an HTTP request waits for the command, and not only background work. */
const isAwaited = ({ name }: Command): boolean => name === 'place' || name === 'step'

type PendingBatch = {
  readonly batch: Batch
  readonly answer: (written: Committed<unknown>) => void
}

const lostBatch = ({ commands }: Batch, cause: string): Committed<unknown> => ({
  outcomes: commands.map(() =>
    unavailable('outcome_unknown', `The thread that writes has ended${cause}.`),
  ),
  // The batch may have been written nevertheless.
  nextDueAt: Number.NEGATIVE_INFINITY,
})

export const threadedWriter = (inline: Writer, options: ThreadedWriterOptions) => {
  const { after, monotonicNow, onCommit, ...data } = options
  const moments = onCommit === undefined ? null : new Int32Array(new SharedArrayBuffer(4))
  let thread: Worker | null = null
  let isReady = false
  let pending: PendingBatch[] = []
  let jobs = 0
  let isClosing = false
  let awaitedAt = Number.NEGATIVE_INFINITY

  const handleMessage = (message: ThreadMessage, worker: Worker): void => {
    if (message === 'ready') isReady = true
    else if (typeof message === 'string') {
      onCommit?.(message)
      if (moments === null) return
      Atomics.store(moments, 0, 1)
      Atomics.notify(moments, 0)
    } else {
      // Results arrive in the order in which the batches were sent.
      const [first, ...rest] = pending
      pending = rest
      if (pending.length === 0) worker.unref()
      first?.answer(message)
    }
  }

  // Only answers are lost with the thread. A new one starts after the same number of jobs.
  const failPending = (cause: string): void => {
    thread = null
    isReady = false
    jobs = 0
    const failing = pending
    pending = []
    for (const { batch, answer } of failing) answer(lostBatch(batch, cause))
  }

  const start = (): Worker => {
    const worker = startThread<ThreadData>(import.meta.url, THREAD, { ...data, moments })
    worker.on('message', (message: ThreadMessage) => handleMessage(message, worker))
    let cause = ''
    // Only the error's name: its message might contain the data that was to be written.
    worker.on('error', (error) => {
      cause = `: ${error instanceof Error ? error.name : 'an error'}`
    })
    worker.once('exit', () => failPending(cause))
    worker.unref()
    return worker
  }

  // Only one of the two threads writes at a time.
  const writesInline = (): boolean =>
    after > 0 && pending.length === 0 && (!isReady || monotonicNow() - awaitedAt > QUIET_MILLIS)

  return {
    /** Resolves at once, or later if another thread writes. Never rejects. */
    write: async (batch: Batch): Promise<Committed<unknown>> => {
      jobs += batch.commands.length
      if (batch.commands.some(isAwaited)) awaitedAt = monotonicNow()
      if (jobs >= after && !isClosing) thread ??= start()
      if (thread === null || writesInline()) return inline(batch)
      const worker = thread
      return new Promise((answer) => {
        pending.push({ batch, answer })
        worker.ref()
        worker.postMessage(batch)
      })
    },
    /** Call it before the database is closed: the last connection empties the log. */
    close: async (): Promise<void> => {
      isClosing = true
      if (thread === null) return
      const worker = thread
      const ended = new Promise((resolve) => worker.once('exit', resolve))
      worker.ref()
      worker.postMessage('close')
      await ended
    },
  }
}

/** The program of the thread. `port` leads to the thread that writes through it. */
export const runWriterThread = (
  port: MessagePort,
  { path, keyring, boot, patience, moments }: ThreadData,
): void => {
  const db = openAgain(path)

  const sendMessage = (message: ThreadMessage): void => port.postMessage(message)

  const waitAtMoment = (acknowledgement: Int32Array) => (moment: 'before' | 'after') => {
    Atomics.store(acknowledgement, 0, 0)
    sendMessage(moment)
    Atomics.wait(acknowledgement, 0, 0)
  }

  const write = sqliteWriter(db, {
    dataKeys: sqliteDataKeys(db, createCipher(keyring)),
    // Keeps its claim tokens different from those of the thread that started it.
    boot: `${boot}.thread`,
    monotonicNow: systemTimers.monotonicNow,
    patience,
    onCommit: moments === null ? undefined : waitAtMoment(moments),
  })

  port.on('message', (message: Batch | 'close') => {
    if (message !== 'close') return sendMessage(write(message))
    db.close()
    port.close()
  })
  sendMessage('ready')
}

const ownData = threadData<ThreadData>(THREAD)
if (ownData !== undefined && parentPort !== null) runWriterThread(parentPort, ownData)
