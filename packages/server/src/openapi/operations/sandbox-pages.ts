// Developers read here how the simulated card form and ID session end, so that their tests need no browser.
import { CardForm, ChallengeForm, cardMessage, SavedCardForm, SessionForm, SessionView } from '@plazo/core'
import {
  answer,
  body,
  form,
  frontendCall,
  HTML,
  JAVASCRIPT,
  json,
  NO_ORDER,
  type Operation,
  type Operations,
  ORDER_REF,
  PAGE,
  type Setting,
  sandboxCall,
  TOKEN,
} from '../operation.ts'

const NO_PAYMENT = 'Order or payment not found.'
const PAY = '/pay/:uuid/:token'
const VERIFY = '/verify/:uuid/:token'

const page = (id: string, title: string, problem: string): Operation =>
  frontendCall(id, title, {
    answers: {
      200: PAGE,
      303: answer('If a provider serves the port: a redirect to the provider’s page.', [], { Location: 'The page.' }),
    },
    problems: { 404: problem },
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
  const answers = { 200: answer('The form’s message to the page around it.', message) }
  return {
    'GET /sdk/card-form.js': frontendCall('cardFormSdk', 'Load the script that mounts the card form', {
      description: `It shows iframe_url in an iframe, and turns these messages into callbacks: ${service}.form_loaded, invalid_form, card_data_fulfilled, payment_submitted, payment_successful, payment_failed, 3ds_authentication and resized.`,
      answers: { 200: answer('The script.', JAVASCRIPT) },
    }),
    [`GET ${PAY}`]: page('showCardForm', 'Show the card form', NO_PAYMENT),
    [`POST ${PAY}`]: sandboxCall('payByCard', 'Pay by card', {
      description: 'The card form itself submits this to the iframe_url of require_payment.',
      body: body(
        form(CardForm, {
          'a card that pays': CARD,
          'a card that is declined': { ...CARD, number: '4000000000000002' },
          'a card that asks for 3-D Secure': { ...CARD, number: '4000000000003220', save: 'on' },
        }),
      ),
      answers,
      problems: { 404: NO_PAYMENT },
    }),
    [`GET ${PAY}/card/:card`]: page('showSavedCardForm', 'Show a saved card’s form', NO_PAYMENT),
    [`POST ${PAY}/card/:card`]: sandboxCall('payBySavedCard', 'Pay with a saved card', {
      body: body(form(SavedCardForm, { cvc: { cvc: '123' } })),
      answers,
      problems: { 404: 'Order, payment or card not found.' },
    }),
    [`GET ${PAY}/3ds/:challenge`]: page('showChallenge', 'Show the bank’s 3-D Secure page', NO_PAYMENT),
    [`POST ${PAY}/3ds/:challenge`]: sandboxCall('endChallenge', 'End 3-D Secure', {
      body: body(form(ChallengeForm, { success: { status: 'success' }, failure: { status: 'failure' } })),
      answers,
      problems: { 400: 'Invalid status.', 404: 'Order, payment or authentication not found.' },
    }),
    [`GET ${VERIFY}`]: page('showSession', 'Show the ID session', NO_ORDER),
    [`POST ${VERIFY}`]: sandboxCall('endSession', 'End an ID session', {
      description: 'To the session_url of wait_for_id_verification.',
      body: body(
        form(SessionForm, {
          verified: { status: 'VERIFIED' },
          failed: { status: 'FAILED' },
          interrupted: { status: 'ERROR' },
        }),
      ),
      answers: {
        200: answer('Accepted. A finished session keeps its result. A page, if the client accepts HTML.', [
          json(SessionView, { verified: { status: 'VERIFIED' } }),
          HTML,
        ]),
      },
      problems: { 400: 'Invalid status.', 404: 'The order does not exist, or now has another session.' },
    }),
  }
}
