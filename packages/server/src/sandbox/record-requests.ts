// Records the requests about an order with their bodies, for the timeline of the sandbox: those of
// the frontend, the shop, the shopper's bank and the operator. A poll is recorded only if its
// answer differs from the one before.
import type { Clock } from '@plazo/core/ports'
import { isNestedTooDeeply } from '@plazo/core/protocol'
import type { Context, MiddlewareHandler } from 'hono'
import type { RecordedContent, Recorder } from './recorder.ts'
import { parseJson } from './redact.ts'

const BODY_MAX = 64 * 1024

const RECORDED =
  /^\/(?:orders|api\/v1\/checkout|pay|verify|console\/orders|merchants\/[^/]+\/orders)(?:\/|$)|^\/sandbox\/demo\/orders$/

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/

const POLLS_REMEMBERED = 1_000

type RecordedRequest = Extract<RecordedContent, { readonly type: 'request' }>

const RECORDED_AS = 'recordedAs'

/**
 * Records another request in place of the received one: the page's order as a shop's server would
 * place it.
 */
export const recordAs = (c: Context, request: Omit<RecordedRequest, 'type'>): void =>
  c.set(RECORDED_AS, request)

/**
 * JSON or a form as an object; any other text as it is. JSON that is nested too deeply to walk
 * through is shown as text.
 */
const readable = (text: string, type: string): unknown => {
  if (text === '' || text.length > BODY_MAX) return null
  if (type.includes('form-urlencoded')) return Object.fromEntries(new URLSearchParams(text))
  try {
    const value = parseJson(text)
    return isNestedTooDeeply(value) ? text : value
  } catch {
    return text
  }
}

/**
 * The body, if the route has read it. A refused request may still be sending its body, and nobody
 * waits for that.
 */
const requestBody = async ({ req }: Context): Promise<unknown> => {
  if (Object.keys(req.bodyCache).length === 0) return null
  return readable(await req.text().catch(() => ''), req.header('content-type') ?? '')
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

export const recordRequests = (recorder: Recorder, clock: Clock): MiddlewareHandler => {
  const polls = new Map<string, string>()

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
    const isShort = Number(c.req.header('content-length') ?? 0) <= BODY_MAX
    const isRecorded = await recorder.during(async () => {
      // Asked before the body is read, so that a request that is not recorded costs nothing.
      const isOpen = isShort && recorder.isOpen()
      await next()
      return isOpen
    })
    if (!isRecorded) return
    const answer = await answerBody(c)
    const orderRef =
      UUID.exec(path)?.[0] ??
      UUID.exec(c.res.headers.get('location') ?? '')?.[0] ??
      orderRefIn(answer)
    if (orderRef === undefined) return
    if (isPoll && !isNews(path, answer)) return
    const received = { method, path, status: c.res.status, body: await requestBody(c), answer }
    const recorded: Omit<RecordedRequest, 'type'> = c.get(RECORDED_AS) ?? received
    recorder.record(orderRef, { type: 'request', ...recorded }, at)
  }
}
