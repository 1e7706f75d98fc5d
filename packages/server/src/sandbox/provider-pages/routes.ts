// Simulates the pages behind `iframe_url` and `session_url` in the sandbox: the card form with 3-D
// Secure, and the ID session. Contract §10.

import { checkCard, isCvc } from '@plazo/adapters/sandbox'
import {
  type Host,
  type Links,
  type Order,
  type Payment,
  type PaymentUpdate,
  payButtonText,
  paymentWith,
  recordPayment,
  recordVerification,
} from '@plazo/core'
import { type Language, languageOf } from '@plazo/core/protocol'
import {
  answer,
  anyOrder,
  type Body,
  bodyOf,
  decode,
  findPayment,
  form,
  formBody,
  HandlerError,
  HTML,
  json,
  ORDER_REF,
  paymentError,
  type Route,
  requestError,
  route,
  type Services,
  sendPage,
  showThrown,
  TOKEN,
  uuidParam,
  value,
  wantsPage,
} from '@plazo/server/internal'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { type Context, Hono } from 'hono'
import type * as t from 'io-ts'
import { accessInSandbox, SANDBOX } from '../services.ts'
import { bankPage, cardFormPage, idSessionEndPage, idSessionPage } from './page.ts'
import {
  CardForm,
  type CardMessage,
  ChallengeForm,
  cardMessage,
  SavedCardForm,
  SessionForm,
  SessionView,
} from './protocol.ts'

type OrderPayment = { readonly order: Order; readonly payment: Payment }

/** Applies a posted form to a payment. The result is a message for the page around the form. */
type JudgeForm<A> = (
  orderPayment: OrderPayment,
  fields: A,
  c: Context,
) => CardMessage | Promise<CardMessage>

const DECLINED = 'The card was declined.'

/** The fields of all forms that are posted here. */
const FIELDS = ['number', 'expiry', 'cvc', 'save', 'status']

const formBodyOf = <B>(
  codec: t.Type<B, unknown>,
  examples: Readonly<Record<string, unknown>>,
): Body<B> =>
  bodyOf(form(codec, examples), (c) =>
    pipe(
      formBody(c, FIELDS),
      TE.chainEitherK((fields) => decode(codec, fields)),
    ),
  )

const CARD = { number: '4111111111111111', expiry: '12/40', cvc: '123' }

const NO_PAYMENT = { 404: 'Order or payment not found.' }

const PAY_PATH = '/sandbox/pay'
const VERIFY_PATH = '/sandbox/verify'
const PAY = `${PAY_PATH}/:uuid/:token` as const
const VERIFY = `${VERIFY_PATH}/:uuid/:token` as const

/** Where orders send the shopper for a payment. */
export const payLinks = (baseUrl: string): Pick<Links, 'pay' | 'payWithCard'> => {
  const pay = (orderRef: string, token: string) => `${baseUrl}${PAY_PATH}/${orderRef}/${token}`
  return { pay, payWithCard: (orderRef, token, card) => `${pay(orderRef, token)}/card/${card}` }
}

/** Where orders send the shopper to verify an ID. */
export const verifyLinks = (baseUrl: string): Pick<Links, 'verify'> => ({
  verify: (orderRef, token) => `${baseUrl}${VERIFY_PATH}/${orderRef}/${token}`,
})

const challengeOn = (c: Context, { payment: { challenge } }: OrderPayment) => {
  if (challenge !== null && challenge.token === c.req.param('challenge')) return challenge
  throw new HandlerError(requestError(404, 'Authentication not found.'))
}

/** The forms of `payPages` are posted here. */
export const payRoutes = ({ host }: Pick<Services, 'host'>): readonly Route[] => {
  const record = recordPayment(host)
  const { links, names } = host.terms
  const { service } = names

  const message = (orderRef: string, payment: Payment): CardMessage => {
    if (payment.state === 'succeeded' || payment.state === 'unexpected')
      return { action: `${service}.payment_successful` }
    if (payment.state === 'open' && payment.challenge !== null)
      return {
        action: `${service}.3ds_authentication`,
        src: `${links.pay(orderRef, payment.token)}/3ds/${payment.challenge.token}`,
      }
    return { action: `${service}.payment_failed`, error: DECLINED }
  }

  const recordOutcome = async (
    { order, payment }: OrderPayment,
    update: PaymentUpdate,
  ): Promise<CardMessage> => {
    const { orderRef } = order.placed
    const after = await value(record(orderRef, payment.token, update))
    return message(orderRef, paymentWith(after, payment.token) ?? payment)
  }

  const invalid: CardMessage = { action: `${service}.invalid_form` }

  const payByCard: JudgeForm<t.TypeOf<typeof CardForm>> = (orderPayment, fields) => {
    const { number = '', expiry = '', cvc = '', save } = fields
    const verdict = checkCard({ number, expiry, cvc }, host.clock.now())
    const keep = save === 'on'
    switch (verdict.type) {
      case 'invalid':
        return invalid
      case 'declined':
        return recordOutcome(orderPayment, { type: 'payment.failed', reason: 'declined' })
      case 'pays':
        return recordOutcome(orderPayment, { type: 'payment.succeeded', card: verdict.card, keep })
      case 'challenged':
        return recordOutcome(orderPayment, {
          type: 'payment.challenged',
          token: host.ids.random().token,
          card: verdict.card,
          keep,
        })
    }
  }

  const payBySavedCard: JudgeForm<t.TypeOf<typeof SavedCardForm>> = (
    orderPayment,
    { cvc = '' },
    c,
  ) => {
    const isKnown = orderPayment.order.context.cards.some(
      ({ token }) => token === c.req.param('card'),
    )
    if (!isKnown) throw new HandlerError(requestError(404, 'Card not found.'))
    return isCvc(cvc)
      ? recordOutcome(orderPayment, { type: 'payment.succeeded', card: null, keep: false })
      : invalid
  }

  const endChallenge: JudgeForm<t.TypeOf<typeof ChallengeForm>> = (orderPayment, { status }, c) => {
    const { card, keep } = challengeOn(c, orderPayment)
    return recordOutcome(
      orderPayment,
      status === 'success'
        ? { type: 'payment.succeeded', card, keep }
        : { type: 'payment.failed', reason: 'authentication failed' },
    )
  }

  const ok = answer(
    'The form’s message to the page around it.',
    json(cardMessage(service), {
      paid: { action: `${service}.payment_successful` },
      declined: { action: `${service}.payment_failed`, error: 'The card was declined.' },
      '3-D Secure comes first': {
        action: `${service}.3ds_authentication`,
        src: `${links.pay(ORDER_REF, TOKEN)}/3ds/1fQz8vN4pLr0Xc2b7Ym9Dg`,
      },
      'a field is wrong; this is not an attempt': { action: `${service}.invalid_form` },
    }),
  )
  const program = accessInSandbox(findPayment(host))
  return [
    route(`POST ${PAY}`, 'payByCard', 'Pay by card', {
      access: program,
      description: 'The card form itself submits this to the iframe_url of require_payment.',
      body: formBodyOf(CardForm, {
        'a card that pays': CARD,
        'a card that is declined': { ...CARD, number: '4000000000000002' },
        'a card that asks for 3-D Secure': { ...CARD, number: '4000000000003220', save: 'on' },
      }),
      ok,
      problems: NO_PAYMENT,
      handle: payByCard,
    }),
    route(`POST ${PAY}/card/:card`, 'payBySavedCard', 'Pay with a saved card', {
      access: program,
      body: formBodyOf(SavedCardForm, { cvc: { cvc: '123' } }),
      ok,
      problems: { 404: 'Order, payment or card not found.' },
      handle: payBySavedCard,
    }),
    route(`POST ${PAY}/3ds/:challenge`, 'endChallenge', 'End 3-D Secure', {
      access: program,
      body: formBodyOf(ChallengeForm, {
        success: { status: 'success' },
        failure: { status: 'failure' },
      }),
      ok,
      problems: { 400: 'Invalid status.', 404: 'Order, payment or authentication not found.' },
      handle: endChallenge,
    }),
  ]
}

/** The pages behind `iframe_url` and the bank's `src`. */
export const payPages = ({ host, answerError }: Pick<Services, 'host' | 'answerError'>): Hono => {
  const { service } = host.terms.names
  const find = findPayment(host)
  const showCardForm = async (c: Context, card: string | null): Promise<Response> => {
    const { order, payment } = await value(find(c))
    const saved = order.context.cards.find(({ token }) => token === card)
    return sendPage(
      c,
      cardFormPage({
        service,
        language: languageOf(order.placed.language),
        savedDigits: card === null ? null : (saved?.lastFour ?? ''),
        button: payButtonText(order, payment.amount),
      }),
    )
  }
  const pages = new Hono()
  pages.onError(showThrown(answerError, paymentError(host)))
  return pages
    .get(PAY, (c) => showCardForm(c, null))
    .get(`${PAY}/card/:card`, (c) => showCardForm(c, c.req.param('card')))
    .get(`${PAY}/3ds/:challenge`, async (c) => {
      const found = await value(find(c))
      challengeOn(c, found)
      return sendPage(c, bankPage(service, languageOf(found.order.placed.language)))
    })
}

const languageFor = async (host: Host, c: Context): Promise<Language> =>
  languageOf((await value(anyOrder(host)(c))).placed.language)

/** The page behind `session_url`. */
export const verifyPages = ({ host }: Pick<Services, 'host'>): Hono =>
  new Hono().get(VERIFY, async (c) => {
    // Under no-referrer, the form's Origin would be null, and be refused as a foreign one.
    c.header('referrer-policy', 'same-origin')
    return sendPage(c, idSessionPage(await languageFor(host, c)))
  })

/**
 * The form of `verifyPages` is posted here. It works without a script: a browser gets a page, and
 * other clients get JSON. Contract §10.
 */
export const verifyRoutes = ({ host }: Pick<Services, 'host'>): readonly Route[] => {
  const record = recordVerification(host)
  const session = formBodyOf(SessionForm, {
    verified: { status: 'VERIFIED' },
    failed: { status: 'FAILED' },
    interrupted: { status: 'ERROR' },
  })
  return [
    route(`POST ${VERIFY}`, 'endSession', 'End an ID session', {
      access: SANDBOX,
      description: 'To the session_url of wait_for_id_verification.',
      // Read by the handler, because a browser gets what is wrong with it as a page.
      body: bodyOf(session.content, () => TE.right(undefined)),
      ok: answer(
        'Accepted. A finished session keeps its result. A page, if the client accepts HTML.',
        { ...json(SessionView, { verified: { status: 'VERIFIED' } }), ...HTML },
      ),
      problems: {
        400: 'Invalid status.',
        404: 'The order does not exist, or now has another session.',
      },
      handle: async (_access, _body, c) => {
        const orderRef = await value(async () => uuidParam(c))
        const { status } = await value(session.read(c))
        const recorded = await record(orderRef, c.req.param('token'), status)()
        const isOver = E.isLeft(recorded) && recorded.left._tag === 'SessionNotFound'
        if (!wantsPage(c) || (E.isLeft(recorded) && !isOver)) {
          await value(async () => recorded)
          return { status }
        }
        const page = idSessionEndPage(await languageFor(host, c), isOver ? 'ended' : 'thanks')
        return sendPage(c, page, isOver ? 404 : 200)
      },
    }),
  ]
}
