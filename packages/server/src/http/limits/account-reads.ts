// Limits how many reads of one account are in progress. A read holds its answer in memory until its client has read it, so
// one account with many connections could take all of a server's memory, and its processor. Contract §2.
import type { ServerResponse } from 'node:http'
import type { Context } from 'hono'
import { type RequestError, requestError } from '../problem.ts'
import { type ConcurrencyLimitOptions, concurrencyLimit } from './concurrency-limit.ts'

/**
 * Resolves to null once the request may go on; its turn ends with its answer. Only reads (GET and HEAD) and bodies over 64 KiB
 * take turns, and only reads are refused.
 */
export type AccountReads = (c: Context, account: string) => Promise<RequestError | null>

const READS_MAX = 4
const WAITING_MAX = 60
// Milliseconds. A client that reads slowly keeps its turn; requests behind it must not wait until their connections time out.
const WAIT_MAX = 10_000

const READ_LIMITS: ConcurrencyLimitOptions = {
  maxConcurrent: READS_MAX,
  maxWaiting: WAITING_MAX,
  waitMaxMillis: WAIT_MAX,
}

// A body takes three times its size while it is read, and up to 15 ms of the event loop. Few orders are so large.
const LONG_BODY = 64 * 1024
const LONG_BODY_LIMITS: ConcurrencyLimitOptions = { maxConcurrent: 4, maxWaiting: Number.POSITIVE_INFINITY }

const TOO_MANY_READS = `This account has ${READS_MAX} reads in progress and others waiting. Try again in a second.`

/** The answer of a request that came over a socket; undefined if a host calls the app directly. */
const answerOf = ({ env }: Context): ServerResponse | undefined =>
  // Set by @hono/node-server; its type is the host's.
  ((env ?? {}) as { readonly outgoing?: ServerResponse }).outgoing

/** All merchants of an account count together. A turn lasts until the answer is written completely or its connection closes. */
export const limitAccountReads = (options: ConcurrencyLimitOptions = READ_LIMITS): AccountReads => {
  const [reads, longBodies] = [concurrencyLimit(options), concurrencyLimit(LONG_BODY_LIMITS)]
  const counted = new WeakSet<ServerResponse>()
  return async (c, account) => {
    const answer = answerOf(c)
    const isRead = c.req.method === 'GET' || c.req.method === 'HEAD'
    const isLong = Number(c.req.header('content-length') ?? 0) > LONG_BODY
    if (answer === undefined || counted.has(answer) || !(isRead || isLong)) return null
    counted.add(answer)
    const onGone = (gone: () => void): void => {
      if (answer.closed || answer.destroyed) gone()
      else answer.once('close', gone)
    }
    const release = await (isRead ? reads : longBodies).acquire(account, onGone)
    return release === null && isRead ? requestError(429, TOO_MANY_READS, 1) : null
  }
}
