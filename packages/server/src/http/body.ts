// Reads the bodies of requests. No client makes the server hold more of a body than its route
// accepts. Contract §2.
import { isUtf8 } from 'node:buffer'
import { isJsonObject } from '@plazo/core/protocol'
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

const refused = (status: RequestError['status'], detail: string): HandlerError =>
  new HandlerError(requestError(status, detail))

/** Rejects with a `HandlerError` if the body is larger, or cannot be read. */
export const limitBody = (kib = BODY_KIB_MAX): ((c: Context) => Promise<void>) => {
  const maxSize = kib * 1024
  const tooLarge = refused(413, `The body is larger than ${kib} KiB.`)
  const onError = () => Promise.reject(tooLarge)
  const countBody = bodyLimit({ maxSize, onError })
  return async (c) => {
    if (c.env?.incoming?.readableDidRead) throw refused(400, BODY_WAS_READ)
    // Hono would make a stream of every body, which costs more than all checks of a submission.
    const length = c.req.header('content-length')
    if (length !== undefined && c.req.header('transfer-encoding') === undefined) {
      if (Number(length) > maxSize) throw tooLarge
      return
    }
    await countBody(c, async () => {}).catch((cause: unknown) => {
      throw cause === tooLarge ? cause : refused(400, INCOMPLETE_BODY)
    })
  }
}

/** The raw body, for signatures over its bytes. */
export const bodyBytes = async (c: Context): Promise<Uint8Array> => {
  const bytes = await c.req.arrayBuffer().catch(() => null)
  if (bytes === null) throw refused(400, INCOMPLETE_BODY)
  return new Uint8Array(bytes)
}

const readTexts = new WeakMap<Request, string>()

/** The text of the body that a route has read, JSON or a form. Empty: none has read it. */
export const textThatWasRead = (request: Request): string => readTexts.get(request) ?? ''

// Removes a byte order mark.
const decoder = new TextDecoder()

const readText = (c: Context, bytes: Uint8Array): string => {
  const text = decoder.decode(bytes)
  readTexts.set(c.req.raw, text)
  return text
}

export type JsonObject = Readonly<Record<string, unknown>>

// A missing Content-Type counts as JSON, as simple shop clients mean it.
export const isJsonRequest = (c: Context): boolean =>
  /^(application\/([\w.+-]+\+)?json\s*(;|$)|$)/i.test((c.req.header('content-type') ?? '').trim())

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    throw refused(400, 'The body must be a JSON object, but is not valid JSON.')
  }
}

export const jsonBody = async (c: Context): Promise<JsonObject> => {
  if (!isJsonRequest(c)) throw refused(415, 'The body must be application/json.')
  const bytes = await bodyBytes(c)
  const text = readText(c, bytes)
  // The decoder would make another letter of an é in another encoding.
  if (!isUtf8(bytes)) throw refused(400, 'The body must be JSON in UTF-8.')
  const body = parseJson(text)
  if (!isJsonObject(body)) throw refused(400, 'The body must be a JSON object.')
  return body
}

/** The JSON of a body, decoded. */
export const decodeJson = async <A>(c: Context, codec: t.Decoder<unknown, A>): Promise<A> =>
  decode(codec, await jsonBody(c))

/**
 * The fields of a form that have one of these names. If a name occurs more than once, the last one
 * counts.
 */
export const formBody = async (
  c: Context,
  names: readonly string[],
): Promise<Readonly<Record<string, string>>> => {
  const type = c.req.header('content-type') ?? ''
  if (!/^application\/x-www-form-urlencoded\s*(;|$)/i.test(type.trim()))
    throw refused(415, 'The body must be application/x-www-form-urlencoded.')
  const fields = new URLSearchParams(readText(c, await bodyBytes(c)))
  return Object.fromEntries([...fields].filter(([name]) => names.includes(name)))
}
