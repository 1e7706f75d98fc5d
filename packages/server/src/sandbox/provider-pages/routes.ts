// Simulates the pages behind `iframe_url` and `session_url` in the sandbox: the card form with 3-D
// Secure, and the ID session. Contract §10.

import { checkCard, isCvc } from '@plazo/adapters/internal/sandbox'
import {
  type Links,
  languageOf,
  type Order,
  type Payment,
  type PaymentUpdate,
  payButtonText,
  paymentWith,
  recordPayment,
  recordVerification,
  type SavedCard,
} from '@plazo/core/internal'
import {
  answer,
  anyOrder,
  type Body,
  bodyOf,
  decode,
  findPayment,
  form,
  formBody,
  HTML,
  json,
  ORDER_REF,
  paymentError,
  type Route,
  refused,
  route,
  sendPage,
  showThrown,
  TOKEN,
  value,
  wantsPage,
} from '@plazo/server/internal'
import * as E from 'fp-ts/lib/Either.js'
import { type Context, Hono } from 'hono'
import type * as t from 'io-ts'
import { DEMO_CARD } from '../demo-people.ts'
import {
  CardForm,
  type CardMessage,
  ChallengeForm,
  cardMessage,
  SavedCardForm,
  SessionForm,
  SessionView,
} from '../protocol.ts'
import { accessInSandbox, type SandboxServices } from '../services.ts'
import { bankPage, cardFormPage, idSessionEndPage, idSessionPage } from './page.ts'

const PAY = '/sandbox/pay/:uuid/:token'
const VERIFY = '/sandbox/verify/:uuid/:token'

/** Where orders send the shopper for a payment. */
export const payLinks = (baseUrl: string): Pick<Links, 'pay' | 'payWithCard'> => {
  const pay = (orderRef: string, token: string) => `${baseUrl}/sandbox/pay/${orderRef}/${token}`
  return { pay, payWithCard: (orderRef, token, card) => `${pay(orderRef, token)}/card/${card}` }
}

/** Where orders send the shopper to verify an ID. */
export const verifyLinks = (baseUrl: string): Pick<Links, 'verify'> => ({
  verify: (orderRef, token) => `${baseUrl}/sandbox/verify/${orderRef}/${token}`,
})

/** The fields of all forms that are posted here. */
const FIELDS = ['number', 'expiry', 'cvc', 'save', 'status']

const formBodyOf = <B>(
  codec: t.Type<B, unknown>,
  examples: Readonly<Record<string, unknown>>,
): Body<B> =>
  bodyOf(form(codec, examples), async (c) => {
    const fields = await formBody(c, FIELDS)
    return decode(codec, fields)
  })

type Found = { readonly order: Order; readonly payment: Payment }

const challengeOn = (c: Context, { payment: { challenge } }: Found) => {
  if (challenge !== null && challenge.token === c.req.param('challenge')) return challenge
  throw refused(404, 'Authentication not found.')
}

/** The saved card that the path names. */
const cardOn = (c: Context, { order }: Found) => {
  const card = order.context.cards.find(({ token }) => token === c.req.param('card'))
  if (card) return card
  throw refused(404, 'Card not found.')
}

/** The forms of `payPages` are posted here. */
export const payRoutes = ({ host }: SandboxServices): readonly Route[] => {
  const record = recordPayment(host)
  const { links, names } = host.terms
  const { service } = names
  const paid: CardMessage = { action: `${service}.payment_successful` }
  const declined: CardMessage = {
    action: `${service}.payment_failed`,
    error: 'The card was declined.',
  }
  const invalid: CardMessage = { action: `${service}.invalid_form` }
  const bank = (orderRef: string, token: string, challenge: string): CardMessage => ({
    action: `${service}.3ds_authentication`,
    src: `${links.pay(orderRef, token)}/3ds/${challenge}`,
  })

  const apply = async (found: Found, update: PaymentUpdate): Promise<CardMessage> => {
    const { orderRef } = found.order.placed
    const { token } = found.payment
    const { order } = await value(record(orderRef, token, update))
    const { state, challenge } = paymentWith(order, token) ?? found.payment
    if (state === 'succeeded' || state === 'unexpected') return paid
    return state === 'open' && challenge ? bank(orderRef, token, challenge.token) : declined
  }

  const common = {
    access: accessInSandbox(findPayment(host)),
    ok: answer(
      'The form’s message to the page around it.',
      json(cardMessage(service), {
        paid,
        declined,
        '3-D Secure comes first': bank(ORDER_REF, TOKEN, '1fQz8vN4pLr0Xc2b7Ym9Dg'),
        'a field is wrong; this is not an attempt': invalid,
      }),
    ),
    problems: { 404: 'The order, the payment, the card or the authentication was not found.' },
  }
  return [
    route(`POST ${PAY}`, 'payByCard', 'Pay by card', {
      ...common,
      description: 'The card form itself submits this to the iframe_url of require_payment.',
      body: formBodyOf(CardForm, {
        'a card that pays': DEMO_CARD,
        'a card that is declined': { ...DEMO_CARD, number: '4000000000000002' },
        'a card that asks for 3-D Secure': { ...DEMO_CARD, number: '4000000000003220', save: 'on' },
      }),
      handle: (found, { number = '', expiry = '', cvc = '', save }) => {
        const verdict = checkCard({ number, expiry, cvc }, host.clock.now())
        const keep = save === 'on'
        switch (verdict.type) {
          case 'invalid':
            return invalid
          case 'declined':
            return apply(found, { type: 'payment.failed', reason: 'declined' })
          case 'pays':
            return apply(found, { type: 'payment.succeeded', card: verdict.card, keep })
          case 'challenged': {
            const { token } = host.ids.random()
            return apply(found, { type: 'payment.challenged', token, card: verdict.card, keep })
          }
        }
      },
    }),
    route(`POST ${PAY}/card/:card`, 'payBySavedCard', 'Pay with a saved card', {
      ...common,
      body: formBodyOf(SavedCardForm, { cvc: { cvc: '123' } }),
      handle: (found, { cvc = '' }, c) => {
        cardOn(c, found)
        return isCvc(cvc)
          ? apply(found, { type: 'payment.succeeded', card: null, keep: false })
          : invalid
      },
    }),
    route(`POST ${PAY}/3ds/:challenge`, 'endChallenge', 'End 3-D Secure', {
      ...common,
      body: formBodyOf(ChallengeForm, {
        success: { status: 'success' },
        failure: { status: 'failure' },
      }),
      handle: (found, { status }, c) => {
        const { card, keep } = challengeOn(c, found)
        return status === 'success'
          ? apply(found, { type: 'payment.succeeded', card, keep })
          : apply(found, { type: 'payment.failed', reason: 'authentication failed' })
      },
    }),
  ]
}

/** The pages behind `iframe_url` and the bank's `src`. */
export const payPages = ({ host, showError }: SandboxServices): Hono => {
  const { service } = host.terms.names
  const find = findPayment(host)
  const showForm = async (c: Context, savedOf: (found: Found) => SavedCard | null) => {
    const found = await value(find(c))
    const { order, payment } = found
    const language = languageOf(order.placed.language)
    const button = payButtonText(order, payment.amount)
    return sendPage(c, cardFormPage(service, language, savedOf(found), button))
  }
  const pages = new Hono()
  pages.onError(showThrown(showError, paymentError(host)))
  return pages
    .get(PAY, (c) => showForm(c, () => null))
    .get(`${PAY}/card/:card`, (c) => showForm(c, (found) => cardOn(c, found)))
    .get(`${PAY}/3ds/:challenge`, async (c) => {
      const found = await value(find(c))
      challengeOn(c, found)
      return sendPage(c, bankPage(service, languageOf(found.order.placed.language)))
    })
}

/** The page behind `session_url`. */
export const verifyPages = ({ host }: SandboxServices): Hono =>
  new Hono().get(VERIFY, async (c) => {
    // Under no-referrer, the form's Origin would be null, and be refused as a foreign one.
    c.header('referrer-policy', 'same-origin')
    const { placed } = await value(anyOrder(host)(c))
    return sendPage(c, idSessionPage(languageOf(placed.language)))
  })

/**
 * The form of `verifyPages` is posted here. It works without a script: a browser gets a page, and
 * other clients get JSON. Contract §10.
 */
export const verifyRoutes = ({ host }: SandboxServices): readonly Route[] => {
  const record = recordVerification(host)
  return [
    route(`POST ${VERIFY}`, 'endSession', 'End an ID session', {
      access: accessInSandbox(anyOrder(host)),
      showsPages: true,
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
      handle: async ({ placed }, { status }, c) => {
        const recorded = await record(placed.orderRef, c.req.param('token'), status)()
        const isOver = E.isLeft(recorded) && recorded.left._tag === 'SessionNotFound'
        if (!isOver || !wantsPage(c)) await value(async () => recorded)
        if (!wantsPage(c)) return { status }
        const page = idSessionEndPage(languageOf(placed.language), isOver ? 'ended' : 'thanks')
        return sendPage(c, page, isOver ? 404 : 200)
      },
    }),
  ]
}
