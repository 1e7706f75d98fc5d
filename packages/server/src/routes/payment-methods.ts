// Lists the payment methods that a shop may offer: those for an order, or all that the merchant has. Contract §3.
import { languageOf, type PaymentMethods, paymentMethods } from '@plazo/core'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { Hono } from 'hono'
import { acceptedLanguage } from '../accepted-language.ts'
import type { MerchantAccess } from '../merchant-access.ts'
import type { OrderAccess } from '../own-order.ts'
import { type AnswerError, respond } from './answers.ts'

export const paymentMethodRoutes = (access: MerchantAccess, ownOrder: OrderAccess, answerError: AnswerError) =>
  new Hono()
    .get('/orders/:uuid/payment_methods', (c) =>
      respond(c, answerError, ownOrder(c), ({ placed: { merchant, total, language } }) =>
        c.json(paymentMethods(merchant.products, total, languageOf(language)) satisfies PaymentMethods),
      ),
    )
    .get('/merchants/:ref/payment_methods', (c) =>
      respond(
        c,
        answerError,
        pipe(
          access.merchant(c, c.req.param('ref')),
          TE.map(({ products }) => paymentMethods(products, null, acceptedLanguage(c))),
        ),
        (methods) => c.json(methods satisfies PaymentMethods, 200, { vary: 'Accept-Language' }),
      ),
    )
