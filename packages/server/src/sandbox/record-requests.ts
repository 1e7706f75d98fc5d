// Records the requests about an order with their bodies, for the timeline of the sandbox: those of
// the frontend, the shop, the shopper's bank and the operator. A poll is recorded only if its
// answer differs from the one before.

import type { Timers } from '@plazo/adapters/system'
import type { Clock } from '@plazo/core/ports'
import { isNestedTooDeeply } from '@plazo/core/protocol'
import { textThatWasRead } from '@plazo/server/internal'
import type { Context, MiddlewareHandler } from 'hono'
import type { RecordedRequest, Recorder } from './recorder.ts'

const BODY_MAX = 64 * 1024

// A person at a browser, or a test of a shop, has fewer requests in progress. Under the load of more,
// nobody reads a timeline, so nothing is recorded for a while.
const IN_PROGRESS_MAX = 24
const PAUSE_MILLIS = 1_000

const RECORDED =
  /^\/(?:orders|api\/v1\/checkout|sandbox\/pay|sandbox\/verify|console\/orders|merchants\/[^/]+\/orders)(?:\/|$)|^\/sandbox\/demo\/orders$/

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/

// The operator's call, and the form of the console.
const ERASURE = /\/(?:erasure|erase)$/

const POLLS_REMEMBERED = 1_000

const replacements = new WeakMap<Request, Omit<RecordedRequest, 'type'>>()

/**
 * Records another request in place of the received one: the page's order as a shop's server would
 * place it.
 */
export const recordAs = ({ req }: Context, request: Omit<RecordedRequest, 'type'>): void =>
  void replacements.set(req.raw, request)

/**
 * JSON or a form as an object; any other text as it is. JSON that is nested too deeply to walk
 * through is shown as text.
 */
const readable = (text: string, type: string): unknown => {
  if (text === '' || text.length > BODY_MAX) return null
  if (type.includes('form-urlencoded')) return Object.fromEntries(new URLSearchParams(text))
  try {
    const value: unknown = JSON.parse(text)
    return isNestedTooDeeply(value) ? text : value
  } catch {
    return text
  }
}

const answerBody = async ({ res }: Context): Promise<unknown> => {
  const type = res.headers.get('content-type') ?? ''
  const location = res.headers.get('location')
  if (res.body === null && location !== null) return { location }
  return res.body === null || type.includes('html')
    ? null
    : readable(await res.clone().text(), type)
}

const withoutCountdown = (answer: unknown): string =>
  JSON.stringify(answer, (name, value) => (name === 'expires_in' ? undefined : value))

/** The order that the demo shop has just placed. */
const orderRefIn = (answer: unknown): string | undefined =>
  typeof answer === 'object' && answer !== null && 'order_ref' in answer
    ? UUID.exec(String(answer.order_ref))?.[0]
    : undefined

export const recordRequests = (
  recorder: Recorder,
  clock: Clock,
  { monotonicNow }: Pick<Timers, 'monotonicNow'>,
): MiddlewareHandler => {
  const polls = new Map<string, string>()
  let inProgress = 0
  let pausedUntil = Number.NEGATIVE_INFINITY

  const isNews = (path: string, answer: unknown): boolean => {
    const text = withoutCountdown(answer)
    if (polls.get(path) === text) return false
    if (polls.size >= POLLS_REMEMBERED) polls.clear()
    polls.set(path, text)
    return true
  }

  return async (c, next) => {
    const { method, path } = c.req
    const isPoll = method === 'GET' && path.endsWith('/wait')
    if (!RECORDED.test(path) || !(isPoll || method === 'POST' || method === 'PUT')) return next()
    const at = clock.now()
    inProgress += 1
    const now = monotonicNow()
    if (inProgress > IN_PROGRESS_MAX) pausedUntil = now + PAUSE_MILLIS
    const isRecorded = now >= pausedUntil
    try {
      await next()
    } finally {
      inProgress -= 1
    }
    if (!isRecorded) return
    const answer = await answerBody(c)
    const orderRef =
      UUID.exec(path)?.[0] ??
      UUID.exec(c.res.headers.get('location') ?? '')?.[0] ??
      orderRefIn(answer)
    if (orderRef === undefined || (isPoll && !isNews(path, answer))) return
    if (ERASURE.test(path) && c.res.status < 400) return recorder.forget(orderRef)
    const body = readable(textThatWasRead(c.req.raw), c.req.header('content-type') ?? '')
    const received = { method, path, status: c.res.status, body, answer }
    const recorded = replacements.get(c.req.raw) ?? received
    recorder.record(orderRef, { type: 'request', ...recorded }, at)
  }
}
