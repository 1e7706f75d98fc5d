// Providers answer later, and have pages of their own. Their signed callbacks arrive here, and
// shoppers are redirected to their pages. docs/providers.md.

import { verifyCallback } from '@plazo/adapters/provider'
import {
  type Host,
  type Order,
  type Payment,
  paymentWith,
  recordProviderCallback,
  returnUrlOf,
} from '@plazo/core'
import {
  CallbackBody,
  CallbackView,
  decodeCallback,
  type Language,
  languageOf,
  PROVIDER_PORTS,
  type ProviderPort,
  parseAnswer,
} from '@plazo/core/protocol'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Context } from 'hono'
import { html } from 'hono/html'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { anyOrder } from '../http/access.ts'
import { showAsPage } from '../http/answers.ts'
import { bodyBytes, isJsonRequest } from '../http/body.ts'
import { SHOPPER_STYLE, sendPage } from '../http/page/page.ts'
import { type KnownError, type RequestError, requestError } from '../http/problem.ts'
import { acceptedLanguage } from '../http/request.ts'
import {
  accessBy,
  answer,
  bodyOf,
  jsonAnswer,
  jsonRequest,
  PAGE,
  type Route,
  route,
} from '../http/route.ts'
import type { Services } from '../http/services.ts'
import { paymentErrorPage } from './page.ts'

const readPort = (c: Context): E.Either<RequestError, ProviderPort> =>
  pipe(
    PROVIDER_PORTS.find((port) => port === c.req.param('port')),
    E.fromNullable(requestError(404, `Unknown port. Use one of: ${PROVIDER_PORTS.join(', ')}.`)),
  )

export const providerRoutes = ({ host, portSecrets }: Services): readonly Route[] => {
  const record = recordProviderCallback(host)
  const secrets = new Map(PROVIDER_PORTS.map((port) => [port, portSecrets(port)]))

  /** Looks only at the size and type of a request until its signature is verified. */
  const readAuthenticBody = (c: Context, port: ProviderPort): TE.TaskEither<RequestError, string> =>
    pipe(
      isJsonRequest(c)
        ? TE.right(c)
        : TE.left(requestError(415, 'The body must be application/json.')),
      TE.chain(bodyBytes),
      TE.chainEitherK((bytes) =>
        pipe(
          verifyCallback(secrets.get(port) ?? [], Date.now, { headers: c.req.raw.headers, bytes }),
          // A callback needs a signature, not a password.
          E.mapLeft(
            (detail): RequestError => ({
              ...requestError(401, detail),
              challenge: 'Webhook-Signature',
            }),
          ),
        ),
      ),
    )

  return [
    route('POST /providers/:port', 'providerCallback', 'Send a later answer to a question', {
      access: accessBy('provider', (c) => TE.fromEither(readPort(c))),
      description:
        'The answer to an earlier question, with its id. Sign it by Webhook-Id, Webhook-Timestamp and Webhook-Signature as in Standard Webhooks. Repeat the call until it is answered 200.',
      // It is read once it is known to be authentic.
      body: bodyOf(jsonRequest(CallbackBody), () => TE.right(undefined)),
      ok: jsonAnswer('Accepted, or already known.', CallbackView, { taken: { taken: true } }),
      problems: {
        400: 'The body is not JSON, or does not answer a question of this port.',
        401: 'The signature is missing, wrong or too old.',
        404: 'Port, order or payment not found.',
      },
      isSampled: false,
      handle: (port, _, c) =>
        pipe(
          readAuthenticBody(c, port),
          TE.map(parseAnswer),
          TE.filterOrElseW(
            (body) => body !== undefined,
            () => requestError(400, 'The body is not JSON.'),
          ),
          TE.chainEitherKW((body) =>
            pipe(
              decodeCallback(port)(body),
              E.mapLeft((sentences) => requestError(400, sentences.join(' '))),
            ),
          ),
          TE.chainW(record),
          TE.map((isTaken) => ({ taken: isTaken })),
        ),
    }),
  ]
}

/** `url` null: it is not known yet. `ended`: there is no page to go to any more. */
type Destination = { readonly url: string | null } | 'ended'

const withCard = (url: string, card: string): string => {
  const address = new URL(url)
  address.searchParams.set('card', card)
  return address.href
}

// A shop's page frames the provider's page, and this redirect on the way.
const FRAMED = {
  'content-security-policy': "default-src 'none'",
  'cross-origin-resource-policy': 'cross-origin',
}

const TEXTS: {
  readonly [language in Language]: { readonly wait: string; readonly ended: string }
} = {
  en: { wait: 'One moment…', ended: 'This step is finished. Please go back to your order.' },
  es: { wait: 'Un momento…', ended: 'Este paso ha terminado. Vuelve a tu pedido.' },
}

const redirect = async (
  c: Context,
  title: string,
  order: Order,
  destination: Destination,
): Promise<Response> => {
  const language = languageOf(order.placed.language)
  const { wait, ended } = TEXTS[language]
  const say = (text: string): Promise<Response> =>
    sendPage(c, {
      title,
      language,
      styles: [SHOPPER_STYLE],
      body: html`<p role="status">${text}</p>`,
      mayBeFramed: true,
    })
  if (destination === 'ended') return say(ended)
  if (destination.url !== null) return c.body(null, 303, { location: destination.url, ...FRAMED })
  // In seconds.
  c.header('refresh', '1')
  return say(wait)
}

type FindDestination = (order: Order, c: Context) => E.Either<KnownError, Destination>

/** The payment whose token the page's path has. */
export const paymentOnPage = (order: Order, c: Context): E.Either<KnownError, Payment> =>
  pipe(paymentWith(order, c.req.param('token') ?? ''), E.fromNullable({ _tag: 'PaymentNotFound' }))

/**
 * The page of an error where a payment's form or the bank's question should be, in the shopper's
 * language.
 */
export const paymentError =
  (host: Host) =>
  async (c: Context, status: ContentfulStatusCode): Promise<Response> => {
    const read = await anyOrder(host)(c)()
    const order = E.isRight(read) ? read.right : null
    const page = paymentErrorPage({
      service: host.terms.names.service,
      language: order === null ? acceptedLanguage(c) : languageOf(order.placed.language),
      error:
        status >= 500 ? 'unavailable' : c.req.param('challenge') === undefined ? 'gone' : 'over',
      shopUrl: order && returnUrlOf(order),
    })
    return sendPage(c, page, status)
  }

const SERVED = {
  303: answer('If a provider serves the port: a redirect to the provider’s page.', undefined, {
    Location: 'The page.',
  }),
}

/** A page that the shopper's browser shows for a payment or an ID session. */
export const shopperPage = <P extends string, A>(
  path: P,
  [id, summary]: readonly [id: string, summary: string],
  more: Pick<Parameters<typeof route<P, A, never>>[3], 'access' | 'errors' | 'problems' | 'handle'>,
): Route => route(`GET ${path}`, id, summary, { ok: PAGE, answers: SERVED, ...more })

export const SHOPPER_PAGES = {
  card: ['showCardForm', 'Show the card form'],
  savedCard: ['showSavedCardForm', 'Show a saved card’s form'],
  challenge: ['showChallenge', 'Show the bank’s 3-D Secure page'],
  session: ['showSession', 'Show the ID session'],
} as const

export const NO_PAYMENT = { 404: 'Order or payment not found.' }

const redirectTo = ({ host }: Services, destinationOf: FindDestination) => ({
  access: accessBy('frontend', anyOrder(host)),
  handle: (order: Order, _: undefined, c: Context) =>
    pipe(
      TE.fromEither(destinationOf(order, c)),
      TE.chainTaskK((to) => () => redirect(c, host.terms.names.service, order, to)),
    ),
})

const paymentPage: FindDestination = (order, c) =>
  pipe(
    paymentOnPage(order, c),
    E.map((payment) => (payment.state === 'open' ? { url: payment.providerUrl } : 'ended')),
  )

const savedCardPage: FindDestination = (order, c) => {
  const card = c.req.param('card') ?? ''
  return order.context.cards.some(({ token }) => token === card)
    ? pipe(
        paymentPage(order, c),
        E.map((to) => (to === 'ended' || to.url === null ? to : { url: withCard(to.url, card) })),
      )
    : E.left(requestError(404, 'Card not found.'))
}

const sessionPage: FindDestination = ({ context: { session, pending } }, c) => {
  if (session === null || session.token !== c.req.param('token'))
    return E.left({ _tag: 'SessionNotFound' })
  return E.right(pending.session === undefined ? 'ended' : { url: session.providerUrl })
}

export const paymentPages = (services: Services): readonly Route[] => {
  const more = { errors: showAsPage(paymentError(services.host)), problems: NO_PAYMENT }
  const path = '/pay/:uuid/:token'
  return [
    shopperPage(path, SHOPPER_PAGES.card, { ...more, ...redirectTo(services, paymentPage) }),
    shopperPage(`${path}/card/:card`, SHOPPER_PAGES.savedCard, {
      ...more,
      ...redirectTo(services, savedCardPage),
    }),
  ]
}

export const identityPages = (services: Services): readonly Route[] => [
  shopperPage('/verify/:uuid/:token', SHOPPER_PAGES.session, {
    errors: 'page',
    ...redirectTo(services, sessionPage),
  }),
]
