// Promises that no account takes a server's memory from the others. Its unread answers, its long
// bodies and its calls to merchants hold connections, threads and memory that all accounts share.
// So only a few are in progress at once, and the others wait.
import type { HttpBindings } from '@hono/node-server'
import type { Context } from 'hono'
import { type RequestError, requestError } from '../problem.ts'

type ConcurrencyLimitOptions = {
  /** In progress at once for one key. */
  readonly maxConcurrent: number
  /** Waiting for one key, first in, first out. */
  readonly maxWaiting: number
  /** The longest wait, in real milliseconds. Default: unlimited. */
  readonly waitMaxMillis?: number
}

/** Ends a turn. Calling it again has no effect. */
export type Release = () => void

/** Registers what is called if nobody needs the turn any more; a turn that has begun then ends. */
type OnGone = (gone: () => void) => void

type Waiter = (release: Release | null) => void
type Queue = { inProgress: number; waiting: Waiter[] }

export const concurrencyLimit = ({
  maxConcurrent,
  maxWaiting,
  waitMaxMillis,
}: ConcurrencyLimitOptions) => {
  const queues = new Map<string, Queue>()

  const createRelease = (key: string, queue: Queue): Release => {
    let isOver = false
    return () => {
      if (isOver) return
      isOver = true
      // The place is handed on, so that a newcomer does not overtake those who wait.
      const next = queue.waiting.shift()
      if (next !== undefined) return next(createRelease(key, queue))
      queue.inProgress -= 1
      if (queue.inProgress === 0) queues.delete(key)
    }
  }

  const wait = (queue: Queue, onGone: OnGone): Promise<Release | null> =>
    new Promise((resolve) => {
      const settle: Waiter = (release) => {
        clearTimeout(timer)
        resolve(release)
      }
      const giveUp = (): void => {
        if (!queue.waiting.includes(settle)) return
        queue.waiting = queue.waiting.filter((other) => other !== settle)
        settle(null)
      }
      const timer = waitMaxMillis === undefined ? undefined : setTimeout(giveUp, waitMaxMillis)
      queue.waiting.push(settle)
      onGone(giveUp)
    })

  return {
    /**
     * Resolves to the function that ends the turn, once the turn begins. Resolves to null if too
     * many are waiting, or it waited for too long.
     */
    acquire: async (key: string, onGone: OnGone = () => {}): Promise<Release | null> => {
      const queue = queues.get(key) ?? { inProgress: 0, waiting: [] }
      const isFree = queue.inProgress < maxConcurrent
      if (!isFree && queue.waiting.length >= maxWaiting) return null
      queues.set(key, queue)
      if (isFree) queue.inProgress += 1
      const release = isFree ? createRelease(key, queue) : await wait(queue, onGone)
      if (release !== null) onGone(release)
      return release
    },
  }
}

/**
 * Resolves to null once the request may go on; its turn ends with its answer. Only reads (GET and
 * HEAD) and bodies over 64 KiB take turns, and only reads are refused.
 */
export type AccountReads = (c: Context, account: string) => Promise<RequestError | null>

const READ_LIMITS = {
  maxConcurrent: 4,
  maxWaiting: 60,
  // A client that reads slowly keeps its turn; requests behind it must not wait until their
  // connections time out.
  waitMaxMillis: 10_000,
}

// A body takes three times its size while it is read, and up to 15 ms of the event loop. Few orders
// are so large.
const LONG_BODY = 64 * 1024
const LONG_BODY_LIMITS: ConcurrencyLimitOptions = {
  maxConcurrent: 4,
  maxWaiting: Number.POSITIVE_INFINITY,
}

const TOO_MANY_READS = `This account has ${READ_LIMITS.maxConcurrent} reads in progress and others waiting. Try again in a second.`

/**
 * Limits how many reads of one account are in progress. A read holds its answer in memory until its
 * client has read it, so one account with many connections could take all of a server's memory, and
 * its processor. Contract §2.
 *
 * All merchants of an account count together. A turn lasts until the answer is written completely
 * or its connection closes.
 */
export const limitAccountReads = (options: ConcurrencyLimitOptions = READ_LIMITS): AccountReads => {
  const [reads, longBodies] = [concurrencyLimit(options), concurrencyLimit(LONG_BODY_LIMITS)]
  const counted = new WeakSet<HttpBindings['outgoing']>()
  return async (c, account) => {
    // Undefined if a host calls the app directly.
    const { outgoing: answer } = (c.env ?? {}) as Partial<HttpBindings>
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
