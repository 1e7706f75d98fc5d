// What the document says of the routes in checkout.ts.
import { CheckoutMetadata, IdentificationAction, identificationForm, PERSON_FIELDS, WaitAction } from '@plazo/core'
import * as t from 'io-ts'
import { amount, ORDER_REF, person } from '../openapi/examples.ts'
import {
  answer,
  HTML,
  json,
  KIB_OF_OTHERS,
  NO_ORDER,
  type Operations,
  type Setting,
  shopOf,
} from '../openapi/operation.ts'

const nothing = { value: 0, string: '€0.00' }

const payLater = {
  product: 'i1',
  instalment_count: 1,
  grand_total: amount,
  instalment_total: amount,
  down_payment_total: nothing,
  cost_of_credit: nothing,
}

const PATH = '/api/v1/checkout/:uuid'

export const checkoutOperations = (setting: Setting): Operations => {
  const { names, baseUrl } = setting
  const finish = { action: 'finish' as const, return_url: `${shopOf(setting)}/return` }
  const card = `${baseUrl}/pay/${ORDER_REF}/kK0VbFq3TzqY1xQ5mZr2Jw`
  const requirePayment = { action: 'require_payment' as const, iframe_url: card, reusable_cards: [], amount }
  const examples = {
    'the shopper’s data': person(names),
    'with the code from the SMS': { ...person(names), validation_code: '12345' },
    'with another product': { ...person(names), credit_agreement: { product: 'pp3', instalment_count: 3 } },
  }
  return {
    [`POST ${PATH}/identification`]: {
      id: 'identify',
      isLimited: true,
      caller: 'frontend',
      title: 'Submit the identification form',
      tells:
        'Answers what to do next, always with 200. Submitted again whenever the answer asks for more: a code, a corrected field, the outcome of the screening. A merchant may make any field optional; of a merchant in Spain, nin and postal_code are judged as Spanish ones.',
      body: {
        kibMax: KIB_OF_OTHERS,
        contents: [
          {
            ...json(identificationForm(names.privacyField, null), examples),
            codecs: [identificationForm(names.privacyField, null), identificationForm(names.privacyField, 'ES')],
          },
        ],
      },
      answers: {
        200: answer(
          'The next action.',
          json(IdentificationAction, {
            'wrong fields': {
              action: 'show_identification_form',
              errors: { surnames: 'invalid', [names.privacyField]: 'invalid' },
            },
            'a code was sent': { action: 'require_validate_otp' },
            'screening runs': {
              action: 'wait_for_screening',
              expires_in_seconds: 60,
              polling_url: `${baseUrl}/api/v1/checkout/${ORDER_REF}/wait`,
            },
            'a payment is due': requirePayment,
            'an ID must be verified': {
              action: 'wait_for_id_verification',
              session_url: `${baseUrl}/verify/${ORDER_REF}/kK0VbFq3TzqY1xQ5mZr2Jw`,
              status: 'STARTED',
              message: 'Identity verification has started.',
            },
            'the order is confirmed': finish,
            'it failed': { action: 'show_error', messages: ['It failed.'], errors: ['It failed.'] },
          }),
        ),
      },
      problems: { 404: NO_ORDER },
    },
    [`GET ${PATH}/wait`]: {
      id: 'wait',
      isLimited: true,
      caller: 'frontend',
      title: 'Ask what has become of the checkout',
      tells: 'Polled while the answer is one of the wait_… actions. It changes nothing.',
      answers: {
        200: answer(
          'The next action.',
          json(WaitAction, {
            'screening runs': { action: 'wait_for_screening', expires_in: 42 },
            'submit again to learn the outcome': { action: 'resume_after_screening' },
            'another plan is offered': {
              action: 'alt_payment',
              title: 'Another way to pay',
              messages: ['This one is offered to you instead.'],
              credit_agreements: [payLater],
              forced_credit_agreement_index: 0,
              errors: {},
            },
            'the merchant is asked': { action: 'wait_for_confirmation' },
            'the merchant could not take it': { action: 'show_conflict' },
            'the order is confirmed': finish,
          }),
        ),
      },
      problems: { 404: NO_ORDER },
    },
    [`GET ${PATH}/metadata`]: {
      id: 'showMetadata',
      isLimited: true,
      caller: 'frontend',
      title: 'See what a form of one’s own is drawn by',
      parameters: {
        product_code: {
          in: 'query',
          tells: 'A product that the order may have; the one that it stands on unless given.',
          codec: t.string,
          example: 'pp3',
        },
      },
      answers: {
        200: answer(
          'The fields, the checkboxes and the plans.',
          json(CheckoutMetadata, {
            'pay later': {
              product_code: 'i1',
              requested_fields: [...PERSON_FIELDS],
              checkboxes: [{ id: names.privacyField, checked: false, required: true, url: `${baseUrl}/privacy` }],
              total_with_tax: amount.value,
              credit_agreement: [{ ...payLater, default: true }],
            },
          }),
        ),
      },
      problems: { 400: 'The order may not have the product.', 404: NO_ORDER },
    },
    'GET /privacy': {
      id: 'showPrivacy',
      caller: 'frontend',
      title: 'Read what becomes of the shopper’s data',
      answers: { 200: answer('The page, in the language that Accept-Language asks for.', HTML) },
    },
  }
}
