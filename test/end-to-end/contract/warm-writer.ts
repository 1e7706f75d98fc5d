// Lets the writers of many stores share one thread. A thread of its own would load plazo again for
// each store, which costs more than most tests. The tests of the threads themselves start them as
// the server does.
import {
  MessageChannel,
  type MessagePort,
  parentPort,
  threadName,
  Worker,
} from 'node:worker_threads'
import type { runWriterThread } from '../../../packages/adapters/src/sqlite/writer/threaded-writer.ts'

const THREAD = 'warm writer'

type WriterData = Parameters<typeof runWriterThread>[1]
type Start = { readonly port: MessagePort; readonly data: WriterData }

let thread: Worker | undefined

/**
 * Starts a writer in the shared thread. Its port replaces the thread that the store would start: it
 * exits when it is closed.
 */
export const startWarmWriter = (data: WriterData): MessagePort => {
  thread ??= new Worker(new URL(import.meta.url), { name: THREAD })
  thread.unref()
  const { port1, port2 } = new MessageChannel()
  port1.once('close', () => port1.emit('exit', 0))
  thread.postMessage({ port: port2, data } satisfies Start, [port2])
  return port1
}

if (threadName === THREAD) {
  // Imported only here: a test that replaces `startThread` by a warm writer loads this module
  // first.
  const writer = await import('../../../packages/adapters/src/sqlite/writer/threaded-writer.ts')
  parentPort?.on('message', ({ port, data }: Start) => writer.runWriterThread(port, data))
}
