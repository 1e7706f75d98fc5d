// Promises that no account takes a server's memory from the others. Its unread answers and its calls
// to merchants hold connections, threads and memory that all accounts share. So only a few are in
// progress at once.
import type { HttpBindings } from '@hono/node-server'
import type { Context } from 'hono'
import { refused } from '../problem.ts'

/** Returns the function that ends the turn, or null if `max` turns of the key are in progress. */
export const concurrencyLimit = (max: number) => {
  const turns = new Map<string, number>()
  return (key: string): (() => void) | null => {
    const inProgress = turns.get(key) ?? 0
    if (inProgress >= max) return null
    turns.set(key, inProgress + 1)
    return () => {
      const left = (turns.get(key) ?? 0) - 1
      if (left > 0) turns.set(key, left)
      else turns.delete(key)
    }
  }
}

const READS_MAX = 16

/**
 * Limits how many reads (GET and HEAD) of one account are in progress. A read holds its answer in
 * memory until its client has read it, so one account with many connections could take all of a
 * server's memory. All merchants of an account count together. A turn lasts until the answer is
 * written completely, its stream has opened, or its connection closes. Contract §2.
 */
export const limitAccountReads = () => {
  const begin = concurrencyLimit(READS_MAX)
  const counted = new WeakSet<HttpBindings['outgoing']>()
  return (c: Context, account: string): void => {
    // Undefined if a host calls the app directly.
    const { outgoing: answer } = (c.env ?? {}) as Partial<HttpBindings>
    const isRead = c.req.method === 'GET' || c.req.method === 'HEAD'
    if (answer === undefined || answer.closed || counted.has(answer) || !isRead) return
    counted.add(answer)
    const end = begin(account)
    if (end === null)
      throw refused(429, `This account has ${READS_MAX} reads in progress. Try again.`, 1)
    const endRead = (): void => {
      answer.off('close', endRead)
      end()
    }
    answer.once('close', endRead)
    c.set('endRead', endRead)
  }
}
