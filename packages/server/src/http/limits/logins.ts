// Promises that guesses of passwords do not succeed by their number, although checking a password
// takes a thread and 16 MiB. So right credentials are remembered, wrong ones are counted, and few are
// checked at a time. Contract §2.
import { hash, randomBytes } from 'node:crypto'
import { normalizeText } from '@plazo/core/internal'
import type { Context } from 'hono'
import type { Log } from '../../log/log.ts'
import { HandlerError, type RequestError, refused } from '../problem.ts'
import { type ClientAddress, type MinuteLimit, WRONG_LOGINS_MAX } from './rate-limits.ts'

export type Login = {
  readonly c: Context
  /** The username that the caller claims. */
  readonly username: string
  readonly password: string
  /** What the password is checked against. Another value makes these other credentials. */
  readonly against: string
  readonly verify: () => Promise<boolean>
  readonly wrong: RequestError
}

/** Rejects with a `HandlerError` if the login is not right. */
export type Logins = (login: Login) => Promise<void>

// Checks at a time. Each takes a thread and 16 MiB.
const CHECKS_MAX = 2
const WAITING_MAX = 256

const BUSY = 'Too many passwords are being checked. Try again.'
const TOO_MANY_WRONG = `Too many wrong passwords for this username: ${WRONG_LOGINS_MAX} within a minute.`

type LoginParts = {
  readonly limit: MinuteLimit
  readonly addressOf: ClientAddress
  readonly log: Log
}

export const createLogins = ({ limit, addressOf, log }: LoginParts): Logins => {
  const memoryKey = randomBytes(32).toString('base64url')
  const hashOf = (...texts: readonly string[]): string =>
    hash('sha256', memoryKey + JSON.stringify(texts), 'base64url')
  // By username, so there is at most one for each account: the hash of the last right credentials.
  const right = new Map<string, string>()
  const waiting = new Map<string, Promise<void>>()
  // Each lane checks one after another. All guesses for one username from one address are in the same
  // lane, so that every wrong one is counted before the next is checked.
  const lanes = new Map<number, Promise<unknown>>()

  const check = async ({ username, verify, wrong }: Login, proof: string, guesser: string) => {
    const seconds = limit.secondsUntilFree(guesser)
    if (seconds > 0) {
      log('limited', { limit: 'logins' })
      throw refused(429, TOO_MANY_WRONG, seconds)
    }
    if (!(await verify())) {
      limit.count(guesser)
      throw new HandlerError(wrong)
    }
    right.set(username, proof)
  }

  return async (login) => {
    const { c, username, password, against } = login
    const proof = hashOf(username, normalizeText(password), against)
    if (right.get(username) === proof) return
    const guesser = hashOf(username, addressOf(c))
    const place = proof + guesser
    const earlier = waiting.get(place)
    if (earlier !== undefined) return earlier
    if (waiting.size >= WAITING_MAX) throw refused(503, BUSY, 1)
    const lane = guesser.charCodeAt(0) % CHECKS_MAX
    const checked = Promise.resolve(lanes.get(lane))
      .then(() => check(login, proof, guesser))
      .finally(() => waiting.delete(place))
    waiting.set(place, checked)
    lanes.set(
      lane,
      checked.catch(() => {}),
    )
    return checked
  }
}
