// Finds an order of the calling account. An order of another account is reported as not found. Contract §2.
import type { Host, Order } from '@plazo/core'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Context } from 'hono'
import type { MerchantAccess } from './merchant-access.ts'
import type { KnownError } from './problem.ts'
import { uuidParam } from './request.ts'

export type OrderAccess = (c: Context) => TE.TaskEither<KnownError, Order>

export const orderAccess =
  (host: Host, access: MerchantAccess): OrderAccess =>
  (c) =>
    pipe(
      access.merchant(c, null),
      TE.bindTo('merchant'),
      TE.bindW('orderRef', () => TE.fromEither(uuidParam(c))),
      TE.bindW('order', ({ orderRef }) => host.store.read(orderRef)),
      TE.filterOrElseW(
        ({ merchant, order }) => order.placed.merchant.account === merchant.username,
        () => ({ _tag: 'OrderNotFound' as const }),
      ),
      TE.map(({ order }) => order),
    )
