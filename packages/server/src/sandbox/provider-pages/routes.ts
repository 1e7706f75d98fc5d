// Simulates the pages behind `iframe_url` and `session_url` in the sandbox: the card form with 3-D
// Secure, and the ID session. Contract §10.

import { checkCard, isCvc } from '@plazo/adapters/sandbox'
import {
  type Order,
  type Payment,
  type PaymentUpdate,
  payButtonText,
  paymentWith,
  recordPayment,
  recordVerification,
} from '@plazo/core'
import { languageOf } from '@plazo/core/protocol'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Context } from 'hono'
import type * as t from 'io-ts'
import { ORDER_REF, TOKEN } from '../../docs/openapi/examples.ts'
import { anyOrder } from '../../http/access.ts'
import { showAsPage, wantsPage } from '../../http/answers.ts'
import { formBody } from '../../http/body.ts'
import { type Page, sendPage } from '../../http/page/page.ts'
import { type KnownError, requestError } from '../../http/problem.ts'
import { decode, uuidParam } from '../../http/request.ts'
import {
  accessBy,
  answer,
  type Body,
  bodyOf,
  form,
  HTML,
  json,
  type Route,
  route,
} from '../../http/route.ts'
import type { Services } from '../../http/services.ts'
import {
  NO_PAYMENT,
  paymentError,
  paymentOnPage,
  SHOPPER_PAGES,
  shopperPage,
} from '../../providers/routes.ts'
import { accessInSandbox } from '../access.ts'
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
) => TE.TaskEither<KnownError, CardMessage>

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

export const payRoutes = ({ host, setting: { baseUrl } }: Services): readonly Route[] => {
  const record = recordPayment(host)
  const { service } = host.terms.names

  const findPayment = (c: Context): TE.TaskEither<KnownError, OrderPayment> =>
    pipe(
      anyOrder(host)(c),
      TE.bindTo('order'),
      TE.bindW('payment', ({ order }) => TE.fromEither(paymentOnPage(order, c))),
    )

  const message = (orderRef: string, payment: Payment): CardMessage => {
    if (payment.state === 'succeeded' || payment.state === 'unexpected')
      return { action: `${service}.payment_successful` }
    if (payment.state === 'open' && payment.challenge !== null)
      return {
        action: `${service}.3ds_authentication`,
        src: `${baseUrl}/pay/${orderRef}/${payment.token}/3ds/${payment.challenge.token}`,
      }
    return { action: `${service}.payment_failed`, error: DECLINED }
  }

  const recordOutcome = (
    { order, payment }: OrderPayment,
    update: PaymentUpdate,
  ): TE.TaskEither<KnownError, CardMessage> =>
    pipe(
      record(order.placed.orderRef, payment.token, update),
      TE.map((after) =>
        message(order.placed.orderRef, paymentWith(after, payment.token) ?? payment),
      ),
    )

  const invalid: CardMessage = { action: `${service}.invalid_form` }

  const payByCard: JudgeForm<t.TypeOf<typeof CardForm>> = (orderPayment, fields) => {
    const { number = '', expiry = '', cvc = '', save } = fields
    const verdict = checkCard({ number, expiry, cvc }, host.clock.now())
    const keep = save === 'on'
    switch (verdict.type) {
      case 'invalid':
        return TE.right(invalid)
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
    if (!isKnown) return TE.left(requestError(404, 'Card not found.'))
    return isCvc(cvc)
      ? recordOutcome(orderPayment, { type: 'payment.succeeded', card: null, keep: false })
      : TE.right(invalid)
  }

  const findChallenge =
    (c: Context) =>
    ({
      payment: { challenge },
    }: OrderPayment): TE.TaskEither<KnownError, NonNullable<Payment['challenge']>> =>
      challenge !== null && challenge.token === c.req.param('challenge')
        ? TE.right(challenge)
        : TE.left(requestError(404, 'Authentication not found.'))

  const endChallenge: JudgeForm<t.TypeOf<typeof ChallengeForm>> = (orderPayment, { status }, c) =>
    pipe(
      findChallenge(c)(orderPayment),
      TE.chain(({ card, keep }) =>
        recordOutcome(
          orderPayment,
          status === 'success'
            ? { type: 'payment.succeeded', card, keep }
            : { type: 'payment.failed', reason: 'authentication failed' },
        ),
      ),
    )

  const cardForm =
    (savedCard?: string) =>
    ({ order, payment }: OrderPayment): Page =>
      cardFormPage({
        service,
        language: languageOf(order.placed.language),
        savedDigits:
          order.context.cards.find(({ token }) => token === savedCard)?.lastFour ??
          (savedCard === undefined ? null : ''),
        button: payButtonText(order, payment.amount),
      })

  const ok = answer(
    'The form’s message to the page around it.',
    json(cardMessage(service), {
      paid: { action: `${service}.payment_successful` },
      declined: { action: `${service}.payment_failed`, error: 'The card was declined.' },
      '3-D Secure comes first': {
        action: `${service}.3ds_authentication`,
        src: `${baseUrl}/pay/${ORDER_REF}/${TOKEN}/3ds/1fQz8vN4pLr0Xc2b7Ym9Dg`,
      },
      'a field is wrong; this is not an attempt': { action: `${service}.invalid_form` },
    }),
  )
  const shopper = accessBy('frontend', findPayment)
  const program = accessInSandbox(findPayment)
  const show = {
    access: shopper,
    errors: showAsPage(paymentError(host)),
    problems: NO_PAYMENT,
  }
  const path = '/pay/:uuid/:token'
  return [
    shopperPage(path, SHOPPER_PAGES.card, {
      ...show,
      handle: (orderPayment, _, c) => sendPage(c, cardForm()(orderPayment)),
    }),
    route(`POST ${path}`, 'payByCard', 'Pay by card', {
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
    shopperPage(`${path}/card/:card`, SHOPPER_PAGES.savedCard, {
      ...show,
      handle: (orderPayment, _, c) => sendPage(c, cardForm(c.req.param('card'))(orderPayment)),
    }),
    route(`POST ${path}/card/:card`, 'payBySavedCard', 'Pay with a saved card', {
      access: program,
      body: formBodyOf(SavedCardForm, { cvc: { cvc: '123' } }),
      ok,
      problems: { 404: 'Order, payment or card not found.' },
      handle: payBySavedCard,
    }),
    shopperPage(`${path}/3ds/:challenge`, SHOPPER_PAGES.challenge, {
      ...show,
      handle: (orderPayment, _, c) =>
        pipe(
          findChallenge(c)(orderPayment),
          TE.chainTaskK(
            () => () =>
              sendPage(c, bankPage(service, languageOf(orderPayment.order.placed.language))),
          ),
        ),
    }),
    route(`POST ${path}/3ds/:challenge`, 'endChallenge', 'End 3-D Secure', {
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

/**
 * Simulates the ID session behind `session_url` in the sandbox. Its form works without a script: a
 * browser gets a page, and any other client JSON. Contract §10.
 */
export const verifyRoutes = ({ host }: Services): readonly Route[] => {
  const record = recordVerification(host)
  const findLanguage = (c: Context) =>
    pipe(
      anyOrder(host)(c),
      TE.map(({ placed }) => languageOf(placed.language)),
    )

  const showEnd = (c: Context, end: 'thanks' | 'ended') =>
    pipe(
      findLanguage(c),
      TE.chainTaskK(
        (language) => () =>
          sendPage(c, idSessionEndPage(language, end), end === 'thanks' ? 200 : 404),
      ),
    )

  const path = '/verify/:uuid/:token'
  return [
    shopperPage(path, SHOPPER_PAGES.session, {
      access: accessBy('frontend', (c) => {
        // Under no-referrer, the form's Origin would be null, and be refused as a foreign one.
        c.header('referrer-policy', 'same-origin')
        return findLanguage(c)
      }),
      errors: 'page',
      handle: (language, _, c) => sendPage(c, idSessionPage(language)),
    }),
    route(`POST ${path}`, 'endSession', 'End an ID session', {
      access: accessInSandbox((c) => TE.fromEither(uuidParam(c))),
      errors: 'page',
      description: 'To the session_url of wait_for_id_verification.',
      body: formBodyOf(SessionForm, {
        verified: { status: 'VERIFIED' },
        failed: { status: 'FAILED' },
        interrupted: { status: 'ERROR' },
      }),
      ok: answer(
        'Accepted. A finished session keeps its result. A page, if the client accepts HTML.',
        { ...json(SessionView, { verified: { status: 'VERIFIED' } }), ...HTML },
      ),
      problems: {
        400: 'Invalid status.',
        404: 'The order does not exist, or now has another session.',
      },
      handle: (orderRef, { status }, c) =>
        pipe(
          record(orderRef, c.req.param('token'), status),
          TE.chainW(
            (): TE.TaskEither<KnownError, Response | t.TypeOf<typeof SessionView>> =>
              wantsPage(c) ? showEnd(c, 'thanks') : TE.right({ status }),
          ),
          TE.orElseW((error: KnownError) =>
            error._tag === 'SessionNotFound' && wantsPage(c) ? showEnd(c, 'ended') : TE.left(error),
          ),
        ),
    }),
  ]
}
