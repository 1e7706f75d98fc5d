// The shopper's frontend calls these routes: identification, wait, and what it shows: the form's
// metadata and the summary. The uuid is the capability. A shop without a frontend of its own gets
// the hosted checkout. Interface §4.1, §4.2, contract §3, §4.
import { awaitOutcome, checkoutMetadata, checkoutSummary, submitIdentification } from '@plazo/core'
import { type CheckoutMetadata, type CheckoutSummary, formFields } from '@plazo/core/protocol'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { type Context, Hono } from 'hono'
import { legalFrom } from '../boot/settings/legal-settings.ts'
import { anyOrder } from '../http/access.ts'
import { hasAllHeaders, respondJson } from '../http/answers.ts'
import { jsonBody, limitBody } from '../http/body.ts'
import { sendPage } from '../http/page/page.ts'
import { acceptedLanguage, readProduct, uuidParam } from '../http/request.ts'
import type { Services } from '../http/services.ts'
import { closedCheckout, hostedCheckout, privacyPage } from './page.ts'

const ANY_ORIGIN = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'Retry-After',
}

const PATH = '/api/v1/checkout/:uuid'

export const checkoutRoutes = ({ host, merchants, config, baseUrl, limits, respond }: Services) => {
  const submit = submitIdentification(host)
  const wait = awaitOutcome(host)
  const { privacyField } = host.terms.names
  const fieldsOf = formFields(privacyField)
  const metadata = checkoutMetadata({
    privacyField,
    privacyPolicy: config.privacyPolicyUrl ?? `${baseUrl}${PRIVACY_PATH}`,
  })
  const legal = legalFrom(config.legal, config.mode === 'sandbox', baseUrl)
  const findOrder = anyOrder(host)

  /** The order, and the product that the query names. */
  const readOrder = (c: Context) =>
    pipe(
      findOrder(c),
      TE.bindTo('order'),
      TE.bindW('product', ({ order }) => TE.fromEither(readProduct(c, 'product_code')(order))),
    )

  return new Hono()
    .use('/api/v1/checkout/*', async (c, next) => {
      // Any origin, no cookies: the page in the shopper's browser is the shop's. Contract §2.
      if (c.req.method === 'OPTIONS')
        return c.body(null, 204, {
          'access-control-allow-origin': '*',
          'access-control-allow-methods': 'GET, POST, OPTIONS',
          'access-control-allow-headers':
            c.req.header('access-control-request-headers') ?? 'content-type',
          'access-control-max-age': '86400',
        })
      await next()
      if (!hasAllHeaders(c))
        for (const [name, value] of Object.entries(ANY_ORIGIN)) c.res.headers.set(name, value)
      return undefined
    })
    .post(`${PATH}/identification`, limits.submissions, limitBody(), (c) =>
      pipe(
        uuidParam(c),
        E.matchW(TE.left, (orderRef) =>
          pipe(
            jsonBody(c),
            TE.chainW((body) => submit(orderRef, fieldsOf(body))),
          ),
        ),
        respond(c, respondJson(c, ANY_ORIGIN)),
      ),
    )
    .get(`${PATH}/wait`, limits.polls, (c) =>
      pipe(TE.fromEither(uuidParam(c)), TE.chainW(wait), respond(c, respondJson(c, ANY_ORIGIN))),
    )
    .get(`${PATH}/metadata`, limits.metadata, (c) =>
      pipe(
        readOrder(c),
        respond(c, ({ order, product }) =>
          c.json(metadata(order, product) satisfies CheckoutMetadata),
        ),
      ),
    )
    .get(`${PATH}/summary`, limits.metadata, (c) =>
      pipe(
        readOrder(c),
        TE.bindW('merchant', ({ order }) => merchants.find(order.placed.merchant.ref)),
        TE.bindW('payload', ({ order }) => host.store.inspection.payload(order.placed.orderRef)),
        respond(c, ({ order, product, merchant, payload }) => {
          const seller = merchant?.name ?? order.placed.merchant.ref
          return c.json(
            checkoutSummary(order, product, {
              ...{ seller, payload, legal },
              at: host.clock.now(),
            }) satisfies CheckoutSummary,
          )
        }),
      ),
    )
}

const PRIVACY_PATH = '/privacy'

/**
 * The pages that shoppers see: the hosted checkout, and a privacy policy if the operator names no
 * page of their own.
 */
export const checkoutPages = ({ host, ownOrder, config, baseUrl, respond }: Services) => {
  const { missing } = legalFrom(config.legal, config.mode === 'sandbox', baseUrl)
  return new Hono()
    .get('/orders/:uuid/form_v2', (c) =>
      pipe(
        ownOrder(c),
        TE.bindTo('order'),
        TE.bindW('product', ({ order }) => TE.fromEither(readProduct(c, 'product')(order))),
        respond(c, ({ order, product }) =>
          sendPage(
            c,
            missing.length > 0
              ? closedCheckout(order, missing)
              : hostedCheckout(order, product, baseUrl),
          ),
        ),
      ),
    )
    .get(PRIVACY_PATH, (c) =>
      sendPage(c, privacyPage(acceptedLanguage(c), host.terms.names.service)),
    )
}
