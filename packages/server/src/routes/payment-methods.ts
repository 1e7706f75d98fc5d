// Lists the payment methods that a shop may offer: those for an order, or all that the merchant has. Contract §3.
import { languageOf, type PaymentMethods, paymentMethods } from '@plazo/core'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { Hono } from 'hono'
import { acceptedLanguage } from '../accepted-language.ts'
import type { MerchantAccess } from '../merchant-access.ts'
import type { OwnOrder } from '../own-order.ts'
import { type AnswerError, answering } from './answers.ts'

export const paymentMethodRoutes = (access: MerchantAccess, ownOrder: OwnOrder, answerError: AnswerError) =>
  new Hono()
    .get('/orders/:uuid/payment_methods', (c) =>
      answering(c, answerError, ownOrder(c), ({ placed: { merchant, total, language } }) =>
        c.json(paymentMethods(merchant.products, total, languageOf(language)) satisfies PaymentMethods),
      ),
    )
    .get('/merchants/:ref/payment_methods', (c) =>
      answering(
        c,
        answerError,
        pipe(
          access.merchant(c, c.req.param('ref')),
          TE.map(({ products }) => paymentMethods(products, null, acceptedLanguage(c))),
        ),
        (methods) => c.json(methods satisfies PaymentMethods, 200, { vary: 'Accept-Language' }),
      ),
    )
