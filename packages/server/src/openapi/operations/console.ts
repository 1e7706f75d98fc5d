// Describes the routes in console.ts for the OpenAPI document.
import { OrderView, orNull } from '@plazo/core'
import * as t from 'io-ts'
import { BODY_KIB_MAX } from '../../http/request.ts'
import { INBOX_KINDS, type InboxKind } from '../../pages/operator-inbox.ts'
import { confirmedOrder } from '../examples.ts'
import { answer, form, HTML, json, NO_ORDER, type Operation, type Operations } from '../operation.ts'

// Codecs of the console's JSON answers, for clients that are not browsers: what waits, and the merchants.

const WaitingOrder = t.strict({ since: t.string, order: OrderView })
const StuckJobView = t.strict({ id: t.string, order_ref: t.string, message: t.string })

const Section = t.strict({ entries: t.array(t.union([WaitingOrder, StuckJobView])), next: orNull(t.number) })

/** Each requested kind; `found` only after a search. */
const WaitingView = t.intersection([
  t.type({
    waiting: t.partial(
      Object.fromEntries(INBOX_KINDS.map((kind) => [kind, Section])) as Record<InboxKind, typeof Section>,
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

const RotatedSecret = t.strict({ ref: t.string, signature_secret: t.string, former_signs_until: t.string })

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
  t.partial({ country: t.string, optional_fields: t.string, secret: t.string, send_action_events: t.string }),
])

const decision = (id: string, title: string, description: string): Operation => ({
  id,
  caller: 'operator',
  title,
  description: `${description} A browser’s form is led back to the order’s page; anybody else gets the order as JSON.`,
  answers: {
    200: answer('The order as it is now.', json(OrderView, { order: confirmedOrder })),
    303: answer('To a browser: back to the order’s page.', [], { Location: 'The order’s page.' }),
  },
  problems: { 404: NO_ORDER, 409: 'The order’s state does not allow it; to a browser, its page says so.' },
})

const LAMPS = {
  ref: 'lamps',
  name: 'Lamps & Co',
  username: 'lamps',
  password: 'a password of theirs',
  currency: 'EUR',
  products: 'pp3,i1',
}

const NO_MERCHANT = 'There is no such merchant.'

export const consoleOperations: Operations = {
  'GET /console': {
    id: 'listWaiting',
    caller: 'operator',
    title: 'See what waits for a decision',
    description:
      'Orders on hold, orders whose cancellation was asked for or came to nothing, and what is stuck; and the search for an order by either reference. A page to a browser, JSON to anybody else.',
    parameters: {
      waiting: { in: 'query', description: `One kind alone: ${INBOX_KINDS.join(', ')}.`, codec: t.string },
      after: { in: 'query', description: 'The next page of that kind, as next says.', codec: t.string },
      reference: { in: 'query', description: 'An order_ref, or the order_ref_1 that an order holds.', codec: t.string },
    },
    answers: {
      200: answer('What waits, the first placed first.', [json(WaitingView), HTML]),
      303: answer('To a browser that sought an order, and there is one.', [], { Location: 'The order’s page.' }),
    },
    problems: { 400: 'waiting is no kind, or after is no number.' },
  },
  'GET /console/merchants': {
    id: 'listKeptMerchants',
    caller: 'operator',
    title: 'See the merchants',
    answers: { 200: answer('All of them.', [json(t.array(MerchantView)), HTML]) },
  },
  'POST /console/merchants': {
    id: 'addMerchant',
    caller: 'operator',
    title: 'Add a merchant',
    description: 'A secret is drawn unless it is given. Merchants of one username are one account, with one password.',
    body: { contents: [form(NewMerchantForm, { merchant: LAMPS })], kibMax: BODY_KIB_MAX },
    answers: {
      201: answer('The merchant.', json(MerchantView)),
      303: answer('To a browser.', [], { Location: 'The merchant’s page.' }),
    },
    problems: { 409: 'Something given is wrong, or is another merchant’s; to a browser, the page says so.' },
  },
  'GET /console/merchants/:merchant': {
    id: 'showKeptMerchant',
    caller: 'operator',
    title: 'See a merchant',
    answers: { 200: answer('The merchant, with his secret.', [json(MerchantView), HTML]) },
    problems: { 404: NO_MERCHANT },
  },
  'POST /console/merchants/:merchant/rotate-secret': {
    id: 'rotateSecret',
    caller: 'operator',
    title: 'Give a merchant a new secret',
    description: 'It signs at once; the former one signs beside it in Webhook-Signature for 24 h.',
    answers: {
      200: answer('The new secret.', json(RotatedSecret)),
      303: answer('To a browser.', [], { Location: 'The merchant’s page.' }),
    },
    problems: { 404: NO_MERCHANT },
  },
  'GET /console/orders/:uuid': {
    id: 'showOrderPage',
    caller: 'operator',
    title: 'See an order’s page',
    description:
      'Where it stands, what may be decided now, and what has happened. cancellation_request_url leads here.',
    answers: { 200: answer('The page.', HTML) },
    problems: { 404: NO_ORDER },
  },
  'POST /console/orders/:uuid/approve': decision(
    'approveOrder',
    'Approve an order on hold',
    'The merchant is asked to confirm it.',
  ),
  'POST /console/orders/:uuid/reject': decision(
    'rejectOrder',
    'Reject an order on hold',
    'The merchant gets the event cancelled.',
  ),
  'POST /console/orders/:uuid/request-cancellation': decision(
    'requestCancellation',
    'Ask the merchant to cancel a confirmed order',
    'The merchant gets the event cancel, for up to a week until there is an answer.',
  ),
  'POST /console/orders/:uuid/cancel': decision(
    'cancelOrder',
    'Cancel a confirmed order',
    'At once, whatever the merchant answers; what was paid is refunded.',
  ),
}
