// Developers read here how the simulated card form and ID session end, so that their tests need no
// browser.
import {
  CardForm,
  ChallengeForm,
  cardMessage,
  SavedCardForm,
  SessionForm,
  SessionView,
} from '@plazo/core/protocol'
import {
  answer,
  call,
  form,
  HTML,
  json,
  type Operation,
  type Operations,
  ORDER_REF,
  PAGE,
  type Setting,
  TOKEN,
} from '../operation.ts'

const NO_PAYMENT = { 404: 'Order or payment not found.' }
const PAY = '/pay/:uuid/:token'
const VERIFY = '/verify/:uuid/:token'

const page = (id: string, title: string, problems: Operation['problems'] = {}): Operation =>
  call.frontend(id, title, {
    answers: {
      200: PAGE,
      303: answer('If a provider serves the port: a redirect to the provider’s page.', [], {
        Location: 'The page.',
      }),
    },
    problems,
  })

const CARD = { number: '4111111111111111', expiry: '12/40', cvc: '123' }

export const payOperations = ({ names: { service }, baseUrl }: Setting): Operations => {
  const message = json(cardMessage(service), {
    paid: { action: `${service}.payment_successful` },
    declined: { action: `${service}.payment_failed`, error: 'The card was declined.' },
    '3-D Secure comes first': {
      action: `${service}.3ds_authentication`,
      src: `${baseUrl}/pay/${ORDER_REF}/${TOKEN}/3ds/1fQz8vN4pLr0Xc2b7Ym9Dg`,
    },
    'a field is wrong; this is not an attempt': { action: `${service}.invalid_form` },
  })
  const ok = answer('The form’s message to the page around it.', message)
  return {
    [`GET ${PAY}`]: page('showCardForm', 'Show the card form', NO_PAYMENT),
    [`POST ${PAY}`]: call.sandbox('payByCard', 'Pay by card', {
      description: 'The card form itself submits this to the iframe_url of require_payment.',
      body: form(CardForm, {
        'a card that pays': CARD,
        'a card that is declined': { ...CARD, number: '4000000000000002' },
        'a card that asks for 3-D Secure': { ...CARD, number: '4000000000003220', save: 'on' },
      }),
      ok,
      problems: NO_PAYMENT,
    }),
    [`GET ${PAY}/card/:card`]: page('showSavedCardForm', 'Show a saved card’s form', NO_PAYMENT),
    [`POST ${PAY}/card/:card`]: call.sandbox('payBySavedCard', 'Pay with a saved card', {
      body: form(SavedCardForm, { cvc: { cvc: '123' } }),
      ok,
      problems: { 404: 'Order, payment or card not found.' },
    }),
    [`GET ${PAY}/3ds/:challenge`]: page(
      'showChallenge',
      'Show the bank’s 3-D Secure page',
      NO_PAYMENT,
    ),
    [`POST ${PAY}/3ds/:challenge`]: call.sandbox('endChallenge', 'End 3-D Secure', {
      body: form(ChallengeForm, { success: { status: 'success' }, failure: { status: 'failure' } }),
      ok,
      problems: { 400: 'Invalid status.', 404: 'Order, payment or authentication not found.' },
    }),
    [`GET ${VERIFY}`]: page('showSession', 'Show the ID session'),
    [`POST ${VERIFY}`]: call.sandbox('endSession', 'End an ID session', {
      description: 'To the session_url of wait_for_id_verification.',
      body: form(SessionForm, {
        verified: { status: 'VERIFIED' },
        failed: { status: 'FAILED' },
        interrupted: { status: 'ERROR' },
      }),
      ok: answer(
        'Accepted. A finished session keeps its result. A page, if the client accepts HTML.',
        [json(SessionView, { verified: { status: 'VERIFIED' } }), HTML],
      ),
      problems: {
        400: 'Invalid status.',
        404: 'The order does not exist, or now has another session.',
      },
    }),
  }
}
