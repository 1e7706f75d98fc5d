// Writes in another thread once there is enough to write. This takes encryption, SQLite and each
// flush off the event loop, which reads, decides and answers meanwhile. Two cases are written in this
// thread: the first changes, and a database without a file. The thread has its own connection.
import { type MessagePort, parentPort, type Worker } from 'node:worker_threads'
import { unavailable } from '@plazo/core/ports'
import { createCipher } from '../../encryption/cipher.ts'
import type { Keyring } from '../../encryption/keyring.ts'
import { startThread, threadData } from '../../system/threads.ts'
import { openAgain } from '../schema/database.ts'
import { type Item, sqliteWriter, type Writer } from './writer.ts'

const THREAD = 'writer'

/** The data that the thread gets when it starts. */
type ThreadData = {
  readonly path: string
  readonly keyring: Keyring
}

type Outcomes = ReturnType<Writer>

/** A message of the thread: outcomes, or that it is ready. */
type ThreadMessage = Outcomes | 'ready'

type ThreadedWriterOptions = ThreadData & {
  /** The thread starts once this many changes were written. 0: it writes all of them. */
  readonly after: number
}

type PendingBatch = {
  readonly items: readonly Item[]
  readonly answer: (outcomes: Outcomes) => void
}

// The batch may have been written nevertheless.
const lostBatch = ({ items }: PendingBatch, cause: string): Outcomes =>
  items.map(() => unavailable('outcome_unknown', `The thread that writes has ended${cause}.`))

export const threadedWriter = (inline: Writer, options: ThreadedWriterOptions) => {
  const { after, ...data } = options
  let thread: Worker | null = null
  let isReady = false
  let pending: PendingBatch[] = []
  let written = 0
  let isClosing = false

  const handleMessage = (message: ThreadMessage, worker: Worker): void => {
    if (message === 'ready') isReady = true
    else {
      // Results arrive in the order in which the batches were sent.
      const [first, ...rest] = pending
      pending = rest
      if (pending.length === 0) worker.unref()
      first?.answer(message)
    }
  }

  // Only answers are lost with the thread. A new one starts after the same number of changes.
  const failPending = (cause: string): void => {
    thread = null
    isReady = false
    written = 0
    const failing = pending
    pending = []
    for (const batch of failing) batch.answer(lostBatch(batch, cause))
  }

  const start = (): Worker => {
    const worker = startThread<ThreadData>(import.meta.url, THREAD, data)
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
  const writesInline = (): boolean => after > 0 && pending.length === 0 && !isReady

  return {
    /** Resolves at once, or later if another thread writes. Never rejects. */
    write: async (items: readonly Item[]): Promise<Outcomes> => {
      written += items.length
      if (written >= after && !isClosing) thread ??= start()
      if (thread === null || writesInline()) return inline(items)
      const worker = thread
      return new Promise((answer) => {
        pending.push({ items, answer })
        worker.ref()
        worker.postMessage(items)
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
export const runWriterThread = (port: MessagePort, { path, keyring }: ThreadData): void => {
  const db = openAgain(path)

  const sendMessage = (message: ThreadMessage): void => port.postMessage(message)

  const write = sqliteWriter(db, { cipher: createCipher(keyring) })

  port.on('message', (message: readonly Item[] | 'close') => {
    if (message !== 'close') return sendMessage(write(message))
    db.close()
    port.close()
  })
  sendMessage('ready')
}

const ownData = threadData<ThreadData>(THREAD)
if (ownData !== undefined && parentPort !== null) runWriterThread(parentPort, ownData)
