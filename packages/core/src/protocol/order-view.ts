// Merchants and operators see an order and its journal in this form, without the shopper's data. Contract §3.
import * as t from 'io-ts'
import { MoneyCodec } from './action.ts'
import { description, schemaName } from './json-schema.ts'
import { Count, exactObject, Instant, namedObject, oneOf, orNull } from './scalars.ts'

/** An order's state in each of the three regions. Contract §3, States. */
export const StateOnWire = schemaName(
  'OrderState',
  exactObject({
    checkout: oneOf(
      'identifying',
      'verifying_phone',
      'screening',
      'screened',
      'verifying_identity',
      'choosing_alternative',
      'paying',
      'confirming',
      'holding',
      'reviewing',
      'confirmed',
      'rejected',
      'cancelled',
      'conflicted',
      'failed',
      'expired',
    ),
    risk: oneOf('unassessed', 'assessing', 'low_risk', 'high_risk', 'under_evaluation'),
    cancellation: oneOf('none', 'scheduled', 'asking', 'waiting', 'cancelled', 'too_late', 'unsupported', 'unanswered'),
  }),
  'The state of the order’s checkout, risk and cancellation.',
)
export type StateOnWire = t.TypeOf<typeof StateOnWire>

/** The references of an order, as every answer and every request to its merchant names them. */
export const REFERENCES = {
  order_ref: description('The service’s own reference, and the uuid of the checkout.', t.string),
  order_ref_1: description('The merchant’s primary reference, or empty.', t.string),
  order_ref_2: description('The merchant’s secondary reference, or empty.', t.string),
}

export const OrderView = namedObject('Order', {
  ...REFERENCES,
  merchant: description('The merchant’s ref.', t.string),
  state: StateOnWire,
  late_by: description('The minutes by which a cancellation was too late, as the merchant answered.', orNull(Count)),
  product: description('The code of the product.', t.string),
  amount: MoneyCodec,
  created_at: Instant,
  updated_at: Instant,
})
export type OrderView = t.TypeOf<typeof OrderView>

export const HistoryLine = namedObject('HistoryLine', {
  seq: Count,
  at: Instant,
  event: description('The event, for example ipn.accepted.', t.string),
  from: StateOnWire,
  to: StateOnWire,
  detail: orNull(t.string),
})
export type HistoryLine = t.TypeOf<typeof HistoryLine>

export const History = description('Oldest first.', t.readonlyArray(HistoryLine))
