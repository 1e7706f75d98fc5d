// Merchants read their credentials and payment methods here. The credentials hold the secret that verifies signatures.
// Interface §4.3, contract §3.
import { type Credentials, languageOf, type Merchant, type PaymentMethods, paymentMethods } from '@plazo/core'
import { pipe } from 'fp-ts/lib/function.js'
import { Hono } from 'hono'
import { acceptedLanguage } from '../http/request.ts'
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

const PRIVATE = { 'cache-control': 'no-store' }

export const merchantRoutes = ({ access, respond }: Services) =>
  new Hono()
    .get('/merchants/credentials', (c) =>
      pipe(
        access.account(c),
        respond(c, (merchants) => c.json(merchants.map(credentials), 200, PRIVATE)),
      ),
    )
    .get('/merchants/:ref/credentials', (c) =>
      pipe(
        access.merchant(c, c.req.param('ref')),
        respond(c, (merchant) => c.json(credentials(merchant), 200, PRIVATE)),
      ),
    )

/** Lists the payment methods that a shop may offer: those for an order, or all that the merchant has. Contract §3. */
export const paymentMethodRoutes = ({ access, ownOrder, respond }: Services) =>
  new Hono()
    .get('/orders/:uuid/payment_methods', (c) =>
      pipe(
        ownOrder(c),
        respond(c, ({ placed: { merchant, total, language } }) =>
          c.json(paymentMethods(merchant.products, total, languageOf(language)) satisfies PaymentMethods),
        ),
      ),
    )
    .get('/merchants/:ref/payment_methods', (c) =>
      pipe(
        access.merchant(c, c.req.param('ref')),
        respond(c, ({ products }) => {
          const methods: PaymentMethods = paymentMethods(products, null, acceptedLanguage(c))
          return c.json(methods, 200, { vary: 'Accept-Language' })
        }),
      ),
    )
