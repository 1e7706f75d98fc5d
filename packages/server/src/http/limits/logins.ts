// Promises that guesses of passwords neither succeed by their number nor keep others from signing
// in, although checking a password takes a thread and 16 MiB. So right credentials are remembered,
// wrong ones are counted, and few are checked at a time. Contract §2.
import { hash, randomBytes } from 'node:crypto'
import { normalizeText } from '@plazo/core/protocol'
import type { Log } from '../../log/log.ts'
import type { MinuteLimit } from './rate-limits.ts'

export type Verdict =
  | { readonly type: 'right' | 'wrong' | 'busy' }
  /** Too many were wrong: whole seconds until another one is checked. */
  | { readonly type: 'limited'; readonly seconds: number }

export type Login = {
  /** The username that the caller claims. */
  readonly username: string
  readonly password: string
  /**
   * The stored value that the password is checked against. Another value makes these other
   * credentials.
   */
  readonly against: string
  /** The client's address; called only when it is needed. */
  readonly address: () => string
  readonly verify: () => Promise<boolean>
}

export type Logins = (login: Login) => Promise<Verdict>

export type LoginsOptions = {
  readonly limit: MinuteLimit
  readonly log: Log
  /**
   * How many different credentials may wait for a check. Beyond it, only an address with less than
   * an equal share may add one.
   */
  readonly maxWaiting?: number
}

// Checks at a time. Each takes a thread and 16 MiB.
const CHECKS_MAX = 2

const REMEMBERED_MAX = 100_000

/** `realm` separates usernames of different kinds, such as merchants and operators. */
export const createLogins = (
  realm: string,
  { limit, log, maxWaiting = 256 }: LoginsOptions,
): Logins => {
  // By username: a keyed hash of the credentials that were verified last and of the value that they
  // were checked against.
  const remembered = new Map<string, string>()
  const memoryKey = randomBytes(32).toString('base64url')
  const verifying = new Map<string, Promise<boolean>>()
  // Credentials of one username from one address are checked one after another, so that every wrong
  // one is counted.
  const lastChecks = new Map<string, Promise<Verdict>>()
  // By address. The addresses take turns, so that somebody who guesses from one address does not
  // keep the others waiting.
  const queued = new Map<string, (() => void)[]>()
  let running = 0
  // How many requests wait with the same credentials. A shop that sends many requests at once takes
  // one place.
  const pending = new Map<string, number>()
  const pendingFrom = new Map<string, number>()

  const proofOf = ({ username, password, against }: Login): string =>
    hash(
      'sha256',
      memoryKey + JSON.stringify([username, normalizeText(password), against]),
      'base64url',
    )

  const isRemembered = ({ username }: Login, proof: string): boolean =>
    remembered.get(username) === proof

  const remember = ({ username }: Login, proof: string): void => {
    remembered.delete(username)
    remembered.set(username, proof)
    const [oldest] = remembered.keys()
    if (remembered.size > REMEMBERED_MAX && oldest !== undefined) remembered.delete(oldest)
  }

  const takeNextQueued = (): (() => void) | undefined => {
    for (const [address, [next, ...others]] of queued) {
      queued.delete(address)
      if (others.length > 0) queued.set(address, others)
      return next
    }
    return undefined
  }

  const runQueued = async (address: string, verify: () => Promise<boolean>): Promise<boolean> => {
    if (running < CHECKS_MAX) running += 1
    else
      await new Promise<void>((begin) =>
        queued.set(address, [...(queued.get(address) ?? []), begin]),
      )
    try {
      return await verify()
    } finally {
      const next = takeNextQueued()
      // The place is handed on, so that no newcomer takes it.
      if (next === undefined) running -= 1
      else next()
    }
  }

  // The same credentials are checked once, even if they come from several addresses at the same
  // time.
  const verifyOnce = (login: Login, proof: string, address: string): Promise<boolean> => {
    const verification =
      verifying.get(proof) ??
      runQueued(address, login.verify).finally(() => verifying.delete(proof))
    verifying.set(proof, verification)
    return verification
  }

  const checkLogin = async (
    login: Login,
    proof: string,
    key: string,
    address: string,
  ): Promise<Verdict> => {
    if (isRemembered(login, proof)) return { type: 'right' }
    const seconds = limit.secondsUntilFree(key)
    if (seconds > 0) {
      log('limited', { limit: 'logins' })
      return { type: 'limited', seconds }
    }
    if (await verifyOnce(login, proof, address)) {
      remember(login, proof)
      return { type: 'right' }
    }
    limit.count(key)
    return { type: 'wrong' }
  }

  const hasRoom = (address: string): boolean => {
    const pendingFromAddress = pendingFrom.get(address) ?? 0
    const addresses = pendingFrom.size + (pendingFromAddress === 0 ? 1 : 0)
    return pending.size < maxWaiting || pendingFromAddress < Math.floor(maxWaiting / addresses)
  }

  return async (login) => {
    const proof = proofOf(login)
    if (isRemembered(login, proof)) return { type: 'right' }
    const address = login.address()
    // A request whose credentials already wait takes no additional place.
    const takesSlot = !pending.has(proof)
    if (takesSlot && !hasRoom(address)) return { type: 'busy' }
    const key = hash('sha256', JSON.stringify([realm, login.username, address]), 'base64url')
    addTo(pending, proof, 1)
    if (takesSlot) addTo(pendingFrom, address, 1)
    const before = lastChecks.get(key) ?? Promise.resolve()
    const check = () => checkLogin(login, proof, key, address)
    const ownCheck = before.then(check, check)
    lastChecks.set(key, ownCheck)
    try {
      return await ownCheck
    } finally {
      addTo(pending, proof, -1)
      if (takesSlot) addTo(pendingFrom, address, -1)
      if (lastChecks.get(key) === ownCheck) lastChecks.delete(key)
    }
  }
}

const addTo = (counts: Map<string, number>, key: string, count: number): void => {
  const sum = (counts.get(key) ?? 0) + count
  if (sum === 0) counts.delete(key)
  else counts.set(key, sum)
}
