// Reads the bodies of requests. No client makes the server hold more of a body than its route
// accepts. Contract §2.
import { isUtf8 } from 'node:buffer'
import { isJsonObject } from '@plazo/core/protocol'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Context } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import type * as t from 'io-ts'
import { HandlerError } from './answers.ts'
import { BODY_WAS_READ } from './prefix.ts'
import { type RequestError, requestError } from './problem.ts'
import { decode } from './request.ts'

/** The largest body, in KiB. Contract §2. */
export const ORDER_KIB_MAX = 1024
export const BODY_KIB_MAX = 64

const INCOMPLETE_BODY = 'The body ended before it was complete.'

/** Rejects with a `HandlerError` if the body is larger, or cannot be read. */
export const limitBody = (kib = BODY_KIB_MAX): ((c: Context) => Promise<void>) => {
  const maxSize = kib * 1024
  const tooLarge = new HandlerError(requestError(413, `The body is larger than ${kib} KiB.`))
  const onError = () => Promise.reject(tooLarge)
  const countBody = bodyLimit({ maxSize, onError })
  return async (c) => {
    if (c.env?.incoming?.readableDidRead) throw new HandlerError(requestError(400, BODY_WAS_READ))
    // Hono would make a stream of every body, which costs more than all checks of a submission.
    const length = c.req.header('content-length')
    if (length !== undefined && c.req.header('transfer-encoding') === undefined) {
      if (Number(length) > maxSize) throw tooLarge
      return
    }
    await countBody(c, async () => {}).catch((cause: unknown) => {
      throw cause === tooLarge ? cause : new HandlerError(requestError(400, INCOMPLETE_BODY))
    })
  }
}

/** The raw body, for signatures over its bytes. */
export const bodyBytes = (c: Context): TE.TaskEither<RequestError, Uint8Array> =>
  TE.tryCatch(
    async () => new Uint8Array(await c.req.arrayBuffer()),
    () => requestError(400, INCOMPLETE_BODY),
  )

const readTexts = new WeakMap<Request, string>()

/** The text of the body that a route has read, JSON or a form. Empty: none has read it. */
export const textThatWasRead = (request: Request): string => readTexts.get(request) ?? ''

// Removes a byte order mark. An é in another encoding would become another letter, so that `isUtf8`
// checks the bytes.
const decoder = new TextDecoder()

const readText = (c: Context) => (bytes: Uint8Array) => {
  const text = decoder.decode(bytes)
  readTexts.set(c.req.raw, text)
  return text
}

export type JsonObject = Readonly<Record<string, unknown>>

// A missing Content-Type counts as JSON, as simple shop clients mean it.
export const isJsonRequest = (c: Context): boolean =>
  /^(application\/([\w.+-]+\+)?json\s*(;|$)|$)/i.test((c.req.header('content-type') ?? '').trim())

const parseObject = (text: string): E.Either<RequestError, JsonObject> => {
  try {
    const body: unknown = JSON.parse(text)
    if (isJsonObject(body)) return E.right(body)
    return E.left(requestError(400, 'The body must be a JSON object.'))
  } catch {
    return E.left(requestError(400, 'The body must be a JSON object, but is not valid JSON.'))
  }
}

export const jsonBody = (c: Context): TE.TaskEither<RequestError, JsonObject> =>
  isJsonRequest(c)
    ? pipe(
        bodyBytes(c),
        TE.chainEitherK((bytes) => {
          const text = readText(c)(bytes)
          return isUtf8(bytes)
            ? parseObject(text)
            : E.left(requestError(400, 'The body must be JSON in UTF-8.'))
        }),
      )
    : TE.left(requestError(415, 'The body must be application/json.'))

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
  return pipe(
    bodyBytes(c),
    TE.map((bytes) =>
      Object.fromEntries(
        [...new URLSearchParams(readText(c)(bytes))].filter(([name]) => names.includes(name)),
      ),
    ),
  )
}
