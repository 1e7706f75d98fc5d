// Whether credentials are right, when checking them is dear: what was once right is remembered, what is wrong is counted,
// and only so many are checked at a time. Contract §2.
import { hash, randomBytes } from 'node:crypto'
import { composed } from '@plazo/core'
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
  /** How many different ones may wait to be checked; beyond it, only from an address that has less than an equal share. */
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
  // By address, of which each has its turn: who guesses from one keeps nobody else waiting.
  const queued = new Map<string, (() => void)[]>()
  let running = 0
  // How many wait with the same credentials: a shop that comes with many requests at once comes with one.
  const pending = new Map<string, number>()
  const pendingFrom = new Map<string, number>()

  const proofOf = ({ username, password, against }: Login): string =>
    hash('sha256', memoryKey + JSON.stringify([username, composed(password), against]), 'base64url')

  const isRemembered = ({ username }: Login, proof: string): boolean => remembered.get(username) === proof

  const remember = ({ username }: Login, proof: string): void => {
    remembered.delete(username)
    remembered.set(username, proof)
    const [oldest] = remembered.keys()
    if (remembered.size > REMEMBERED && oldest !== undefined) remembered.delete(oldest)
  }

  const queue = (address: string, begin: () => void): void => {
    queued.set(address, [...(queued.get(address) ?? []), begin])
  }

  const nextQueued = (): (() => void) | undefined => {
    for (const [address, [next, ...others]] of queued) {
      queued.delete(address)
      if (others.length > 0) queued.set(address, others)
      return next
    }
    return undefined
  }

  const inTurn = async (address: string, verify: () => Promise<boolean>): Promise<boolean> => {
    if (running >= AT_ONCE) await new Promise<void>((resolve) => queue(address, resolve))
    else running += 1
    try {
      return await verify()
    } finally {
      const next = nextQueued()
      // The place is handed on, so that nobody who comes just now takes it.
      if (next === undefined) running -= 1
      else next()
    }
  }

  // The same credentials from many sides at once are checked once.
  const verified = (login: Login, proof: string, address: string): Promise<boolean> => {
    const begun = verifying.get(proof) ?? inTurn(address, login.verify).finally(() => verifying.delete(proof))
    verifying.set(proof, begun)
    return begun
  }

  const judge = async (login: Login, proof: string, key: string, address: string): Promise<Verdict> => {
    if (isRemembered(login, proof)) return { type: 'right' }
    const seconds = limit.waitOf(key)
    if (seconds > 0) {
      log('limited', { limit: 'logins' })
      return { type: 'limited', seconds }
    }
    if (await verified(login, proof, address)) {
      remember(login, proof)
      return { type: 'right' }
    }
    limit.count(key)
    return { type: 'wrong' }
  }

  const hasRoom = (address: string): boolean => {
    const own = pendingFrom.get(address) ?? 0
    const addresses = pendingFrom.size + (own === 0 ? 1 : 0)
    return pending.size < waiting || own < Math.floor(waiting / addresses)
  }

  return async (login) => {
    const proof = proofOf(login)
    if (isRemembered(login, proof)) return { type: 'right' }
    const address = login.address()
    // Whoever comes with credentials that wait already takes no place.
    const takesPlace = !pending.has(proof)
    if (takesPlace && !hasRoom(address)) return { type: 'busy' }
    const key = hash('sha256', JSON.stringify([realm, login.username, address]), 'base64url')
    add(pending, proof, 1)
    if (takesPlace) add(pendingFrom, address, 1)
    const before = turns.get(key) ?? Promise.resolve()
    const mine = before.then(
      () => judge(login, proof, key, address),
      () => judge(login, proof, key, address),
    )
    turns.set(key, mine)
    try {
      return await mine
    } finally {
      add(pending, proof, -1)
      if (takesPlace) add(pendingFrom, address, -1)
      if (turns.get(key) === mine) turns.delete(key)
    }
  }
}

const add = (counts: Map<string, number>, key: string, count: number): void => {
  const sum = (counts.get(key) ?? 0) + count
  if (sum === 0) counts.delete(key)
  else counts.set(key, sum)
}
