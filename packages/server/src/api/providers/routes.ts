// Providers answer later, and have pages of their own. Their signed callbacks arrive here, and
// shoppers are redirected to their pages. docs/providers.md.

import { verifyCallback } from '@plazo/adapters/internal/provider'
import {
  CallbackBody,
  CallbackView,
  decodeCallback,
  type Host,
  languageOf,
  type Order,
  PROVIDER_PORTS,
  type ProviderPort,
  parseAnswer,
  paymentWith,
  recordProviderCallback,
  returnUrlOf,
} from '@plazo/core/internal'
import * as E from 'fp-ts/lib/Either.js'
import { type Context, Hono } from 'hono'
import { html } from 'hono/html'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { anyOrder } from '../../http/access.ts'
import { sendPage } from '../../http/page/page.ts'
import { HandlerError, refused, requestError, showThrown } from '../../http/problem.ts'
import { acceptedLanguage, jsonBytes } from '../../http/request.ts'
import {
  accessBy,
  bodyOf,
  jsonAnswer,
  jsonRequest,
  type Route,
  route,
  value,
} from '../../http/route.ts'
import type { Services } from '../../http/services.ts'
import { paymentErrorPage } from './page.ts'

const readPort = (c: Context): ProviderPort => {
  const port = PROVIDER_PORTS.find((each) => each === c.req.param('port'))
  if (port !== undefined) return port
  throw refused(404, `Unknown port. Use one of: ${PROVIDER_PORTS.join(', ')}.`)
}

export const providerRoutes = ({ host, portSecrets }: Services): readonly Route[] => {
  const record = recordProviderCallback(host)
  const secrets = new Map(PROVIDER_PORTS.map((port) => [port, portSecrets(port)]))

  const authenticBody = ({ headers }: Request, port: ProviderPort, bytes: Uint8Array): string => {
    const body = verifyCallback(secrets.get(port) ?? [], Date.now, { headers, bytes })
    if (E.isRight(body)) return body.right
    // A callback needs a signature, not a password.
    throw new HandlerError({ ...requestError(401, body.left), challenge: 'Webhook-Signature' })
  }

  return [
    route('POST /providers/:port', 'providerCallback', 'Send a later answer to a question', {
      access: accessBy('provider', readPort),
      description:
        'The answer to an earlier question, with its id. Sign it by Webhook-Id, Webhook-Timestamp and Webhook-Signature as in Standard Webhooks. Repeat the call until it is answered 200.',
      // Only its size and type are looked at until its signature is verified.
      body: bodyOf(jsonRequest(CallbackBody), jsonBytes),
      ok: jsonAnswer('Accepted, or already known.', CallbackView, { taken: { taken: true } }),
      problems: {
        400: 'The body is not JSON, or does not answer a question of this port.',
        401: 'The signature is missing, wrong or too old.',
        404: 'Port, order or payment not found.',
      },
      handle: async (port, bytes, c) => {
        const body = parseAnswer(authenticBody(c.req.raw, port, bytes))
        if (body === undefined) throw refused(400, 'The body is not JSON.')
        const callback = decodeCallback(port)(body)
        if (E.isLeft(callback)) throw refused(400, callback.left.join(' '))
        const { isUsed } = await value(record(callback.right))
        return { taken: isUsed }
      },
    }),
  ]
}

// A shop's page frames the provider's page, and this redirect on the way.
const FRAMED = {
  'content-security-policy': "default-src 'none'",
  'cross-origin-resource-policy': 'cross-origin',
}

const TEXTS = {
  en: { wait: 'One moment…', ended: 'This step is finished. Please go back to your order.' },
  es: { wait: 'Un momento…', ended: 'Este paso ha terminado. Vuelve a tu pedido.' },
}

/** Leads the shopper to a provider's page. `url`: null if it is not known yet. */
const redirect = (
  c: Context,
  title: string,
  order: Order,
  { isOpen, url }: { readonly isOpen: boolean; readonly url: string | null },
): Response | Promise<Response> => {
  if (isOpen && url !== null) return c.body(null, 303, { location: url, ...FRAMED })
  const language = languageOf(order.placed.language)
  const { wait, ended } = TEXTS[language]
  // In seconds.
  if (isOpen) c.header('refresh', '1')
  return sendPage(c, {
    title,
    language,
    layout: 'shopper',
    body: html`<p role="status">${isOpen ? wait : ended}</p>`,
    mayBeFramed: true,
  })
}

/** The order of a page's path, and the payment whose token the path has. */
export const findPayment = (host: Pick<Host, 'store'>) => async (c: Context) => {
  const order = await anyOrder(host)(c)
  const payment = paymentWith(order, c.req.param('token') ?? '')
  if (payment === undefined) throw new HandlerError({ _tag: 'PaymentNotFound' })
  return { order, payment }
}

/**
 * The page of an error where a payment's form or the bank's question should be, in the shopper's
 * language.
 */
export const paymentError =
  (host: Host) =>
  async (c: Context, status: ContentfulStatusCode): Promise<Response> => {
    const order = await anyOrder(host)(c).catch(() => null)
    const page = paymentErrorPage({
      service: host.terms.names.service,
      language: order === null ? acceptedLanguage(c) : languageOf(order.placed.language),
      error:
        status >= 500 ? 'unavailable' : c.req.param('challenge') === undefined ? 'gone' : 'over',
      shopUrl: order && returnUrlOf(order),
    })
    return sendPage(c, page, status)
  }

export const paymentPages = ({ host, showError }: Services): Hono => {
  const find = findPayment(host)
  const show = async (c: Context): Promise<Response> => {
    const { order, payment } = await find(c)
    const card = c.req.param('card')
    if (card !== undefined && !order.context.cards.some(({ token }) => token === card))
      throw refused(404, 'Card not found.')
    const url = payment.providerUrl === null ? null : new URL(payment.providerUrl)
    if (card !== undefined) url?.searchParams.set('card', card)
    const isOpen = payment.state === 'open'
    return redirect(c, host.terms.names.service, order, { isOpen, url: url?.href ?? null })
  }
  const path = '/pay/:uuid/:token'
  const pages = new Hono()
  pages.onError(showThrown(showError, paymentError(host)))
  return pages.get(path, show).get(`${path}/card/:card`, show)
}

export const identityPages = ({ host }: Services): Hono =>
  new Hono().get('/verify/:uuid/:token', async (c) => {
    const order = await value(anyOrder(host)(c))
    const { session, pending } = order.context
    if (session?.token !== c.req.param('token')) throw new HandlerError({ _tag: 'SessionNotFound' })
    return redirect(c, host.terms.names.service, order, {
      isOpen: pending.session !== undefined,
      url: session.providerUrl,
    })
  })
