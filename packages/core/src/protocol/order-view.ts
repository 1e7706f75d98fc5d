// Merchants and operators see orders, journals and deliveries in this form, without the shopper's
// data. Contract §3.
import * as t from 'io-ts'
import { description, schemaName } from './json-schema.ts'
import { Money } from './language.ts'
import {
  absentOr,
  Count,
  exactObject,
  Instant,
  InstantInput,
  namedObject,
  objectOf,
  oneOf,
  orNull,
  textOf,
} from './scalars.ts'
import { STATE_WORDS } from './state-words.ts'
import { REFERENCES, WebhookName } from './webhook-event.ts'

/** An order's state in each of the three regions. Contract §3, States. */
export const StateOnWire = schemaName(
  'OrderState',
  exactObject({
    checkout: t.keyof(STATE_WORDS.checkout),
    risk: t.keyof(STATE_WORDS.risk),
    cancellation: t.keyof(STATE_WORDS.cancellation),
  }),
  'The state of the order’s checkout, risk and cancellation.',
)
export type StateOnWire = t.TypeOf<typeof StateOnWire>

/** An order as merchants and operators see it, without the shopper's data. Contract §3. */
export const OrderView = schemaName(
  'Order',
  t.readonly(
    t.exact(
      t.intersection([
        t.type({
          ...REFERENCES,
          merchant: t.string,
          state: StateOnWire,
          late_by: description(
            'The minutes by which a cancellation was too late, as the merchant answered.',
            orNull(Count),
          ),
          product: t.string,
          amount: description('What the order costs now.', Money),
          created_at: Instant,
          updated_at: Instant,
        }),
        t.partial({
          reduced_from: description('What a reduced order was placed with.', Money),
          refunded: description('What was sent back to the shopper, or is on its way back.', Money),
        }),
      ]),
    ),
  ),
)
export type OrderView = t.TypeOf<typeof OrderView>

/** One event of an order's history, with the states before and after it. Contract §3. */
export const HistoryLine = namedObject('HistoryLine', {
  seq: Count,
  at: Instant,
  event: t.string,
  from: StateOnWire,
  to: StateOnWire,
  detail: orNull(t.string),
})
export type HistoryLine = t.TypeOf<typeof HistoryLine>

/** An order's whole history. Contract §3. */
export const History = description('Oldest first.', t.readonlyArray(HistoryLine))

/** The states of a delivery, as the Order API names them. Contract §3, Deliveries. */
export const DELIVERY_STATES = [
  'pending',
  'delivered',
  'exhausted',
  'stopped',
  'unsupported',
  'stuck',
] as const

/** The state of a delivery, as the Order API names it. */
export const DeliveryStateName = oneOf(...DELIVERY_STATES)

/**
 * The state of a delivery: it waits, was accepted, was given up, was revoked, is not handled by the
 * shop, or could not be applied.
 */
export type DeliveryState = (typeof DELIVERY_STATES)[number]

const answer = {
  duration_ms: description('Null if the attempt was lost.', orNull(Count)),
  status: description('Null if there was no answer.', orNull(Count)),
  error: description('Why the answer was not accepted, in one word.', orNull(t.string)),
  error_reason: description(
    'What the word leaves open, such as where a redirect leads.',
    orNull(t.string),
  ),
  response: description(
    'The body of the answer, at most 16 KiB. It is kept for a delivery’s last 50 attempts.',
    orNull(t.string),
  ),
}

/** One attempt of a delivery, with the answer of the shop. Contract §3, Deliveries. */
export const AttemptView = schemaName(
  'DeliveryAttempt',
  exactObject({
    n: Count,
    trigger: oneOf('schedule', 'resend', 'recover'),
    started_at: Instant,
    outcome: description(
      'It is lost if the process ended before the answer.',
      oneOf('accepted', 'error', 'lost'),
    ),
    ...answer,
  }),
)
export type AttemptView = t.TypeOf<typeof AttemptView>

/** An event or IPN with all its attempts. Contract §3, Deliveries. */
export const DeliveryView = namedObject('Delivery', {
  id: t.string,
  event: WebhookName,
  order_ref: t.string,
  state: DeliveryStateName,
  due_at: description(
    'The time of the next attempt. Null once the delivery is finished or stuck.',
    orNull(Instant),
  ),
  attempts: t.readonlyArray(AttemptView),
})
export type DeliveryView = t.TypeOf<typeof DeliveryView>

/** The answer to the request to send a delivery again. */
export const ResendView = exactObject({ id: t.string })

/** The maximum number of deliveries or orders on a page. */
export const PAGE_LIMIT_MAX = 100

/** The length of a page, as text in a query. A larger one counts as `PAGE_LIMIT_MAX`. */
export const PageLimit = textOf('a whole number from 1', /^0*[1-9][0-9]*$/u)

/** `POST /merchants/<ref>/deliveries/recover`. */
export const RecoverPayload = t.type({ since: InstantInput })

/** The answer to the request to send all failed deliveries again. */
export const RecoveryView = exactObject({
  count: Count,
})

const ReceiverUrl = textOf('the URL of a receiver', /^\s*[A-Za-z]/u, (value) => URL.canParse(value))

/** What a receiver must survive. */
export const ExampleFault = oneOf('duplicate', 'wrong_signature', 'late_cancel')
export type ExampleFault = t.TypeOf<typeof ExampleFault>

/** `POST /merchants/<ref>/deliveries/example`. */
export const ExamplePayload = objectOf({
  event: WebhookName,
  url: ReceiverUrl,
  fault: absentOr(ExampleFault),
})

/** An example event, as it was sent and answered. Contract §3, Deliveries. */
export const ExampleView = namedObject('DeliveryExample', {
  id: t.string,
  event: WebhookName,
  url: t.string,
  body: description('The body that was sent. With a fault, of the last request.', t.string),
  outcome: oneOf('accepted', 'error', 'lost'),
  ...answer,
})
export type ExampleView = t.TypeOf<typeof ExampleView>
