// Shops' backends read here their credentials and payment methods, and place, confirm and look at
// orders. The credentials hold the secret that verifies signatures. Interface §4.3, contract §3.
import {
  confirmOrder,
  historyLine,
  orderView,
  paymentMethods,
  placeOrder,
  readHistory,
  updateOrder,
} from '@plazo/core'
import type { Merchant } from '@plazo/core/ports'
import { type Credentials, languageOf, type PaymentMethods } from '@plazo/core/protocol'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as RA from 'fp-ts/lib/ReadonlyArray.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { type Context, Hono } from 'hono'
import type { Account } from '../http/access.ts'
import { orderApiError, respondEmpty, respondJson, respondWith } from '../http/answers.ts'
import { type JsonObject, jsonBody, limitBody, ORDER_KIB_MAX } from '../http/body.ts'
import { streamHistory } from '../http/chunked-json.ts'
import { yieldToEventLoop } from '../http/event-loop.ts'
import type { KnownError } from '../http/problem.ts'
import { acceptedLanguage, uuidParam } from '../http/request.ts'
import type { Services } from '../http/services.ts'

const credentials = ({
  ref,
  name,
  country,
  currency,
  signatureSecret,
  sendActionEvents,
}: Merchant): Credentials => ({
  ref,
  name,
  country,
  currency,
  signature_secret: signatureSecret,
  verify_signature: true,
  options: { send_action_events_in_identification: sendActionEvents },
})

// A shop's reference of its order may contain slashes, and line breaks too, which a dot does not
// match.
const UPDATE_PATH = '/merchants/:ref/orders/:order_ref_1{[^]+}'

const member = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null
    ? Object.getOwnPropertyDescriptor(value, name)?.value
    : undefined

/** The merchant that a body names, if it names one. */
const merchantNamedIn = (body: JsonObject): string | null => {
  const id = member(member(body.order, 'merchant'), 'id')
  return typeof id === 'string' && id !== '' ? id : null
}

// Shops that name the merchant in the header may leave it out of the body.
const withMerchant = (body: JsonObject, merchantRef: string): JsonObject => {
  const merchant = member(body.order, 'merchant')
  const namesNobody =
    typeof merchant === 'object' &&
    merchant !== null &&
    [undefined, null, ''].includes(member(merchant, 'id') as undefined)
  return namesNobody
    ? { ...body, order: { ...(body.order as object), merchant: { ...merchant, id: merchantRef } } }
    : body
}

// The URLs that plazo would call, no matter what else is wrong.
const calledUrls = (body: JsonObject): readonly string[] => {
  const merchant = member(body.order, 'merchant')
  const urls = [member(merchant, 'notify_url'), member(member(merchant, 'events_webhook'), 'url')]
  return urls.filter((url) => typeof url === 'string')
}

export const orderRoutes = ({ host, access, ownOrder, baseUrl, urls, answerError }: Services) => {
  const { checkUrl, checkPage, resolveHosts } = urls
  const respond = respondWith(orderApiError(answerError))
  const { merchantHeader } = host.terms.names
  const place = placeOrder(host, checkUrl, checkPage)
  const confirm = confirmOrder(host)
  const update = updateOrder(host)
  const history = readHistory(host.store, yieldToEventLoop)

  const placeAfterLookup = (
    merchant: Merchant,
    body: JsonObject,
  ): ReturnType<ReturnType<typeof placeOrder>> =>
    resolveHosts === null
      ? place(merchant, body)
      : pipe(
          TE.fromTask(() => resolveHosts(merchant.ref, calledUrls(body))),
          TE.chain(() => place(merchant, body)),
        )

  const placeFor = (
    c: Context,
    account: Account,
    body: JsonObject,
  ): TE.TaskEither<KnownError, string> =>
    pipe(
      access.choose(c, account, merchantNamedIn(body)),
      E.matchW(TE.left<KnownError, string>, (merchant) =>
        placeAfterLookup(
          merchant,
          c.req.header(merchantHeader) === undefined ? body : withMerchant(body, merchant.ref),
        ),
      ),
    )

  return new Hono()
    .get('/merchants/credentials', (c) =>
      pipe(access.account(c), TE.map(RA.map(credentials)), respond(c)),
    )
    .get('/merchants/:ref/credentials', (c) =>
      pipe(access.merchant(c, c.req.param('ref')), TE.map(credentials), respond(c)),
    )
    .post('/orders', limitBody(ORDER_KIB_MAX), (c) =>
      pipe(
        access.account(c),
        TE.chainW((account) =>
          pipe(
            jsonBody(c),
            TE.chainW((body) => placeFor(c, account, body)),
          ),
        ),
        respond(c, (orderRef) => respondEmpty(c, { location: `${baseUrl}/orders/${orderRef}` })),
      ),
    )
    .get('/orders/:uuid', (c) => pipe(ownOrder(c), TE.map(orderView), respond(c)))
    .get('/orders/:uuid/history', (c) =>
      pipe(
        ownOrder(c),
        TE.chainW(({ placed }) => history(placed.orderRef)),
        TE.bindTo('all'),
        TE.bindW('first', ({ all }) => (all.pages > 1 ? TE.right([]) : all.read(0))),
        respond(c, ({ all, first }) =>
          all.pages > 1 ? streamHistory(c, all) : c.json(first.map(historyLine)),
        ),
      ),
    )
    .put('/orders/:uuid', limitBody(ORDER_KIB_MAX), (c) =>
      pipe(
        access.account(c),
        TE.bindTo('account'),
        TE.bindW('orderRef', () => TE.fromEither(uuidParam(c))),
        TE.bindW('body', () => jsonBody(c)),
        TE.bindW('merchant', ({ account, body }) =>
          TE.fromEither(access.choose(c, account, merchantNamedIn(body))),
        ),
        TE.chainW(({ orderRef, body, merchant }) =>
          confirm({ account: merchant.username }, orderRef, body),
        ),
        TE.map(orderView),
        respond(c),
      ),
    )
    .put(UPDATE_PATH, limitBody(ORDER_KIB_MAX), (c) =>
      pipe(
        access.merchant(c, c.req.param('ref')),
        TE.bindTo('merchant'),
        TE.bindW('body', () => jsonBody(c)),
        TE.chainW(({ merchant, body }) => update(merchant.ref, c.req.param('order_ref_1'), body)),
        respond(c, () => c.json({})),
      ),
    )
    .get('/orders/:uuid/payment_methods', (c) =>
      pipe(
        ownOrder(c),
        TE.map(
          ({ placed }): PaymentMethods =>
            paymentMethods(placed.merchant.products, placed, languageOf(placed.language)),
        ),
        respond(c),
      ),
    )
    .get('/merchants/:ref/payment_methods', (c) =>
      pipe(
        access.merchant(c, c.req.param('ref')),
        TE.map(
          ({ products, currency, country }): PaymentMethods =>
            paymentMethods(products, { total: null, currency }, acceptedLanguage(c, country)),
        ),
        respond(c, respondJson(c, { vary: 'Accept-Language' })),
      ),
    )
}
