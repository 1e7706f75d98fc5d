// Records the requests about an order with their bodies, for the timeline of the sandbox: those of the frontend, the shop, the
// shopper's bank and the operator. A poll is recorded only if its answer differs from the one before.
import type { MiddlewareHandler } from 'hono'
import type { Recorder } from './recorder.ts'

const BODY_MAX = 64 * 1024

const RECORDED = /^\/(?:orders|api\/v1\/checkout|pay|verify|console\/orders|merchants\/[^/]+\/orders)(?:\/|$)/

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/

const POLLS_REMEMBERED = 1_000

/** JSON or a form as an object; any other text as it is. */
const bodyOf = async (message: Request | Response): Promise<unknown> => {
  const text = await message.text()
  if (text === '' || text.length > BODY_MAX) return null
  const type = message.headers.get('content-type') ?? ''
  if (type.includes('html')) return null
  if (type.includes('form-urlencoded')) return Object.fromEntries(new URLSearchParams(text))
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const withoutCountdown = (answer: unknown): string =>
  JSON.stringify(answer, (name, value) => (name === 'expires_in' ? undefined : value))

/** `merchantOf`: the merchant of an order, or null if it cannot be read. */
export const recordRequests = (
  recorder: Recorder,
  merchantOf: (orderRef: string) => Promise<string | null>,
): MiddlewareHandler => {
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
    const isRecorded = RECORDED.test(path) && (isPoll || method === 'POST' || method === 'PUT') && recorder.isOpen()
    const isShort = Number(c.req.header('content-length') ?? 0) <= BODY_MAX
    if (!isRecorded || !isShort) return next()
    const request = method === 'GET' ? null : c.req.raw.clone()
    await next()
    const orderRef = UUID.exec(path)?.[0] ?? UUID.exec(c.res.headers.get('location') ?? '')?.[0]
    if (orderRef === undefined) return
    const answer = await bodyOf(c.res.clone())
    if (isPoll && !isNews(path, answer)) return
    const [merchantRef, body] = await Promise.all([merchantOf(orderRef), request === null ? null : bodyOf(request)])
    if (merchantRef === null) return
    const { status } = c.res
    recorder.record(merchantRef, orderRef, { type: 'request', method, path, status, body, answer })
  }
}
