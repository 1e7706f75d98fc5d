// Derives keys from passwords in threads of its own. A derivation takes 16 MiB. In Node's thread
// pool, the allocator keeps that much for each of many threads: a few dozen wrong logins then made
// a server larger by 400 MiB, for good.
import { scryptSync } from 'node:crypto'
import { once } from 'node:events'
import { parentPort } from 'node:worker_threads'
import { startThread, threadData } from '../system/threads.ts'

const THREAD = 'password'
const COST = { N: 16384, r: 8, p: 1 }

/** The length of a derived key. */
export const KEY_BYTES = 32

type Derivation = { readonly password: string; readonly salt: Uint8Array }

/** Returns `KEY_BYTES` bytes. As many threads work as keys are asked for at once. */
export const deriveKey = async (password: string, salt: Uint8Array): Promise<Buffer> => {
  const thread = startThread<Derivation>(import.meta.url, THREAD, { password, salt })
  const key: Uint8Array = (await once(thread, 'message'))[0]
  return Buffer.from(key)
}

const ownData = threadData<Derivation>(THREAD)
if (ownData !== undefined)
  parentPort?.postMessage(scryptSync(ownData.password, ownData.salt, KEY_BYTES, COST))
