// Reads the bodies of requests. No client makes the server hold more of a body than its route
// accepts, and no body takes more than its share of the event loop's time. Contract §2.

import { isUtf8 } from 'node:buffer'
import { IncomingMessage } from 'node:http'
import { isJsonObject } from '@plazo/core/protocol'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Context, MiddlewareHandler } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import type * as t from 'io-ts'
import { takeTurn } from './event-loop.ts'
import { BODY_WAS_READ } from './prefix.ts'
import { problem, type RequestError, requestError } from './problem.ts'
import { decode } from './request.ts'

/** The largest body, in KiB. Contract §2. */
export const ORDER_KIB_MAX = 1024
export const BODY_KIB_MAX = 64

const INCOMPLETE_BODY = 'The body ended before it was complete.'

const incomingOf = (c: Context): IncomingMessage | null =>
  c.env?.incoming instanceof IncomingMessage ? c.env.incoming : null

export const limitBody = (kib = BODY_KIB_MAX): MiddlewareHandler => {
  const maxSize = kib * 1024
  const refuse = (c: Context): Response => problem(c, 413, `The body is larger than ${kib} KiB.`)
  const countBody = bodyLimit({ maxSize, onError: refuse })
  return async (c, next) => {
    if (incomingOf(c)?.readableDidRead) return problem(c, 400, BODY_WAS_READ)
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

/**
 * Reads the bytes from Node's own stream if nobody has begun to: through a `Request` it would cost
 * a first submission more than all its checks. Rejects if the body is not complete.
 */
const readBytes = async (c: Context): Promise<Uint8Array> => {
  const incoming = incomingOf(c)
  if (incoming === null || incoming.readableFlowing !== null || incoming.destroyed)
    return new Uint8Array(await c.req.arrayBuffer())
  const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>()
  const chunks: Buffer[] = []
  incoming.on('data', (chunk: Buffer) => void chunks.push(chunk))
  incoming.once('end', () => resolve(Buffer.concat(chunks)))
  incoming.once('error', reject)
  return promise
}

/** The raw body, for signatures over its bytes. */
export const bodyBytes = (c: Context): TE.TaskEither<RequestError, Uint8Array> =>
  TE.tryCatch(
    () => readBytes(c),
    () => requestError(400, INCOMPLETE_BODY),
  )

/**
 * A body with more characters gets its own turn of the event loop: parsing it takes up to 15 ms per
 * mebibyte, and so does judging it, which happens in another turn.
 */
const LONG_BODY_CHARS = 16 * 1024

const parseInTurn = async <A>(text: string, parse: (text: string) => A): Promise<A> => {
  if (text.length <= LONG_BODY_CHARS) return parse(text)
  await takeTurn()
  const body = parse(text)
  await takeTurn()
  return body
}

const readTexts = new WeakMap<Request, string>()

/** The text of the body that a route has read, JSON or a form. Empty: none has read it. */
export const textThatWasRead = (request: Request): string => readTexts.get(request) ?? ''

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

// Removes a byte order mark. An é in another encoding would become another letter, so that `isUtf8`
// checks the bytes.
const decoder = new TextDecoder()

export const jsonBody =
  (c: Context): TE.TaskEither<RequestError, JsonObject> =>
  async () => {
    if (!isJsonRequest(c)) return E.left(requestError(415, 'The body must be application/json.'))
    try {
      const bytes = await readBytes(c)
      const text = decoder.decode(bytes)
      readTexts.set(c.req.raw, text)
      if (!isUtf8(bytes)) return E.left(requestError(400, 'The body must be JSON in UTF-8.'))
      const body: unknown = await parseInTurn(text, JSON.parse)
      return isJsonObject(body)
        ? E.right(body)
        : E.left(requestError(400, 'The body must be a JSON object.'))
    } catch {
      return E.left(requestError(400, 'The body must be a JSON object, but is not valid JSON.'))
    }
  }

/** The JSON of a body, decoded. */
export const decodeJson = <A>(
  c: Context,
  codec: t.Decoder<unknown, A>,
): TE.TaskEither<RequestError, A> =>
  pipe(
    jsonBody(c),
    TE.chainEitherK((body) => decode(codec, body)),
  )

type FormFields = Readonly<Record<string, string>>

/**
 * The fields of a form that have one of these names. If a name occurs more than once, the last one
 * counts.
 */
export const formBody = (
  c: Context,
  names: readonly string[],
): TE.TaskEither<RequestError, FormFields> => {
  const type = c.req.header('content-type') ?? ''
  if (!/^application\/x-www-form-urlencoded\s*(;|$)/i.test(type.trim()))
    return TE.left(requestError(415, 'The body must be application/x-www-form-urlencoded.'))
  const readFields = (form: string): FormFields =>
    Object.fromEntries([...new URLSearchParams(form)].filter(([name]) => names.includes(name)))
  return TE.tryCatch(
    async () => {
      const text = await c.req.text()
      readTexts.set(c.req.raw, text)
      return parseInTurn(text, readFields)
    },
    () => requestError(400, INCOMPLETE_BODY),
  )
}
