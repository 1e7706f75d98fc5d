// Derives keys from passwords in threads of its own. A derivation takes 16 MiB. In Node's thread
// pool, the allocator keeps that much for each of many threads: a few dozen wrong logins then made
// a server larger by 400 MiB, for good.
import { scryptSync } from 'node:crypto'
import { parentPort } from 'node:worker_threads'
import { startThread, threadData } from '../system/threads.ts'

const THREAD = 'password'
const THREADS_MAX = 2
const COST = { N: 16384, r: 8, p: 1 }

/** The length of a derived key. */
export const KEY_BYTES = 32

type Derivation = { readonly password: string; readonly salt: Uint8Array }

type WaitingDerivation = {
  readonly derivation: Derivation
  readonly resolve: (key: Buffer) => void
  readonly reject: (cause: unknown) => void
}

const waiting: WaitingDerivation[] = []
let threads = 0

/** Returns `KEY_BYTES` bytes. */
export const deriveKey = (password: string, salt: Uint8Array): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    waiting.push({ derivation: { password, salt }, resolve, reject })
    if (threads < THREADS_MAX) runThread()
  })

/** Starts a thread that derives the waiting keys one after another. It ends when none waits. */
const runThread = (): void => {
  threads += 1
  const thread = startThread(import.meta.url, THREAD, true)
  let current: WaitingDerivation | undefined
  let hasEnded = false

  const runNext = (): void => {
    if (hasEnded) return
    current = waiting.shift()
    if (current === undefined) void thread.terminate()
    else thread.postMessage(current.derivation)
  }

  thread.on('message', (key: Uint8Array) => {
    current?.resolve(Buffer.from(key))
    current = undefined
    // The caller may have another password at once. This thread then derives that key, and none is
    // started for it.
    setImmediate(runNext)
  })
  thread.on('error', (cause) => current?.reject(cause))
  thread.on('exit', () => {
    hasEnded = true
    current?.reject(new Error('The thread that derives keys has ended.'))
    threads -= 1
    if (waiting.length > 0) runThread()
  })
  runNext()
}

if (threadData<true>(THREAD))
  parentPort?.on('message', ({ password, salt }: Derivation) =>
    parentPort?.postMessage(scryptSync(password, salt, KEY_BYTES, COST)),
  )
