// Derives keys from passwords in threads of its own. A derivation takes 16 MiB. In Node's thread
// pool, the allocator keeps that much for each of many threads: a few dozen wrong logins then made
// a server larger by 400 MiB, for good.
import { scryptSync } from 'node:crypto'
import { once } from 'node:events'
import { parentPort, type Worker } from 'node:worker_threads'
import { startThread, threadData } from '../system/threads.ts'

const THREAD = 'password'
const COST = { N: 16384, r: 8, p: 1 }

/** The length of a derived key. */
export const KEY_BYTES = 32

type Derivation = { readonly password: string; readonly salt: Uint8Array }

const idle = new Set<Worker>()

/** Returns `KEY_BYTES` bytes. As many threads work as keys are asked for at once. */
export const deriveKey = async (password: string, salt: Uint8Array): Promise<Buffer> => {
  const [thread = startThread(import.meta.url, THREAD, true)] = idle
  idle.delete(thread)
  thread.postMessage({ password, salt } satisfies Derivation)
  const key: Uint8Array = (await once(thread, 'message'))[0]
  idle.add(thread)
  // The caller may have another password at once. This thread then derives that key, and none is
  // started for it.
  setImmediate(() => idle.delete(thread) && thread.terminate())
  return Buffer.from(key)
}

if (threadData<true>(THREAD))
  parentPort?.on('message', ({ password, salt }: Derivation) =>
    parentPort?.postMessage(scryptSync(password, salt, KEY_BYTES, COST)),
  )
