// Decodes the contents of a request with their codecs, and turns the first error into a problem.
import { type CreditProduct, isNestedTooDeeply, type Order, productForOrder } from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { Context } from 'hono'
import type * as t from 'io-ts'
import { type RequestError, requestError } from './problem.ts'

const quote = (value: unknown): string =>
  isNestedTooDeeply(value) ? 'nested too deeply to be shown' : JSON.stringify(value ?? null).slice(0, 80)

export const invalidValue = (name: string, value: unknown, expected: string): RequestError =>
  requestError(400, `${name} is ${quote(value)}, but must be ${expected}.`)

export const decode = <A>(codec: t.Decoder<unknown, A>, value: unknown): E.Either<RequestError, A> =>
  pipe(
    codec.decode(value),
    E.mapLeft(([first]) => {
      const { key = '', type } = first?.context.at(-1) ?? {}
      return invalidValue(key === '' ? 'The body' : key, first?.value, type?.name ?? 'something else')
    }),
  )

/**
 * Reads the product that a query names, among those that the order may have. If the parameter is absent or empty: the order's
 * current product. Contract §3.
 */
export const readProduct =
  (c: Context, name: string) =>
  (order: Order): E.Either<RequestError, CreditProduct> => {
    const given = c.req.query(name) ?? ''
    return pipe(
      productForOrder(order, given === '' ? null : given),
      E.mapLeft(({ offered }) => invalidValue(name, given, `a product of this order: ${offered.join(', ')}`)),
    )
  }
