// Keeps the last requests about orders and the last answers of providers for the timelines, in memory
// only: they hold what shoppers typed. Sandbox rules, Timeline.
import { passesLuhn } from '@plazo/adapters/internal/sandbox'
import {
  type Clock,
  type EffectKind,
  isNestedTooDeeply,
  mapProviderCalls,
  type ProviderRequest,
  type Providers,
  reply,
} from '@plazo/core/internal'
import { textThatWasRead } from '@plazo/server/internal'
import * as E from 'fp-ts/lib/Either.js'
import type { Context, MiddlewareHandler } from 'hono'

/** `effect`: its kind, such as `screening` or `sms`. */
export type RecordedContent =
  | {
      readonly type: 'request'
      readonly method: string
      readonly path: string
      readonly status: number
      readonly body: unknown
      readonly answer: unknown
    }
  | { readonly type: 'provider'; readonly effect: string; readonly answer: unknown }

/** `at`: when it began, domain time. */
export type RecordedEntry = {
  readonly id: number
  readonly orderRef: string
  readonly at: number
  readonly content: RecordedContent
}

export type Recorder = ReturnType<typeof createRecorder>

// At most 16 million characters.
const ENTRIES_MAX = 1_000
const CONTENT_CHARS_MAX = 16 * 1024

export const createRecorder = (clock: Clock) => {
  let entries: readonly RecordedEntry[] = []
  // No id of an earlier process comes again.
  let lastId = clock.now()

  return {
    record: (orderRef: string, recorded: RecordedContent, at = clock.now()): void => {
      // Redaction keeps the shape.
      const content = redact(recorded) as RecordedContent
      if (JSON.stringify(content).length > CONTENT_CHARS_MAX) return
      lastId += 1
      entries = [...entries.slice(-ENTRIES_MAX + 1), { id: lastId, orderRef, at, content }]
    },
    lastId: () => lastId,
    /** Those of an order, oldest first. */
    list: (orderRef: string): readonly RecordedEntry[] =>
      entries.filter((entry) => entry.orderRef === orderRef),
    /** The order's shopper was erased. */
    forget: (orderRef: string): void => {
      entries = entries.filter((entry) => entry.orderRef !== orderRef)
    },
  }
}

const SECRET =
  /passw|passphrase|secret|token|credential|authori[sz]|cookie|cvc|cvv|(?:card|security)[ _-]?code|api[ _-]?key/i

// Not within a longer word or number, such as a uuid.
const DIGITS = /(?<![\w-])\d(?:[ -]?\d){12,18}(?![\w-])/g

const redactText = (text: string): string =>
  text.replaceAll(DIGITS, (found) => {
    const digits = found.replaceAll(/\D/g, '')
    return passesLuhn(digits) ? `•••• ${digits.slice(-4)}` : found
  })

/**
 * People type real cards and passwords into a sandbox by mistake. A field with the name of a secret is
 * hidden, and a card number shows its last four digits.
 */
export const redact = (value: unknown): unknown => {
  if (typeof value === 'string') return redactText(value)
  if (typeof value === 'number') {
    const text = redactText(String(value))
    return text === String(value) ? value : text
  }
  if (Array.isArray(value)) return value.map(redact)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      redactText(name),
      SECRET.test(name) ? '[hidden]' : redact(member),
    ]),
  )
}

/**
 * Records the answers. It leaves out the requests: they hold the shopper's data, which the timeline
 * already has in the shopper's own request.
 */
export const recordProviders = (recorder: Recorder, providers: Providers): Providers =>
  mapProviderCalls(providers, (call) => (request) => async () => {
    const answered = await call(request)()
    const answer = E.isLeft(answered) ? reply({ error: answered.left.message }) : answered.right
    // Asking again later is not an answer.
    if (answer.type === 'answer') {
      const { orderRef, payload }: ProviderRequest<EffectKind> = request
      recorder.record(orderRef, { type: 'provider', effect: payload.kind, answer: answer.value })
    }
    return answered
  })

// A person at a browser, or a test of a shop, has fewer requests in progress. Under the load of more,
// nobody reads a timeline, so nothing is recorded for a while.
const IN_PROGRESS_MAX = 24
const PAUSE_MILLIS = 1_000

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/

/** JSON or a form as an object. Other text, and JSON that is nested too deeply, as it is. */
const readable = (text: string, type = ''): unknown => {
  if (text === '' || text.length > CONTENT_CHARS_MAX) return null
  if (type.includes('form-urlencoded')) return Object.fromEntries(new URLSearchParams(text))
  try {
    const value: unknown = JSON.parse(text)
    return isNestedTooDeeply(value) ? text : value
  } catch {
    return text
  }
}

const answerBody = async ({ res }: Context): Promise<unknown> => {
  const location = res.headers.get('location')
  if (res.body === null) return location === null ? null : { location }
  return /html|event-stream/.test(res.headers.get('content-type') ?? '')
    ? null
    : readable(await res.clone().text())
}

const withoutCountdown = (answer: unknown): string =>
  JSON.stringify(answer, (name, value) => (name === 'expires_in' ? undefined : value))

/**
 * Records the requests that name an order, with their bodies: those of the frontend, the shop, the
 * shopper's bank and the operator. A poll is recorded only if its answer differs from the one before.
 */
export const recordRequests = (recorder: Recorder, clock: Clock): MiddlewareHandler => {
  let inProgress = 0
  let pausedUntil = 0

  const isNews = (orderRef: string, answer: unknown): boolean => {
    const last = recorder
      .list(orderRef)
      .findLast(({ content }) => content.type === 'request' && content.method === 'GET')
    return withoutCountdown(last?.content.answer) !== withoutCountdown(redact(answer))
  }

  return async (c, next) => {
    const { method, path } = c.req
    const isPoll = method === 'GET' && path.endsWith('/wait')
    if (!isPoll && method !== 'POST' && method !== 'PUT') return next()
    const at = clock.now()
    const now = performance.now()
    inProgress += 1
    if (inProgress > IN_PROGRESS_MAX) pausedUntil = now + PAUSE_MILLIS
    await next().finally(() => {
      inProgress -= 1
    })
    // The headers of an answer are built when they are read.
    if (now < pausedUntil) return
    const [orderRef] = UUID.exec(`${path} ${c.res.headers.get('location') ?? ''}`) ?? []
    if (orderRef === undefined) return
    // The operator's call, and the form of the console.
    if (/\/(?:erasure|erase)$/.test(path) && c.res.status < 400) return recorder.forget(orderRef)
    const answer = await answerBody(c)
    if (isPoll && !isNews(orderRef, answer)) return
    const { status } = c.res
    const body = readable(textThatWasRead(c.req.raw), c.req.header('content-type'))
    recorder.record(orderRef, { type: 'request', method, path, status, body, answer }, at)
  }
}
