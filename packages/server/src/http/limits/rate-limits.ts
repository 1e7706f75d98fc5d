// Limits requests that need no credentials, and guesses of passwords. It applies only in production, and to each node
// separately. Contract §2.
import type { Context, MiddlewareHandler } from 'hono'
import type { Log } from '../../log/log.ts'
import { problem } from '../problem.ts'
import type { ClientAddress } from './client-address.ts'
import { type MinuteLimit, minuteLimit } from './minute-limit.ts'

export type RateLimits = {
  readonly submissions: MiddlewareHandler
  readonly polls: MiddlewareHandler
  /** Requests for the metadata of a form. They do not use up the polls. */
  readonly metadata: MiddlewareHandler
  /** Failed logins. */
  readonly logins: MinuteLimit
}

const SUBMISSIONS = 60
const POLLS = 600
const METADATA = 600
const SUBMISSIONS_OF_ADDRESS = 300
const LOGINS = 20

const passThrough: MiddlewareHandler = (_, next) => next()

/** A sandbox limits nothing. */
export const noLimits: RateLimits = {
  submissions: passThrough,
  polls: passThrough,
  metadata: passThrough,
  logins: { secondsUntilFree: () => 0, count: () => {}, size: () => 0 },
}

const tooManyRequests = (c: Context, seconds: number, detail: string): Response =>
  problem(c, 429, detail, { 'retry-after': String(seconds) })

const checkoutKey = (c: Context): string => (c.req.param('uuid') ?? '').toLowerCase().slice(0, 36)

export const rateLimits = (addressOf: ClientAddress, log: Log, now: () => number): RateLimits => {
  const submissions = minuteLimit({ max: SUBMISSIONS, now })
  const addresses = minuteLimit({ max: SUBMISSIONS_OF_ADDRESS, now })

  const limitPerCheckout = (
    max: number,
    limit: 'checkout_polls' | 'checkout_metadata',
    what: string,
  ): MiddlewareHandler => {
    const limiter = minuteLimit({ max, now })
    return (c, next) => {
      const checkout = checkoutKey(c)
      const wait = limiter.secondsUntilFree(checkout)
      if (wait > 0) {
        log('limited', { limit })
        return Promise.resolve(tooManyRequests(c, wait, `Too many ${what} for this checkout: ${max} within a minute.`))
      }
      limiter.count(checkout)
      return next()
    }
  }

  return {
    submissions: (c, next) => {
      const [checkout, address] = [checkoutKey(c), addressOf(c)]
      const [checkoutWait, addressWait] = [submissions.secondsUntilFree(checkout), addresses.secondsUntilFree(address)]
      if (checkoutWait > 0 || addressWait > 0) {
        log('limited', { limit: checkoutWait > 0 ? 'checkout_submissions' : 'address_submissions' })
        const subject = checkoutWait > 0 ? `this checkout: ${SUBMISSIONS}` : `this address: ${SUBMISSIONS_OF_ADDRESS}`
        return Promise.resolve(
          tooManyRequests(
            c,
            Math.max(checkoutWait, addressWait),
            `Too many submissions for ${subject} within a minute.`,
          ),
        )
      }
      submissions.count(checkout)
      addresses.count(address)
      return next()
    },
    polls: limitPerCheckout(POLLS, 'checkout_polls', 'polls'),
    metadata: limitPerCheckout(METADATA, 'checkout_metadata', 'metadata requests'),
    logins: minuteLimit({ max: LOGINS, now }),
  }
}
