// Shops read here how their page identifies the shopper, and where the hosted form is. The same
// code builds the examples and the real answers.
import {
  checkoutMetadata,
  checkoutSummary,
  identificationAction,
  type Order,
  type OrderContext,
  waitAction,
} from '@plazo/core'
import {
  CATALOGUE,
  CheckoutMetadata,
  CheckoutSummary,
  type CreditProduct,
  IdentificationAction,
  identificationForm,
  WaitAction,
} from '@plazo/core/protocol'
import { legal, orderAt, payment, person, screeningFor, session, termsOf } from '../examples.ts'
import {
  answer,
  call,
  HTML,
  json,
  jsonAnswer,
  merchantHeader,
  NO_PRODUCT,
  type Operations,
  PAGE,
  PRODUCT_QUERY,
  type Setting,
} from '../operation.ts'

const PATH = '/api/v1/checkout/:uuid'

const CART = JSON.stringify({
  order: { cart: { items: [{ name: 'Lamp', quantity: 1, total_with_tax: 12_100 }] } },
})

export const checkoutOperations = (setting: Setting): Operations => {
  const { names, baseUrl } = setting
  const terms = termsOf(setting)
  // The same code builds these actions for real orders.
  const exampleOf =
    <A>(action: (order: Order, of: typeof terms, at: number) => A) =>
    (checkout: Order['state']['checkout'], changes: Partial<OrderContext> = {}): A => {
      const reached = orderAt(setting, checkout, changes)
      return action(reached, terms, reached.context.updatedAt)
    }
  const submitted = exampleOf(identificationAction)
  const waited = exampleOf(waitAction)
  const metadataOf = checkoutMetadata({
    privacyField: names.privacyField,
    privacyPolicy: `${baseUrl}/privacy`,
  })
  const order = orderAt(setting, 'identifying')
  const ofEachProduct = <A>(
    exampleFor: (product: CreditProduct) => A,
  ): Readonly<Record<string, A>> =>
    Object.fromEntries(CATALOGUE.map((product) => [product.text.en.title, exampleFor(product)]))
  const examples = {
    'the shopper’s data': person(names),
    'with the code from the SMS': { ...person(names), validation_code: '12345' },
    'with another product': {
      ...person(names),
      credit_agreement: { product: 'pp3', instalment_count: 3 },
    },
  }
  return {
    [`POST ${PATH}/identification`]: call.frontend('identify', 'Submit the identification form', {
      isLimited: true,
      description:
        'Answers the next action, always with 200. Submit again whenever the answer asks for more: a code, a corrected field, or the outcome of the screening. A merchant may make any field optional. For a merchant in Spain, nin and postal_code must have the Spanish format. Where people have one surname, one is enough. Numbers, dates and postal codes are read as people see them, and the patterns describe what is read: invisible characters do not count, and other dashes and digits are those of ASCII.',
      body: {
        ...json(identificationForm(names.privacyField, null), examples),
        codecs: [
          identificationForm(names.privacyField, null),
          identificationForm(names.privacyField, 'ES'),
        ],
      },
      ok: jsonAnswer('The next action.', IdentificationAction, {
        'wrong fields': {
          action: 'show_identification_form',
          errors: { surnames: 'invalid', [names.privacyField]: 'invalid' },
        },
        'a code was sent': submitted('verifyingPhone'),
        'screening runs': submitted('screening', { screening: screeningFor(60) }),
        'a payment is due': submitted('paying', { payments: [payment] }),
        'an ID must be verified': submitted('started', { session }),
        'the order is confirmed': submitted('confirmed'),
        'it failed': submitted('failed', { failure: 'payment' }),
      }),
    }),
    [`GET ${PATH}/wait`]: call.frontend('wait', 'Poll the next action', {
      isLimited: true,
      description: 'Poll while the answer is one of the wait_… actions. This call changes nothing.',
      ok: jsonAnswer('The next action.', WaitAction, {
        'screening runs': waited('screening', { screening: screeningFor(42) }),
        'submit again to learn the outcome': waited('screened'),
        'another plan is offered': waited('choosingAlternative', {
          alternative: { agreements: [{ product: 'i1', instalmentCount: 1 }], forcedIndex: 0 },
        }),
        'the merchant is asked to confirm': waited('confirming'),
        'the merchant refused the order': waited('conflicted'),
        'the order is confirmed': waited('confirmed'),
      }),
    }),
    [`GET ${PATH}/metadata`]: call.frontend('showMetadata', 'Get form metadata', {
      isLimited: true,
      parameters: { product_code: PRODUCT_QUERY },
      ok: jsonAnswer(
        'The fields, checkboxes and plans to render.',
        CheckoutMetadata,
        ofEachProduct((product) => metadataOf(order, product)),
      ),
      problems: { 400: NO_PRODUCT },
    }),
    [`GET ${PATH}/summary`]: call.frontend('showSummary', 'Get the summary of a checkout', {
      isLimited: true,
      description:
        'From whom the shopper buys, what, on which terms, and who lends. While a code is awaited it also has the last digits of the phone, the time to the next code, and how many codes and tries are left. After a rejection it says whether that was decided automatically.',
      parameters: { product_code: PRODUCT_QUERY },
      ok: jsonAnswer(
        'The seller, the cart and the plans.',
        CheckoutSummary,
        ofEachProduct((product) =>
          checkoutSummary(order, product, {
            ...{ seller: 'Demo shop', payload: CART, legal },
            at: order.placed.placedAt,
          }),
        ),
      ),
      problems: { 400: NO_PRODUCT },
    }),
    'GET /orders/:uuid/form_v2': call.merchant('showHostedForm', 'Fetch the hosted checkout', {
      description:
        'A complete page for the shopper’s browser in the order’s language, from the first field to the return_url.',
      parameters: { ...merchantHeader(setting), product: PRODUCT_QUERY },
      ok: PAGE,
      problems: { 400: NO_PRODUCT },
    }),
    'GET /privacy': call.frontend('showPrivacy', 'Read the privacy page', {
      ok: answer('The page, in the language of Accept-Language.', HTML),
    }),
  }
}
