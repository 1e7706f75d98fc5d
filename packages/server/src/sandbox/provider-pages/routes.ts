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
import {
  CardForm,
  type CardMessage,
  ChallengeForm,
  languageOf,
  SavedCardForm,
  SessionForm,
  type SessionView,
} from '@plazo/core/protocol'
import { identity, pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { type Context, Hono } from 'hono'
import type * as t from 'io-ts'
import { anyOrder } from '../../http/access.ts'
import { errorsAsPages, respondWith, wantsPage } from '../../http/answers.ts'
import { formBody, limitBody } from '../../http/body.ts'
import { type Page, sendPage } from '../../http/page/page.ts'
import { type KnownError, requestError } from '../../http/problem.ts'
import { decode, uuidParam } from '../../http/request.ts'
import type { Services } from '../../http/services.ts'
import { paymentError, paymentOnPage } from '../../providers/routes.ts'
import { bankPage, cardFormPage, idSessionEndPage, idSessionPage } from './page.ts'

type OrderPayment = { readonly order: Order; readonly payment: Payment }

/** Applies a posted form to a payment. The result is a message for the page around the form. */
type JudgeForm<A> = (
  c: Context,
  orderPayment: OrderPayment,
  fields: A,
) => TE.TaskEither<KnownError, CardMessage>

const DECLINED = 'The card was declined.'

/** The fields of all forms that are posted here. */
const FIELDS = ['number', 'expiry', 'cvc', 'save', 'status']

export const payRoutes = ({ host, baseUrl, answerError, respond }: Services) => {
  const respondForm = respondWith(errorsAsPages(answerError, paymentError(host)))
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

  const payByCard: JudgeForm<t.TypeOf<typeof CardForm>> = (_, orderPayment, fields) => {
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
    c,
    orderPayment,
    { cvc = '' },
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

  const endChallenge: JudgeForm<t.TypeOf<typeof ChallengeForm>> = (c, orderPayment, { status }) =>
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

  const handleForm =
    <A>(codec: t.Decoder<unknown, A>, judge: JudgeForm<A>) =>
    (c: Context) =>
      pipe(
        findPayment(c),
        TE.bindTo('orderPayment'),
        TE.bindW('form', () => formBody(c, FIELDS)),
        TE.bindW('fields', ({ form }) => TE.fromEither(decode(codec, form))),
        TE.chainW(({ orderPayment, fields }) => judge(c, orderPayment, fields)),
        respond(c),
      )

  const showForm = (c: Context, pageOf: (orderPayment: OrderPayment) => Page) =>
    respondForm(c, (orderPayment: OrderPayment) => sendPage(c, pageOf(orderPayment)))

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

  const PATH = '/pay/:uuid/:token'
  return new Hono()
    .get(PATH, (c) => pipe(findPayment(c), showForm(c, cardForm())))
    .post(PATH, limitBody(), handleForm(CardForm, payByCard))
    .get(`${PATH}/card/:card`, (c) =>
      pipe(findPayment(c), showForm(c, cardForm(c.req.param('card')))),
    )
    .post(`${PATH}/card/:card`, limitBody(), handleForm(SavedCardForm, payBySavedCard))
    .get(`${PATH}/3ds/:challenge`, (c) =>
      pipe(
        findPayment(c),
        TE.tap(findChallenge(c)),
        showForm(c, ({ order }) => bankPage(service, languageOf(order.placed.language))),
      ),
    )
    .post(`${PATH}/3ds/:challenge`, limitBody(), handleForm(ChallengeForm, endChallenge))
}

/**
 * Simulates the ID session behind `session_url` in the sandbox. Its form works without a script: a
 * browser gets a page, and any other client JSON. Contract §10.
 */
export const verifyRoutes = ({ host, respondPage }: Services) => {
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

  return new Hono()
    .get('/verify/:uuid/:token', (c) => {
      // Under no-referrer, the form's Origin would be null, and be refused as a foreign one.
      c.header('referrer-policy', 'same-origin')
      return pipe(
        findLanguage(c),
        respondPage(c, (language) => sendPage(c, idSessionPage(language))),
      )
    })
    .post('/verify/:uuid/:token', limitBody(), (c) =>
      pipe(
        TE.fromEither(uuidParam(c)),
        TE.bindTo('orderRef'),
        TE.bindW('form', () => formBody(c, ['status'])),
        TE.bindW('ended', ({ form }) => TE.fromEither(decode(SessionForm, form))),
        TE.tap(({ orderRef, ended }) => record(orderRef, c.req.param('token'), ended.status)),
        TE.chainW(({ ended: { status } }) =>
          wantsPage(c)
            ? showEnd(c, 'thanks')
            : TE.right(c.json({ status } satisfies t.TypeOf<typeof SessionView>)),
        ),
        TE.orElseW((error: KnownError) =>
          error._tag === 'SessionNotFound' && wantsPage(c) ? showEnd(c, 'ended') : TE.left(error),
        ),
        respondPage(c, identity),
      ),
    )
}
