// Limits how many reads of one account are in progress. A read holds its answer in memory until its client has read it, so
// one account with many connections could take all of a server's memory, and its processor. Contract §2.
import type { ServerResponse } from 'node:http'
import type { Context } from 'hono'
import { type RequestError, requestError } from '../problem.ts'
import { type TurnsOptions, turnsOf } from './turns.ts'

/** Resolves to null once the read may begin; its turn ends with its answer. Other methods than GET and HEAD are not limited. */
export type AccountReads = (c: Context, account: string) => Promise<RequestError | null>

const AT_ONCE = 4
const WAITING = 16
// A client that reads slowly holds its turn; those behind it are not kept until their connections time out.
const PATIENCE = 10_000

const READS: TurnsOptions = { atOnce: AT_ONCE, waiting: WAITING, patience: PATIENCE }

const TOO_MANY_READS = `This account has ${AT_ONCE} reads in progress and others waiting. Try again in a second.`

/** Whether the request came over a socket, and then its answer. A host that calls the app by itself has none. */
const answerOf = ({ env }: Context): ServerResponse | undefined =>
  // Set by @hono/node-server; its type is the host's.
  ((env ?? {}) as { readonly outgoing?: ServerResponse }).outgoing

/** All merchants of an account count together. A turn lasts until the answer is written completely or its connection closes. */
export const accountReads = (options: TurnsOptions = READS): AccountReads => {
  const turns = turnsOf(options)
  const known = new WeakSet<ServerResponse>()
  return async (c, account) => {
    const answer = answerOf(c)
    const isRead = c.req.method === 'GET' || c.req.method === 'HEAD'
    if (!isRead || answer === undefined || known.has(answer)) return null
    known.add(answer)
    const onGone = (gone: () => void): void => {
      if (answer.closed || answer.destroyed) gone()
      else answer.once('close', gone)
    }
    return (await turns.enter(account, onGone)) === null ? requestError(429, TOO_MANY_READS, 1) : null
  }
}
