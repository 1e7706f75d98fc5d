// Merchants read their credentials and payment methods here. The credentials hold the secret that verifies signatures.
// Interface §4.3, contract §3.
import { type Credentials, languageOf, type Merchant, type PaymentMethods, paymentMethods } from '@plazo/core'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { Hono } from 'hono'
import type { MerchantAccess, OrderAccess } from '../http/access.ts'
import { acceptedLanguage } from '../http/request.ts'
import { type AnswerError, respond } from './answers.ts'

const credentials = ({ ref, name, country, currency, signatureSecret, sendActionEvents }: Merchant): Credentials => ({
  ref,
  name,
  country,
  currency,
  signature_secret: signatureSecret,
  verify_signature: true,
  options: { send_action_events_in_identification: sendActionEvents },
})

const PRIVATE = { 'cache-control': 'no-store' }

export const merchantRoutes = (access: MerchantAccess, answerError: AnswerError) =>
  new Hono()
    .get('/merchants/credentials', (c) =>
      respond(c, answerError, access.account(c), (merchants) => c.json(merchants.map(credentials), 200, PRIVATE)),
    )
    .get('/merchants/:ref/credentials', (c) =>
      respond(c, answerError, pipe(access.merchant(c, c.req.param('ref')), TE.map(credentials)), (own) =>
        c.json(own, 200, PRIVATE),
      ),
    )

/** Lists the payment methods that a shop may offer: those for an order, or all that the merchant has. Contract §3. */
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
