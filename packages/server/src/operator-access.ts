// Lets only the operator decide on the console, by HTTP Basic. Contract §2.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { MiddlewareHandler } from 'hono'
import type { ClientAddress } from './limits/client-address.ts'
import type { Logins } from './limits/logins.ts'
import { TOO_MANY_LOGINS, TOO_MANY_WAITING } from './merchant-access.ts'
import { problem } from './problem.ts'
import { basicCredentials } from './request.ts'

const CHALLENGE = { 'www-authenticate': 'Basic realm="console", charset="UTF-8"' }

const isEqual = (given: string, expected: string): boolean => {
  const key = randomBytes(32)
  const digest = (text: string) => createHmac('sha256', key).update(text).digest()
  return timingSafeEqual(digest(given), digest(expected))
}

export const operatorAccess =
  (password: string, logins: Logins, addressOf: ClientAddress): MiddlewareHandler =>
  async (c, next) => {
    const given = basicCredentials(c)
    if (given === null) return problem(c, 401, 'The operator’s credentials are needed: HTTP Basic.', CHALLENGE)
    const { username, password: guess } = given
    const verdict = await logins({
      username,
      password: guess,
      against: password,
      address: () => addressOf(c),
      // Compares both, even if the first is wrong.
      verify: async () => [isEqual(username, 'operator'), isEqual(guess, password)].every(Boolean),
    })
    switch (verdict.type) {
      case 'right':
        return next()
      case 'wrong':
        return problem(c, 401, 'The operator’s credentials are needed: HTTP Basic.', CHALLENGE)
      case 'limited':
        return problem(c, 429, TOO_MANY_LOGINS, { 'retry-after': String(verdict.seconds) })
      case 'busy':
        return problem(c, 503, TOO_MANY_WAITING, { 'retry-after': '1' })
    }
  }
