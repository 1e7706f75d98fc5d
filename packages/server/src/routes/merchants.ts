// Merchants read their credentials and payment methods here. The credentials hold the secret that verifies signatures.
// Interface §4.3, contract §3.
import {
  type Credentials,
  languageOf,
  type Merchant,
  type Order,
  type PaymentMethods,
  paymentMethods,
} from '@plazo/core'
import { pipe } from 'fp-ts/lib/function.js'
import * as RA from 'fp-ts/lib/ReadonlyArray.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { Hono } from 'hono'
import { acceptedLanguage } from '../http/request.ts'
import { respondJson } from './answers.ts'
import type { Services } from './services.ts'

const credentials = ({ ref, name, country, currency, signatureSecret, sendActionEvents }: Merchant): Credentials => ({
  ref,
  name,
  country,
  currency,
  signature_secret: signatureSecret,
  verify_signature: true,
  options: { send_action_events_in_identification: sendActionEvents },
})

export const merchantRoutes = ({ access, respond }: Services) =>
  new Hono()
    .get('/merchants/credentials', (c) => pipe(access.account(c), TE.map(RA.map(credentials)), respond(c)))
    .get('/merchants/:ref/credentials', (c) =>
      pipe(access.merchant(c, c.req.param('ref')), TE.map(credentials), respond(c)),
    )

const methodsOfOrder = ({ placed: { merchant, total, language } }: Order): PaymentMethods =>
  paymentMethods(merchant.products, total, languageOf(language))

/** Lists the payment methods that a shop may offer: those for an order, or all that the merchant has. Contract §3. */
export const paymentMethodRoutes = ({ access, ownOrder, respond }: Services) =>
  new Hono()
    .get('/orders/:uuid/payment_methods', (c) => pipe(ownOrder(c), TE.map(methodsOfOrder), respond(c)))
    .get('/merchants/:ref/payment_methods', (c) =>
      pipe(
        access.merchant(c, c.req.param('ref')),
        TE.map(({ products }): PaymentMethods => paymentMethods(products, null, acceptedLanguage(c))),
        respond(c, respondJson(c, { vary: 'Accept-Language' })),
      ),
    )
