// Providers answer later, and have pages of their own. Their signed callbacks arrive here, and
// shoppers are redirected to their pages. docs/providers.md.
import { verifyCallback } from '@plazo/adapters/provider'
import { type Host, type Order, recordProviderCallback } from '@plazo/core'
import {
  type CallbackView,
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
import { type Context, Hono } from 'hono'
import { html } from 'hono/html'
import type * as t from 'io-ts'
import { anyOrder } from '../http/access.ts'
import { errorsAsPages, type Respond, respondWith } from '../http/answers.ts'
import { bodyBytes, isJsonRequest, limitBody } from '../http/body.ts'
import { sendPage } from '../http/page/page.ts'
import { SHOPPER_STYLE } from '../http/page/styles.ts'
import { type KnownError, type RequestError, requestError } from '../http/problem.ts'
import type { Services } from '../http/services.ts'
import { paymentError, paymentOnPage } from '../sandbox/provider-pages/routes.ts'

const readPort = (c: Context): E.Either<RequestError, ProviderPort> =>
  pipe(
    PROVIDER_PORTS.find((port) => port === c.req.param('port')),
    E.fromNullable(requestError(404, `Unknown port. Use one of: ${PROVIDER_PORTS.join(', ')}.`)),
  )

export const providerRoutes = ({ host, portSecrets, answerError }: Services) => {
  const record = recordProviderCallback(host)
  const secrets = new Map(PROVIDER_PORTS.map((port) => [port, portSecrets(port)]))

  // A callback needs a signature, not a password.
  const respond = respondWith((c, error) => {
    const answer = answerError(c, error)
    if (answer.status === 401) answer.headers.set('www-authenticate', 'Webhook-Signature')
    return answer
  })

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
          E.mapLeft((detail) => requestError(401, detail)),
        ),
      ),
    )

  return new Hono().post('/providers/:port', limitBody(), (c) =>
    pipe(
      TE.fromEither(readPort(c)),
      TE.bindTo('port'),
      TE.bindW('text', ({ port }) => readAuthenticBody(c, port)),
      TE.let('body', ({ text }) => parseAnswer(text)),
      TE.filterOrElseW(
        ({ body }) => body !== undefined,
        () => requestError(400, 'The body is not JSON.'),
      ),
      TE.bindW('update', ({ port, body }) =>
        pipe(
          decodeCallback(port)(body),
          E.mapLeft((sentences) => requestError(400, sentences.join(' '))),
          TE.fromEither,
        ),
      ),
      TE.chainW(({ update }) => record(update)),
      TE.map((isTaken): t.TypeOf<typeof CallbackView> => ({ taken: isTaken })),
      respond(c),
    ),
  )
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
      style: SHOPPER_STYLE,
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

const redirectRoute =
  (host: Host, respondPage: Respond, destinationOf: FindDestination) =>
  (c: Context): Promise<Response> =>
    pipe(
      anyOrder(host)(c),
      TE.bindTo('order'),
      TE.bind('destination', ({ order }) => TE.fromEither(destinationOf(order, c))),
      respondPage(c, ({ order, destination }) =>
        redirect(c, host.terms.names.service, order, destination),
      ),
    )

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

export const paymentPages = ({ host, answerError }: Services) => {
  const respondPage = respondWith(errorsAsPages(answerError, paymentError(host)))
  return new Hono()
    .get('/pay/:uuid/:token', redirectRoute(host, respondPage, paymentPage))
    .get('/pay/:uuid/:token/card/:card', redirectRoute(host, respondPage, savedCardPage))
}

export const identityPages = ({ host, respondPage }: Services) =>
  new Hono().get('/verify/:uuid/:token', redirectRoute(host, respondPage, sessionPage))
