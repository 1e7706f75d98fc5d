// Reads what a request says besides its body, and names what is wrong with it: uuids, credentials,
// languages and single values. Contract §2.
import { type Order, productForOrder } from '@plazo/core'
import {
  type CreditProduct,
  cutText,
  isNestedTooDeeply,
  LANGUAGES,
  type Language,
  languageOf,
  orderLanguage,
} from '@plazo/core/protocol'
import * as E from 'fp-ts/lib/Either.js'
import type { Context } from 'hono'
import { accepts } from 'hono/accepts'
import type * as t from 'io-ts'
import { HandlerError } from './answers.ts'
import { type RequestError, requestError } from './problem.ts'

export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** Throws a `HandlerError` if the path has no uuid. */
export const uuidParam = (c: Context): string => {
  const uuid = c.req.param('uuid') ?? ''
  if (UUID.test(uuid)) return uuid.toLowerCase()
  throw new HandlerError(requestError(404, 'Order not found.'))
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

/** Throws a `HandlerError` with the first error. */
export const decode = <A>(codec: t.Decoder<unknown, A>, value: unknown): A => {
  const decoded = codec.decode(value)
  if (E.isRight(decoded)) return decoded.right
  const [first] = decoded.left
  const { key = '', type } = first?.context.at(-1) ?? {}
  const name = key === '' ? 'The body' : key
  throw new HandlerError(invalidValue(name, first?.value, type?.name ?? 'something else'))
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
  throw new HandlerError(invalidValue(name, value, expected))
}
