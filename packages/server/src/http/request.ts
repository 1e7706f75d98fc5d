// Reads what a request carries, and names what is wrong with it: bodies, fields, uuids and
// credentials. Contract §2.
import { isUtf8 } from 'node:buffer'
import { IncomingMessage } from 'node:http'
import { decodeUtf8 } from '@plazo/adapters/http'
import {
  type CreditProduct,
  cutText,
  isJsonObject,
  isNestedTooDeeply,
  LANGUAGES,
  type Language,
  languageOf,
  type Order,
  orderLanguage,
  productForOrder,
} from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Context, MiddlewareHandler } from 'hono'
import { accepts } from 'hono/accepts'
import { bodyLimit } from 'hono/body-limit'
import type * as t from 'io-ts'
import { yieldToEventLoop } from './chunked-json.ts'
import { concurrencyLimit } from './limits/concurrency-limit.ts'
import { BODY_WAS_READ } from './prefix.ts'
import { problem, type RequestError, requestError } from './problem.ts'

export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** The largest body, in KiB. Contract §2. */
export const ORDER_KIB_MAX = 1024
export const BODY_KIB_MAX = 64

/**
 * A body with more characters gets its own turn of the event loop: parsing and judging it takes up
 * to 15 ms per mebibyte.
 */
const LONG_BODY_CHARS = 16 * 1024

// Only one long body is parsed or judged in a turn of the event loop: a hundred of them at once
// would keep everybody else waiting for seconds. A process has one event loop, so one queue is
// enough. The bodies are complete by then, so that no slow client holds up the others.
const longBodies = concurrencyLimit({ maxConcurrent: 1, maxWaiting: Number.POSITIVE_INFINITY })

// Promises hold only the part that is kept. The promises of a request that has waited are old
// objects. What old objects hold survives collections of young objects, even if the old objects are
// garbage: each collection would copy dozens of such bodies.
const readInTurn = async <A>(text: string, read: (text: string) => A): Promise<A> => {
  if (text.length <= LONG_BODY_CHARS) return read(text)
  const release = await longBodies.acquire('')
  try {
    const body = read(text)
    await yieldToEventLoop()
    return body
  } finally {
    // Runs after everything else in this turn.
    setImmediate(() => release?.())
  }
}

const INCOMPLETE_BODY = 'The body ended before it was complete.'

export const limitBody = (kib = BODY_KIB_MAX): MiddlewareHandler => {
  const maxSize = kib * 1024
  const refuse = (c: Context): Response =>
    problem(c, 413, `The body is larger than ${kib} KiB.`, { connection: 'close' })
  const countBody = bodyLimit({ maxSize, onError: refuse })
  return async (c, next) => {
    const incoming: unknown = c.env?.incoming
    if (incoming instanceof IncomingMessage && incoming.readableDidRead)
      return problem(c, 400, BODY_WAS_READ)
    const length = c.req.header('content-length')
    if (length !== undefined && c.req.header('transfer-encoding') === undefined)
      return Number(length) > maxSize ? refuse(c) : next()
    // A body of unknown length is counted as it comes, so it must be read as a stream.
    try {
      return await countBody(c, next)
    } catch {
      // Only reading can fail here: an error from a handler is answered before it gets here.
      return problem(c, 400, INCOMPLETE_BODY)
    }
  }
}

export const uuidParam = (c: Context): E.Either<RequestError, string> => {
  const uuid = c.req.param('uuid') ?? ''
  return UUID.test(uuid)
    ? E.right(uuid.toLowerCase())
    : E.left(requestError(404, 'Order not found.'))
}

export type JsonObject = Readonly<Record<string, unknown>>

// A missing Content-Type counts as JSON, as simple shop clients mean it.
export const isJsonRequest = (c: Context): boolean => {
  const type = c.req.header('content-type')
  return (
    type === undefined ||
    type === '' ||
    /^application\/([\w.+-]+\+)?json\s*(;|$)/i.test(type.trim())
  )
}

/** The raw body, for signatures over its bytes. */
export const bodyBytes = (c: Context): TE.TaskEither<RequestError, Uint8Array> =>
  TE.tryCatch(
    async () => new Uint8Array(await c.req.arrayBuffer()),
    () => requestError(400, INCOMPLETE_BODY),
  )

// The decoder writes this in place of bytes that are not UTF-8. A client may also send it, as EF BF
// BD.
const REPLACEMENT = '\uFFFD'
const BYTE_ORDER_MARK = '\uFEFF'

/**
 * The text of a body, without its byte order mark. Null if it is not UTF-8: an é in another
 * encoding would become another letter.
 *
 * Only a text with a U+FFFD can have lost anything, and only then are its bytes checked. Reading
 * every body as bytes costs a tenth of the first submissions. Comparing lengths is not enough: a
 * truncated F0 9F 98 is as long as its replacement.
 */
const bodyText = async ({ req, env }: Context): Promise<string | null> => {
  const incoming: unknown = env?.incoming
  if (!(incoming instanceof IncomingMessage) || req.header('transfer-encoding') !== undefined) {
    const text = decodeUtf8(new Uint8Array(await req.arrayBuffer()))
    return text?.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text
  }
  // References to the chunks that `text` is about to read, not copies.
  const chunks: Buffer[] = []
  incoming.on('data', (chunk: Buffer) => void chunks.push(chunk))
  const text = await req.text()
  return !text.includes(REPLACEMENT) || isUtf8(Buffer.concat(chunks)) ? text : null
}

/** `select` selects the part that is needed. Default: all of it. */
export const jsonBody =
  (
    c: Context,
    select = (body: JsonObject): JsonObject => body,
  ): TE.TaskEither<RequestError, JsonObject> =>
  async () => {
    if (!isJsonRequest(c)) return E.left(requestError(415, 'The body must be application/json.'))
    try {
      const text = await bodyText(c)
      if (text === null) return E.left(requestError(400, 'The body must be JSON in UTF-8.'))
      const body = await readInTurn(text, (json) => {
        const read: unknown = JSON.parse(json)
        return isJsonObject(read) ? select(read) : null
      })
      return body !== null
        ? E.right(body)
        : E.left(requestError(400, 'The body must be a JSON object.'))
    } catch {
      return E.left(requestError(400, 'The body must be a JSON object, but is not valid JSON.'))
    }
  }

/**
 * The fields of a form that have one of these names. If a name occurs more than once, the last one
 * counts.
 */
export const formBody = (
  c: Context,
  names: readonly string[],
): TE.TaskEither<RequestError, Readonly<Record<string, string>>> => {
  const type = c.req.header('content-type') ?? ''
  if (!/^application\/x-www-form-urlencoded\s*(;|$)/i.test(type.trim()))
    return TE.left(requestError(415, 'The body must be application/x-www-form-urlencoded.'))
  const readFields = (form: string) =>
    Object.fromEntries([...new URLSearchParams(form)].filter(([name]) => names.includes(name)))
  return TE.tryCatch(
    async () => readInTurn(await c.req.text(), readFields),
    () => requestError(400, INCOMPLETE_BODY),
  )
}

export const basicCredentials = (c: Context) => {
  const [, encoded] =
    /^basic\s+([A-Za-z0-9+/=_-]+)\s*$/i.exec(c.req.header('authorization') ?? '') ?? []
  if (encoded === undefined) return null
  const text = Buffer.from(encoded, 'base64').toString('utf8')
  const colon = text.indexOf(':')
  return colon < 0 ? null : { username: text.slice(0, colon), password: text.slice(colon + 1) }
}

const hasTexts = (tag: string): boolean => languageOf(tag) === tag.toLowerCase().split('-')[0]

/**
 * Picks the caller's preferred language among those that have texts, for answers where no order
 * names a language. `country`: the merchant's.
 */
export const acceptedLanguage = (c: Context, country: string | null = null): Language =>
  languageOf(
    accepts(c, {
      header: 'Accept-Language',
      supports: [...LANGUAGES],
      default: 'en',
      match: (accepted, { default: otherwise }) =>
        accepted
          .map(({ type, q }) => ({ tag: orderLanguage(type, country) ?? '', q }))
          .filter(({ tag, q }) => q > 0 && hasTexts(tag))
          .sort((a, b) => b.q - a.q)[0]?.tag ?? otherwise,
    }),
  )

const quote = (value: unknown): string =>
  isNestedTooDeeply(value)
    ? 'nested too deeply to be shown'
    : cutText(JSON.stringify(value ?? null), 80)

export const invalidValue = (name: string, value: unknown, expected: string): RequestError =>
  requestError(400, `${name} is ${quote(value)}, but must be ${expected}.`)

/** The first error becomes a problem. */
export const decode = <A>(
  codec: t.Decoder<unknown, A>,
  value: unknown,
): E.Either<RequestError, A> =>
  pipe(
    codec.decode(value),
    E.mapLeft(([first]) => {
      const { key = '', type } = first?.context.at(-1) ?? {}
      return invalidValue(
        key === '' ? 'The body' : key,
        first?.value,
        type?.name ?? 'something else',
      )
    }),
  )

/** The JSON of a body, decoded. */
export const decodeJson = <A>(
  c: Context,
  codec: t.Decoder<unknown, A>,
): TE.TaskEither<RequestError, A> =>
  pipe(
    jsonBody(c),
    TE.chainEitherK((body) => decode(codec, body)),
  )

/**
 * Reads the product that a query names, among those of the order. Default: its current product.
 * Contract §3.
 */
export const readProduct =
  (c: Context, name: string) =>
  (order: Order): E.Either<RequestError, CreditProduct> => {
    const value = c.req.query(name) ?? ''
    return pipe(
      productForOrder(order, value === '' ? null : value),
      E.mapLeft(({ offered }) =>
        invalidValue(name, value, `a product of this order: ${offered.join(', ')}`),
      ),
    )
  }
