// Reads requests, and names what is wrong with them. No client makes the server hold more of a body
// than its route accepts. Contract §2.
import { isUtf8 } from 'node:buffer'
import { setImmediate as endOfTurn } from 'node:timers/promises'
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
} from '@plazo/core/internal'
import * as E from 'fp-ts/lib/Either.js'
import type { Context } from 'hono'
import { accepts } from 'hono/accepts'
import type * as t from 'io-ts'
import { HandlerError, refused } from './problem.ts'

/** The largest body, in KiB. Contract §2. */
export const ORDER_KIB_MAX = 1024
export const BODY_KIB_MAX = 64

export const BODY_WAS_READ =
  'The body was read before plazo got the request, for example by express.json(). Mount plazo before every body parser.'

const throwIfTooLong = (bytes: number, kibMax = BODY_KIB_MAX): void => {
  if (bytes > kibMax * 1024) throw refused(413, `The body is larger than ${kibMax} KiB.`)
}

/**
 * Throws a `HandlerError` if a body was read before, or announces more bytes. It runs before anything
 * is awaited, because a request that a host has copied reads ahead.
 */
export const checkBody = (c: Context, kibMax?: number): void => {
  const hasBody = !['GET', 'HEAD'].includes(c.req.method)
  if (hasBody && c.env?.incoming?.readableDidRead) throw refused(400, BODY_WAS_READ)
  throwIfTooLong(Number(c.req.header('content-length')), kibMax)
}

// The process has one event loop. Handling a long body blocks it for up to 20 ms, so other requests
// get a turn before the next one.
let longBodies: Promise<unknown> = Promise.resolve()

/** The raw body, whose announced length was checked. Rejects with a `HandlerError` if it cannot be read. */
export const bodyBytes = async (c: Context, kibMax = BODY_KIB_MAX): Promise<Uint8Array> => {
  const hasLength = c.req.header('content-length') !== undefined
  const bytes = await readBytes(c.req.raw, hasLength, kibMax).catch((cause: unknown) => {
    if (cause instanceof HandlerError) throw cause
    throw refused(400, 'The body ended before it was complete.')
  })
  if (bytes.length > BODY_KIB_MAX * 1024) {
    longBodies = longBodies.then(() => endOfTurn())
    await longBodies
  }
  return bytes
}

// Hono's limit would make a stream of every body, which costs more than all checks of a submission.
const readBytes = async (request: Request, hasLength: boolean, kibMax: number) => {
  if (hasLength) return new Uint8Array(await request.arrayBuffer())
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of request.body ?? []) {
    size += chunk.length
    throwIfTooLong(size, kibMax)
    chunks.push(chunk)
  }
  return new Uint8Array(Buffer.concat(chunks))
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
const JSON_TYPE = /^(application\/([\w.+-]+\+)?json\s*(;|$)|$)/i

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    throw refused(400, 'The body must be a JSON object, but is not valid JSON.')
  }
}

/** The raw body of JSON, for signatures over its bytes. */
export const jsonBytes = async (c: Context, kibMax?: number): Promise<Uint8Array> => {
  if (!JSON_TYPE.test((c.req.header('content-type') ?? '').trim()))
    throw refused(415, 'The body must be application/json.')
  return bodyBytes(c, kibMax)
}

export const jsonBody = async (c: Context, kibMax?: number): Promise<JsonObject> => {
  const bytes = await jsonBytes(c, kibMax)
  const text = readText(c, bytes)
  // The decoder would make another letter of an é in another encoding.
  if (!isUtf8(bytes)) throw refused(400, 'The body must be JSON in UTF-8.')
  const body = parseJson(text)
  if (!isJsonObject(body)) throw refused(400, 'The body must be a JSON object.')
  return body
}

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

export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

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

export const invalidValue = (name: string, value: unknown, expected: string): HandlerError =>
  refused(400, `${name} is ${quote(value)}, but must be ${expected}.`)

/** Throws a `HandlerError` with the first error. */
export const decode = <A>(codec: t.Decoder<unknown, A>, value: unknown): A => {
  const decoded = codec.decode(value)
  if (E.isRight(decoded)) return decoded.right
  const [first] = decoded.left
  const { key = '', type } = first?.context.at(-1) ?? {}
  const name = key === '' ? 'The body' : key
  throw invalidValue(name, first?.value, type?.name ?? 'something else')
}

/**
 * Reads the product that a query names, among those of the order. Default: its current product.
 * Throws a `HandlerError` for another. Contract §3.
 */
export const readProduct = (c: Context, name: string, order: Order): CreditProduct => {
  const value = c.req.query(name) ?? ''
  const product = productForOrder(order, value === '' ? null : value)
  if (E.isRight(product)) return product.right
  const expected = `a product of this order: ${product.left.offered.join(', ')}`
  throw invalidValue(name, value, expected)
}
