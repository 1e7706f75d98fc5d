// The shopper's frontend calls these routes: identification, wait, and what it shows: the form's
// metadata and the summary. The uuid is the capability. A shop without a frontend of its own gets
// the hosted checkout. Interface §4.1, §4.2, contract §3, §4.
import {
  awaitOutcome,
  CATALOGUE,
  CheckoutMetadata,
  CheckoutSummary,
  checkoutMetadata,
  checkoutSummary,
  formFields,
  IdentificationAction,
  identificationAction,
  identificationForm,
  legalFor,
  submitIdentification,
  WaitAction,
  waitAction,
} from '@plazo/core/internal'
import { type Context, Hono } from 'hono'
import { anyOrder, type OrderAccess } from '../../http/access.ts'
import { sendPage } from '../../http/page/page.ts'
import { acceptedLanguage, jsonBody, readProduct } from '../../http/request.ts'
import {
  accessBy,
  bodyOf,
  jsonAnswer,
  jsonRequest,
  PAGE,
  query,
  type Route,
  route,
  uuidParam,
  value,
} from '../../http/route.ts'
import type { Services } from '../../http/services.ts'
import {
  exampleLegal,
  NOON,
  orderAt,
  payment,
  person,
  screeningFor,
  session,
} from '../docs/openapi/examples.ts'
import { closedCheckout, hostedCheckout, privacyPage } from './page.ts'

const PRIVACY_PATH = '/privacy'

const CART = JSON.stringify({
  order: { cart: { items: [{ name: 'Lamp', quantity: 1, total_with_tax: 12_100 }] } },
})

const product = query('One of the order’s products. Default: its current product.', {
  example: 'pp3',
})
const problems = { 400: 'The product is not available for this order.' }

/** The order, and the product that the query names. */
const withProduct = (findOrder: OrderAccess, name: string) => async (c: Context) => {
  const order = await value(findOrder(c))
  return { order, product: readProduct(c, name, order) }
}

export const checkoutRoutes = (services: Services): readonly Route[] => {
  const { host, merchants, byOwner, config, setting, legal, limits } = services
  const { baseUrl, names } = setting
  const { privacyField } = names
  const submit = submitIdentification(host)
  const fieldsOf = formFields(privacyField)
  const metadata = checkoutMetadata({
    privacyField,
    privacyPolicy: config.privacyPolicyUrl ?? `${baseUrl}${PRIVACY_PATH}`,
  })
  const checkout = accessBy('frontend', uuidParam)
  const order = accessBy('frontend', withProduct(anyOrder(host), 'product_code'), {
    product_code: product,
  })

  // The same code builds these actions for real orders.
  const answerSubmission = (...order: Parameters<typeof orderAt>) =>
    identificationAction(orderAt(...order), host.terms, NOON)
  const answerPoll = (...order: Parameters<typeof orderAt>) =>
    waitAction(orderAt(...order), host.terms, NOON)
  const exampleOrder = orderAt('identifying')

  return [
    route(`POST ${PATH}/identification`, 'identify', 'Submit the identification form', {
      access: checkout,
      anyOrigin: true,
      limit: limits.submissions,
      description:
        'Answers the next action, always with 200. Submit again whenever the answer asks for more: a code, a corrected field, or the outcome of the screening. The patterns describe what is read of numbers, dates and postal codes: invisible characters do not count, and other dashes and digits are those of ASCII.',
      body: bodyOf(
        jsonRequest(
          {
            anyOf: ([1, 2] as const).flatMap((surnames) => [
              identificationForm(privacyField, null, surnames),
              identificationForm(privacyField, 'ES', surnames),
            ]),
          },
          {
            'the shopper’s data': person(names),
            'with the code from the SMS': { ...person(names), validation_code: '12345' },
            'with another product': {
              ...person(names),
              credit_agreement: { product: 'pp3', instalment_count: 3 },
            },
          },
        ),
        jsonBody,
      ),
      ok: jsonAnswer('The next action.', IdentificationAction, {
        'wrong fields': {
          action: 'show_identification_form',
          errors: { surnames: 'invalid', [privacyField]: 'invalid' },
        },
        'a code was sent': answerSubmission('verifyingPhone'),
        'screening runs': answerSubmission('screening', { screening: screeningFor(60) }),
        'a payment is due': answerSubmission('paying', { payments: [payment] }),
        'an ID must be verified': answerSubmission('started', { session }),
        'the order is confirmed': answerSubmission('confirmed'),
        'it failed': answerSubmission('failed', { failure: 'payment' }),
      }),
      handle: (orderRef, body) => submit(orderRef, fieldsOf(body)),
    }),
    route(`GET ${PATH}/wait`, 'wait', 'Poll the next action', {
      access: checkout,
      anyOrigin: true,
      limit: limits.polls,
      description: 'Poll while the answer is one of the wait_… actions. This call changes nothing.',
      ok: jsonAnswer('The next action.', WaitAction, {
        'screening runs': answerPoll('screening', { screening: screeningFor(42) }),
        'submit again to learn the outcome': answerPoll('screened'),
        'another plan is offered': answerPoll('choosingAlternative', {
          alternative: { agreements: [{ product: 'i1', instalmentCount: 1 }], forcedIndex: 0 },
        }),
        'the merchant is asked to confirm': answerPoll('confirming'),
        'the merchant refused the order': answerPoll('conflicted'),
        'the order is confirmed': answerPoll('confirmed'),
      }),
      handle: awaitOutcome(host),
    }),
    route(`GET ${PATH}/metadata`, 'showMetadata', 'Get form metadata', {
      access: order,
      anyOrigin: true,
      limit: limits.metadata,
      ok: jsonAnswer('The fields, checkboxes and plans to render.', CheckoutMetadata, {
        'pay later': metadata(exampleOrder, CATALOGUE[0]),
      }),
      problems,
      handle: ({ order, product }) => metadata(order, product),
    }),
    route(`GET ${PATH}/summary`, 'showSummary', 'Get the summary of a checkout', {
      access: order,
      anyOrigin: true,
      limit: limits.metadata,
      description:
        'From whom the shopper buys, what, on which terms, and who lends. While a code is awaited it also has the last digits of the phone, the time to the next code, and how many codes and tries are left. After a rejection it says whether that was decided automatically.',
      ok: jsonAnswer('The seller, the cart and the plans.', CheckoutSummary, {
        'pay later': checkoutSummary(exampleOrder, CATALOGUE[0], {
          seller: 'Demo shop',
          payload: CART,
          legal: exampleLegal,
          at: NOON,
        }),
      }),
      problems,
      handle: async ({ order, product }) => {
        const { merchant, orderRef } = order.placed
        return checkoutSummary(order, product, {
          seller: (await value(merchants.find(merchant.ref)))?.name ?? merchant.ref,
          payload: await value(host.store.inspection.payload(orderRef)),
          legal,
          at: host.clock.now(),
        })
      },
    }),
    route('GET /orders/:uuid/form_v2', 'showHostedForm', 'Fetch the hosted checkout', {
      access: accessBy('merchant', withProduct(byOwner.load, 'product'), {
        ...byOwner.parameters,
        product,
      }),
      description:
        'A complete page for the shopper’s browser in the order’s language, from the first field to the return_url.',
      ok: PAGE,
      problems,
      handle: ({ order, product }, _, c) => {
        const { missing } = legalFor(legal, product)
        return sendPage(
          c,
          missing.length > 0
            ? closedCheckout(order, missing)
            : hostedCheckout(order, product, baseUrl),
        )
      },
    }),
  ]
}

const PATH = '/api/v1/checkout/:uuid'

/** The privacy policy, if the operator names no page of their own. */
export const checkoutPages = ({ host }: Services): Hono =>
  new Hono().get(PRIVACY_PATH, (c) =>
    sendPage(c, privacyPage(acceptedLanguage(c), host.terms.names.service)),
  )
