// Operators without a browser read here how they decide, and how they manage merchants.
import { INBOX_KINDS, type InboxKind } from '@plazo/core'
import { OrderView, orNull } from '@plazo/core/protocol'
import * as t from 'io-ts'
import { confirmedOrder } from '../examples.ts'
import {
  answer,
  call,
  form,
  HTML,
  json,
  jsonAnswer,
  type Operation,
  type Operations,
  PAGE,
  query,
} from '../operation.ts'

// Codecs of the console's JSON answers, for clients that are not browsers: what waits, and the
// merchants.
const WaitingOrder = t.strict({ since: t.string, order: OrderView })
const StuckJobView = t.strict({ id: t.string, order_ref: t.string, message: t.string })

const Section = t.strict({
  entries: t.array(t.union([WaitingOrder, StuckJobView])),
  next: orNull(t.number),
})

/** Each requested kind; `found` only after a search. */
const WaitingView = t.intersection([
  t.type({
    waiting: t.partial(
      Object.fromEntries(INBOX_KINDS.map((kind) => [kind, Section])) as Record<
        InboxKind,
        typeof Section
      >,
    ),
  }),
  t.partial({ found: t.array(OrderView) }),
])

const MerchantView = t.strict({
  ref: t.string,
  name: t.string,
  username: t.string,
  signature_secret: t.string,
  country: orNull(t.string),
  currency: t.string,
  products: t.readonlyArray(t.string),
  optional_fields: t.readonlyArray(t.string),
  options: t.strict({ send_action_events_in_identification: t.boolean }),
})

const RotatedSecret = t.strict({
  ref: t.string,
  signature_secret: t.string,
  former_signs_until: t.string,
})

/** As the page's form sends it. */
const NewMerchantForm = t.intersection([
  t.type({
    ref: t.string,
    name: t.string,
    username: t.string,
    password: t.string,
    currency: t.string,
    products: t.string,
  }),
  t.partial({
    country: t.string,
    optional_fields: t.string,
    secret: t.string,
    send_action_events: t.string,
  }),
])

const decision = (id: string, title: string, description: string): Operation =>
  call.operator(id, title, {
    description: `${description} A browser’s form is redirected to the order’s page. Other clients get the order as JSON.`,
    answers: {
      200: jsonAnswer('The current order.', OrderView, { order: confirmedOrder }),
      303: answer('For a browser: a redirect to the order’s page.', [], {
        Location: 'The order’s page.',
      }),
    },
    problems: {
      409: 'The order’s state does not allow it. A browser gets the order’s page with this message.',
    },
  })

const LAMPS = {
  ...{ ref: 'lamps', name: 'Lamps & Co', username: 'lamps', password: 'their password' },
  ...{ currency: 'EUR', products: 'pp3,i1' },
}

const NO_MERCHANT = 'Merchant not found.'

export const consoleOperations: Operations = {
  'GET /console': call.operator('listWaiting', 'List what needs a decision', {
    description:
      'Lists orders on hold, orders whose cancellation is undecided or failed, and stuck jobs. Also searches for an order by reference. A browser gets a page, other clients get JSON.',
    parameters: {
      waiting: query(`Only this kind: ${INBOX_KINDS.join(', ')}.`),
      after: query('The next page of that kind: the value of next.'),
      reference: query('An order_ref or order_ref_1.'),
    },
    answers: {
      200: answer('The orders and jobs, oldest first.', [json(WaitingView), HTML]),
      303: answer('For a browser whose search finds one order.', [], {
        Location: 'The order’s page.',
      }),
    },
    problems: { 400: 'Invalid waiting or after.' },
  }),
  'GET /console/merchants': call.operator('listKeptMerchants', 'List merchants', {
    ok: answer('All merchants.', [json(t.array(MerchantView)), HTML]),
  }),
  'POST /console/merchants': call.operator('addMerchant', 'Add a merchant', {
    description:
      'The secret is generated if absent. Merchants with the same username are one account with one password.',
    body: form(NewMerchantForm, { merchant: LAMPS }),
    answers: {
      201: jsonAnswer('The merchant.', MerchantView),
      303: answer('For a browser.', [], { Location: 'The merchant’s page.' }),
    },
    problems: {
      409: 'A setting is invalid, or belongs to another merchant. A browser gets the page with this message.',
    },
  }),
  'GET /console/merchants/:merchant': call.operator('showKeptMerchant', 'Get a merchant', {
    ok: answer('The merchant, with their secret.', [json(MerchantView), HTML]),
    problems: { 404: NO_MERCHANT },
  }),
  'POST /console/merchants/:merchant/rotate-secret': call.operator(
    'rotateSecret',
    'Rotate a merchant’s secret',
    {
      description:
        'The new secret signs at once. For 24 h the former secret also signs, in Webhook-Signature.',
      answers: {
        200: jsonAnswer('The new secret.', RotatedSecret),
        303: answer('For a browser.', [], { Location: 'The merchant’s page.' }),
      },
      problems: { 404: NO_MERCHANT },
    },
  ),
  'GET /console/orders/:uuid': call.operator('showOrderPage', 'Get an order’s page', {
    description:
      'Shows status, available actions and history. cancellation_request_url leads here.',
    ok: PAGE,
  }),
  'POST /console/orders/:uuid/approve': decision(
    'approveOrder',
    'Approve an order on hold',
    'The merchant is asked to confirm the order.',
  ),
  'POST /console/orders/:uuid/reject': decision(
    'rejectOrder',
    'Reject an order on hold',
    'The merchant gets the event cancelled.',
  ),
  'POST /console/orders/:uuid/request-cancellation': decision(
    'requestCancellation',
    'Ask the merchant to cancel a confirmed order',
    'The merchant gets the event cancel. It is repeated for up to a week, until there is an answer.',
  ),
  'POST /console/orders/:uuid/cancel': decision(
    'cancelOrder',
    'Cancel a confirmed order',
    'The order is cancelled at once, without waiting for the merchant. Any payment is refunded.',
  ),
}
