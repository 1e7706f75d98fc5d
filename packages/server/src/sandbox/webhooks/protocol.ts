// A merchant of the sandbox watches their webhooks here, and makes them go wrong on
// purpose. Sandbox rules, Webhook inbox and Fault drills.
import {
  absentOr,
  Count,
  description,
  FlatStrings,
  Instant,
  InstantInput,
  namedObject,
  objectOf,
  oneOf,
  orNull,
  refined,
  Text,
  textOf,
  WebhookName,
  wholeNumber,
} from '@plazo/core/protocol'
import * as t from 'io-ts'

const Endpoint = oneOf('ipn', 'events')

export const InboxRequest = namedObject('InboxRequest', {
  id: description('Grows with each request.', Count),
  at: Instant,
  endpoint: Endpoint,
  event: description('Null for an IPN, and for a body that names none.', orNull(Text)),
  order_ref: description('The merchant’s order that the request names.', orNull(Text)),
  delivery: description('The Webhook-Id.', orNull(Text)),
  signature: description(
    'unchecked: the request was refused before its signature was checked.',
    oneOf('right', 'wrong', 'missing', 'unchecked'),
  ),
  headers: FlatStrings,
  body: description('Its first 64 KiB.', t.string),
  is_cut: description('True: the body was longer.', t.boolean),
  status: description('Of the response.', Count),
  response: description('The body of the response.', t.string),
  drill: description('The fault drill that changed the request.', orNull(Text)),
})
export type InboxRequest = t.TypeOf<typeof InboxRequest>

export const Inbox = namedObject('Inbox', {
  ipn_url: description(
    'The notify_url of this inbox. Null until the merchant asks for it.',
    orNull(Text),
  ),
  events_url: description(
    'The events_webhook.url of this inbox. Null until the merchant asks for it.',
    orNull(Text),
  ),
  requests: description('Newest first, 200 at most.', t.readonlyArray(InboxRequest)),
})
export type Inbox = t.TypeOf<typeof Inbox>

/**
 * Faults of plazo or of the network, which the shop's receiver must survive. The shop is called.
 */
export const SHOP_DRILLS = [
  'duplicate',
  'delay',
  'reorder',
  'late_cancel',
  'wrong_signature',
] as const

/** Faults of a shop. The sandbox answers in its place, and the shop is not called. */
export const STAND_IN_DRILLS = [
  'slow',
  'hang',
  'error_then_ok',
  'not_json',
  'conflict',
  'gone',
  'redirect',
] as const

export type ShopDrill = (typeof SHOP_DRILLS)[number]
export type StandInDrill = (typeof STAND_IN_DRILLS)[number]
export type Fault = ShopDrill | StandInDrill

export const FaultName = oneOf(...SHOP_DRILLS, ...STAND_IN_DRILLS)

const Share = refined(
  'a number over 0, at most 1',
  { type: 'number', exclusiveMinimum: 0, maximum: 1 },
  (value): value is number => typeof value === 'number' && value > 0 && value <= 1,
)

const Seed = textOf(
  'a text of at most 100 characters',
  '^[\\s\\S]{0,100}$',
  (value) => value.length <= 100,
)

/** `POST /sandbox/drills`. */
export const DrillPayload = objectOf({
  fault: FaultName,
  event: description('Only deliveries of this event. Default: any event.', absentOr(WebhookName)),
  order_ref: description('Only deliveries of this order. Default: any order.', absentOr(Text)),
  count: description(
    'The number of deliveries to change. Default: 1.',
    absentOr(wholeNumber(1, 100)),
  ),
  share: description('In place of count: this share of all attempts.', absentOr(Share)),
  seed: description('The same seed chooses the same attempts of a delivery.', absentOr(Seed)),
  seconds: description('How long delay, reorder and slow take.', absentOr(wholeNumber(1, 25))),
  until: description(
    'An instant of real time, at most a day ahead. Default: in an hour.',
    absentOr(InstantInput),
  ),
})

export const Drill = namedObject('Drill', {
  id: t.string,
  fault: FaultName,
  event: orNull(Text),
  order_ref: orNull(Text),
  count: description('Null: share decides.', orNull(Count)),
  touched: description('The number of deliveries that it has changed.', Count),
  share: orNull(Share),
  seed: orNull(Text),
  seconds: Count,
  until: Instant,
})
export type Drill = t.TypeOf<typeof Drill>

export const Drills = namedObject('Drills', {
  drills: description('The drills that are set, oldest first.', t.readonlyArray(Drill)),
})
export type Drills = t.TypeOf<typeof Drills>
