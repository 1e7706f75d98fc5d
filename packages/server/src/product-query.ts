// Reads the product that a query names, among those that the order may have. Contract §3.
import { type CreditProduct, type Order, productForOrder } from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { Context } from 'hono'
import { invalidValue } from './decoded.ts'
import type { RequestError } from './problem.ts'

/** If the parameter is absent or empty: the order's current product. */
export const readProduct =
  (c: Context, name: string) =>
  (order: Order): E.Either<RequestError, CreditProduct> => {
    const given = c.req.query(name) ?? ''
    return pipe(
      productForOrder(order, given === '' ? null : given),
      E.mapLeft(({ offered }) => invalidValue(name, given, `a product of this order: ${offered.join(', ')}`)),
    )
  }
