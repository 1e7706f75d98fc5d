// Reads what a request carries: JSON objects, forms, uuids and Basic credentials. Contract §2.
import { utf8 } from '@plazo/adapters/http'
import { isJsonObject } from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { Context, MiddlewareHandler } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { problem, type RequestError, requestError } from './problem.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** Of what a body may hold, in KiB. Contract §2. */
export const KIB_OF_ORDERS = 1024
export const KIB_OF_OTHERS = 64

const CUT_SHORT = 'The body ended before it was complete.'

export const limitBody = (kib: number): MiddlewareHandler => {
  const maxSize = kib * 1024
  const refuse = (c: Context): Response =>
    problem(c, 413, `The body is larger than ${kib} KiB.`, { connection: 'close' })
  const counting = bodyLimit({ maxSize, onError: refuse })
  return async (c, next) => {
    const length = c.req.header('content-length')
    if (length !== undefined && c.req.header('transfer-encoding') === undefined)
      return Number(length) > maxSize ? refuse(c) : next()
    // A body of unknown length is counted as it comes, for which it must be read as a stream.
    try {
      return await counting(c, next)
    } catch {
      // Reading it is all that can fail here: what a handler throws is answered before it comes back.
      return problem(c, 400, CUT_SHORT)
    }
  }
}

export const uuidParam = (c: Context): E.Either<RequestError, string> => {
  const uuid = c.req.param('uuid') ?? ''
  return UUID.test(uuid) ? E.right(uuid.toLowerCase()) : E.left(requestError(404, 'There is no such order.'))
}

export type JsonObject = Readonly<Record<string, unknown>>

// No Content-Type at all is taken for JSON, as simple shop clients mean it.
export const saysJson = (c: Context): boolean => {
  const type = c.req.header('content-type')
  return type === undefined || type === '' || /^application\/([\w.+-]+\+)?json\s*(;|$)/i.test(type.trim())
}

/** The body as it came, for what is signed over its bytes. */
export const bodyBytes =
  (c: Context): TE.TaskEither<RequestError, Uint8Array> =>
  async () => {
    try {
      return E.right(new Uint8Array(await c.req.arrayBuffer()))
    } catch {
      return E.left(requestError(400, CUT_SHORT))
    }
  }

// What stands for bytes that are no UTF-8 is seldom as long as they were. Bytes are not decoded strictly in every case: reading
// them as bytes took a tenth of the first submissions.
const REPLACED = '\uFFFD'
const BYTE_ORDER_MARK = '\uFEFF'

/** Without its byte order mark. Null where it is no UTF-8: an é of another encoding would be another letter from then on. */
const bodyText = async ({ req }: Context): Promise<string | null> => {
  if (req.header('transfer-encoding') !== undefined) {
    const text = utf8(new Uint8Array(await req.arrayBuffer()))
    return text?.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text
  }
  const text = await req.text()
  if (!text.includes(REPLACED)) return text
  const dropped = Number(req.header('content-length')) - Buffer.byteLength(text)
  return dropped === 0 || dropped === Buffer.byteLength(BYTE_ORDER_MARK) ? text : null
}

export const jsonBody =
  (c: Context): TE.TaskEither<RequestError, JsonObject> =>
  async () => {
    if (!saysJson(c)) return E.left(requestError(415, 'The body must be application/json.'))
    try {
      const text = await bodyText(c)
      if (text === null) return E.left(requestError(400, 'The body must be JSON in UTF-8.'))
      const body: unknown = JSON.parse(text)
      return isJsonObject(body) ? E.right(body) : E.left(requestError(400, 'The body must be a JSON object.'))
    } catch {
      return E.left(requestError(400, 'The body must be a JSON object, and is not JSON.'))
    }
  }

/** The fields of a form; the last one of a name counts. */
export const formBody =
  (c: Context): TE.TaskEither<RequestError, Readonly<Record<string, string>>> =>
  async () => {
    const type = c.req.header('content-type') ?? ''
    if (!/^application\/x-www-form-urlencoded\s*(;|$)/i.test(type.trim()))
      return E.left(requestError(415, 'The body must be application/x-www-form-urlencoded.'))
    try {
      return E.right(Object.fromEntries(new URLSearchParams(await c.req.text())))
    } catch {
      return E.left(requestError(400, CUT_SHORT))
    }
  }

type Credentials = { readonly username: string; readonly password: string }

export const basicCredentials = (c: Context): Credentials | null => {
  const [, encoded] = /^basic\s+([A-Za-z0-9+/=_-]+)\s*$/i.exec(c.req.header('authorization') ?? '') ?? []
  if (encoded === undefined) return null
  const text = Buffer.from(encoded, 'base64').toString('utf8')
  const colon = text.indexOf(':')
  return colon < 0 ? null : { username: text.slice(0, colon), password: text.slice(colon + 1) }
}

// A preflight has an Origin by its nature, and is told which methods there are like anybody else.
const CHANGES_NOTHING = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE'])

/** A change asked for by a page of another origin is refused. Contract §2. */
export const ownOrigin =
  (baseUrl: string): MiddlewareHandler =>
  async (c, next) => {
    if (CHANGES_NOTHING.has(c.req.method)) return next()
    const site = c.req.header('sec-fetch-site')
    const origin = c.req.header('origin')
    const isForeign =
      (site !== undefined && site !== 'same-origin' && site !== 'none') ||
      (origin !== undefined && origin !== new URL(baseUrl).origin)
    return isForeign ? problem(c, 403, 'This is not taken from a page of another origin.') : next()
  }
