// The codecs of the bodies that a merchant's shop sends about an order. Contract §3.
// Shops send far more than plazo reads. Unknown members are stored with the order and ignored here.
import * as t from 'io-ts'
import { description, schemaName } from './annotation.ts'
import {
  absentOr,
  absentOrObject,
  Currency,
  FlatStrings,
  listOf,
  MinorAmount,
  NonEmptyText,
  objectOf,
  PositiveMinorAmount,
  Text,
  WebUrl,
} from './scalars.ts'

const EventsWebhook = schemaName(
  'EventsWebhook',
  objectOf(
    { url: description('Where lifecycle events and identification_action are posted.', WebUrl) },
    {
      parameters: description(
        'Strings of the merchant’s own; each comes back in every event as m_<name>.',
        absentOrObject(FlatStrings),
      ),
    },
  ),
)

const References = objectOf(
  {},
  {
    order_ref_1: description('The merchant’s primary reference, unique among his confirmed orders.', absentOr(Text)),
    order_ref_2: description('The merchant’s secondary reference.', absentOr(Text)),
  },
)

const TotalWithTax = description('Minor units; the items must add up to the cart’s total.', MinorAmount)

export const Items = listOf('an array', t.type({ total_with_tax: TotalWithTax }, 'an object'))

/** `POST /orders`: `{"order": …}`. */
export const PlaceOrderPayload = schemaName(
  'PlaceOrder',
  t.type(
    {
      order: objectOf(
        {
          merchant: objectOf(
            {
              id: description('The merchant’s ref.', NonEmptyText),
              return_url: description(
                'Where the shopper goes at last; SQ_PRODUCT_CODE in it becomes the product’s code.',
                WebUrl,
              ),
            },
            {
              notify_url: description(
                'Where the IPN is posted; without one, PUT /orders/<uuid> alone confirms.',
                absentOr(WebUrl),
              ),
              notification_parameters: description(
                'Strings of the merchant’s own, sent along with the IPN; none may be named like a standard parameter.',
                absentOrObject(FlatStrings),
              ),
              events_webhook: absentOr(EventsWebhook),
            },
          ),
          cart: t.type({ currency: Currency, order_total_with_tax: PositiveMinorAmount, items: Items }, 'an object'),
        },
        {
          merchant_reference: absentOrObject(References),
          product_code: description('The product that is taken unless the shopper chooses another.', absentOr(Text)),
          customer: description('Of what it holds, language_code is read: in it amounts are written.', t.unknown),
          gui: description('Its language_code is read where the customer has none.', t.unknown),
        },
      ),
    },
    'an object',
  ),
  'An order. Members that are not named here are kept and ignored.',
)

const CartOfConfirmation = objectOf(
  {},
  {
    currency: absentOr(Text),
    order_total_with_tax: absentOr(MinorAmount),
    items: description('Where each has a total_with_tax, they must add up to the cart’s total.', t.unknown),
  },
)

/** `PUT /orders/<uuid>`: the merchant's confirmation, their references, or both. */
export const ConfirmOrderPayload = schemaName(
  'ConfirmOrder',
  t.type(
    {
      order: objectOf(
        {},
        {
          state: description(
            'The state that is due; absent gives references alone.',
            absentOr(t.keyof({ confirmed: null, on_hold: null }, '"confirmed", "on_hold"')),
          ),
          cart: description('Where it is given, it must be what was placed.', absentOrObject(CartOfConfirmation)),
          merchant: absentOr(objectOf({}, { id: absentOr(Text) })),
          merchant_reference: absentOrObject(References),
        },
      ),
    },
    'an object',
  ),
)

const CartOfUpdate = t.type({ order_total_with_tax: MinorAmount, items: Items }, 'an object')

/** `PUT /merchants/<ref>/orders/<order_ref_1>`: the shipped and the unshipped part of the cart. */
export const UpdateOrderPayload = schemaName(
  'UpdateOrder',
  t.type(
    {
      order: objectOf(
        { shipped_cart: CartOfUpdate, unshipped_cart: CartOfUpdate },
        { cancellation_reason: absentOr(Text), merchant_reference: absentOrObject(References) },
      ),
    },
    'an object',
  ),
  'Both carts with total 0 and no items: the merchant cancels the order.',
)
