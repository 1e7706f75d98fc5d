// The codecs of the bodies that a merchant's shop sends about an order. Contract §3.
// Shops send far more than plazo reads. Unknown members are stored with the order and ignored here.
import * as t from 'io-ts'
import { description, schemaName } from './json-schema.ts'
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
    { url: description('The URL for lifecycle events and identification_action.', WebUrl) },
    {
      parameters: description(
        'The merchant’s own strings. Every event contains each of them as m_<name>.',
        absentOrObject(FlatStrings),
      ),
    },
  ),
)

const References = objectOf(
  {},
  {
    order_ref_1: description(
      'The merchant’s primary reference, unique among the merchant’s confirmed orders.',
      absentOr(Text),
    ),
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
                'The shop’s page after the checkout. SQ_PRODUCT_CODE in it is replaced by the product’s code.',
                WebUrl,
              ),
            },
            {
              notify_url: description(
                'The URL for the IPN. Without it, only PUT /orders/<uuid> confirms the order.',
                absentOr(WebUrl),
              ),
              notification_parameters: description(
                'The merchant’s own strings, which are added to the IPN. Names of standard parameters are not allowed.',
                absentOrObject(FlatStrings),
              ),
              events_webhook: absentOr(EventsWebhook),
            },
          ),
          cart: t.type({ currency: Currency, order_total_with_tax: PositiveMinorAmount, items: Items }, 'an object'),
        },
        {
          merchant_reference: absentOrObject(References),
          product_code: description('The product, unless the shopper chooses another.', absentOr(Text)),
          customer: description('Only language_code is used. It sets the order’s language.', t.unknown),
          gui: description('Its language_code is used if the customer has none.', t.unknown),
        },
      ),
    },
    'an object',
  ),
  'An order. Other members are stored and ignored.',
)

const CartOfConfirmation = objectOf(
  {},
  {
    currency: absentOr(Text),
    order_total_with_tax: absentOr(MinorAmount),
    items: description('If every item has a total_with_tax, they must add up to the cart’s total.', t.unknown),
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
            'The new state. If absent, only the references are set.',
            absentOr(t.keyof({ confirmed: null, on_hold: null }, '"confirmed", "on_hold"')),
          ),
          cart: description('If given, it must equal the cart that was placed.', absentOrObject(CartOfConfirmation)),
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
  'Two empty carts with total 0: the merchant cancels the order.',
)
