// Whether credentials are right, when checking them is dear: what was once right is remembered, what is wrong is counted,
// and only so many are checked at a time. Contract §2.
import { hash, randomBytes } from 'node:crypto'
import type { Log } from '../log/log.ts'
import type { MinuteLimit } from './minute-limit.ts'

type Verdict =
  | { readonly type: 'right' | 'wrong' | 'busy' }
  /** Too many were wrong: whole seconds until one more is looked at. */
  | { readonly type: 'limited'; readonly seconds: number }

export type Login = {
  /** Whose credentials they are said to be. */
  readonly username: string
  readonly password: string
  /** What the password is checked against: another one makes other credentials. */
  readonly against: string
  /** From where; asked for where it matters. */
  readonly address: () => string
  readonly verify: () => Promise<boolean>
}

export type Logins = (login: Login) => Promise<Verdict>

export type LoginsOptions = {
  readonly limit: MinuteLimit
  readonly log: Log
  /** How many different ones may wait to be checked. */
  readonly waiting?: number
}

// How many are checked at a time: the other threads of the pool resolve the names of merchants' hosts.
const AT_ONCE = 2

const REMEMBERED = 100_000

/** `realm` tells usernames of different kinds apart. */
export const loginsOf = (realm: string, { limit, log, waiting = 256 }: LoginsOptions): Logins => {
  // By username what was verified last, as a keyed hash over what it was verified against too.
  const remembered = new Map<string, string>()
  const memoryKey = randomBytes(32).toString('base64url')
  const verifying = new Map<string, Promise<boolean>>()
  // One at a time for one username from one address, so that as many are counted as were wrong.
  const turns = new Map<string, Promise<Verdict>>()
  const queued: (() => void)[] = []
  let running = 0
  // How many wait with the same credentials: a shop that comes with many requests at once comes with one.
  const pending = new Map<string, number>()

  const proofOf = ({ username, password, against }: Login): string =>
    hash('sha256', memoryKey + JSON.stringify([username, password.normalize('NFC'), against]), 'base64url')

  const isRemembered = ({ username }: Login, proof: string): boolean => remembered.get(username) === proof

  const remember = ({ username }: Login, proof: string): void => {
    remembered.delete(username)
    remembered.set(username, proof)
    const [oldest] = remembered.keys()
    if (remembered.size > REMEMBERED && oldest !== undefined) remembered.delete(oldest)
  }

  const inTurn = async (verify: () => Promise<boolean>): Promise<boolean> => {
    if (running >= AT_ONCE) await new Promise<void>((resolve) => queued.push(resolve))
    else running += 1
    try {
      return await verify()
    } finally {
      const next = queued.shift()
      // The place is handed on, so that nobody who comes just now takes it.
      if (next === undefined) running -= 1
      else next()
    }
  }

  // The same credentials from many sides at once are checked once.
  const verified = (login: Login, proof: string): Promise<boolean> => {
    const begun = verifying.get(proof) ?? inTurn(login.verify).finally(() => verifying.delete(proof))
    verifying.set(proof, begun)
    return begun
  }

  const judge = async (login: Login, proof: string, key: string): Promise<Verdict> => {
    if (isRemembered(login, proof)) return { type: 'right' }
    const seconds = limit.waitOf(key)
    if (seconds > 0) {
      log('limited', { limit: 'logins' })
      return { type: 'limited', seconds }
    }
    if (await verified(login, proof)) {
      remember(login, proof)
      return { type: 'right' }
    }
    limit.count(key)
    return { type: 'wrong' }
  }

  return async (login) => {
    const proof = proofOf(login)
    if (isRemembered(login, proof)) return { type: 'right' }
    const same = pending.get(proof) ?? 0
    if (same === 0 && pending.size >= waiting) return { type: 'busy' }
    const key = hash('sha256', JSON.stringify([realm, login.username, login.address()]), 'base64url')
    pending.set(proof, same + 1)
    const before = turns.get(key) ?? Promise.resolve()
    const mine = before.then(
      () => judge(login, proof, key),
      () => judge(login, proof, key),
    )
    turns.set(key, mine)
    try {
      return await mine
    } finally {
      const left = (pending.get(proof) ?? 1) - 1
      if (left === 0) pending.delete(proof)
      else pending.set(proof, left)
      if (turns.get(key) === mine) turns.delete(key)
    }
  }
}
