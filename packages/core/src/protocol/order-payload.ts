// The bodies that a shop sends to place, confirm or update an order, decoded to values or to
// reasons for a refusal. Contract §3. Shops send far more than plazo reads. Unknown members are
// stored with the order and ignored here.
import * as E from 'fp-ts/lib/Either.js'
import { flow } from 'fp-ts/lib/function.js'
import * as t from 'io-ts'
import { description, schemaName } from './json-schema.ts'
import {
  absentOr,
  absentOrObject,
  Currency,
  type Decode,
  decodeWith,
  FlatStrings,
  isJsonObject,
  listOf,
  MinorAmount,
  NonEmptyText,
  objectOf,
  PositiveMinorAmount,
  Text,
  textOf,
  WebUrl,
} from './scalars.ts'
import { cutText, isSeen } from './text-as-seen.ts'

const EventsWebhook = schemaName(
  'EventsWebhook',
  objectOf({
    url: WebUrl,
    parameters: description(
      'The merchant’s own strings. Every event contains each of them as m_<name>.',
      absentOrObject(FlatStrings),
    ),
  }),
)

/** The Order Update API has it in its URL, and a URL's segments `.` and `..` name another path. */
const FirstReference = textOf(
  'a string other than . and .., which no URL can carry',
  /^(?!\.{1,2}$)/u,
)

const References = objectOf({
  order_ref_1: description(
    'The merchant’s primary reference, unique among the merchant’s confirmed orders.',
    absentOr(FirstReference),
  ),
  order_ref_2: absentOr(Text),
})

const TotalWithTax = description(
  'Minor units; the items must add up to the cart’s total.',
  MinorAmount,
)

const Items = listOf('an array', t.type({ total_with_tax: TotalWithTax }, 'an object'))

/** The body of `POST /orders`, by which a merchant places an order: `{"order": …}`. */
export const PlaceOrderPayload = schemaName(
  'PlaceOrder',
  objectOf({
    order: objectOf({
      merchant: objectOf({
        id: NonEmptyText,
        return_url: description(
          'The shop’s page after the checkout. SQ_PRODUCT_CODE in it is replaced by the product’s code.',
          WebUrl,
        ),
        notify_url: description(
          'The URL for the IPN. Without it, only PUT /orders/<uuid> confirms the order.',
          absentOr(WebUrl),
        ),
        notification_parameters: description(
          'The merchant’s own strings, which are added to the IPN. Names of standard parameters are not allowed.',
          absentOrObject(FlatStrings),
        ),
        events_webhook: absentOr(EventsWebhook),
      }),
      cart: objectOf({
        currency: Currency,
        order_total_with_tax: PositiveMinorAmount,
        items: Items,
      }),
      merchant_reference: absentOrObject(References),
      product_code: description('The product, unless the shopper chooses another.', absentOr(Text)),
      customer: description('Only language_code is used. It sets the order’s language.', t.unknown),
      gui: description('Its language_code is used if the customer has none.', t.unknown),
    }),
  }),
  'An order. Other members are stored and ignored.',
)

/** `PUT /orders/<uuid>`: the merchant's confirmation, their references, or both. */
export const ConfirmOrderPayload = schemaName(
  'ConfirmOrder',
  objectOf({
    order: objectOf({
      state: description(
        'The new state. If absent, only the references are set.',
        absentOr(t.keyof({ confirmed: null, on_hold: null }, '"confirmed", "on_hold"')),
      ),
      cart: description(
        'If given, it must equal the cart that was placed.',
        absentOrObject(
          objectOf({
            currency: absentOr(Text),
            order_total_with_tax: absentOr(MinorAmount),
            items: description(
              'If every item has a total_with_tax, they must add up to the cart’s total.',
              t.unknown,
            ),
          }),
        ),
      ),
      merchant: absentOr(objectOf({ id: absentOr(Text) })),
      merchant_reference: absentOrObject(References),
    }),
  }),
)

const CartOfUpdate = objectOf({
  currency: description('If given, it must be the order’s.', absentOr(Text)),
  order_total_with_tax: MinorAmount,
  items: Items,
})

/**
 * `PUT /merchants/<ref>/orders/<order_ref_1>`: the shipped and the unshipped part. Together they
 * cover the whole order.
 */
export const UpdateOrderPayload = schemaName(
  'UpdateOrder',
  objectOf({
    order: objectOf({
      shipped_cart: CartOfUpdate,
      unshipped_cart: CartOfUpdate,
      cancellation_reason: absentOr(Text),
      merchant_reference: absentOrObject(References),
    }),
  }),
  'Both carts together always cover the whole order. A smaller sum reduces it. Two carts without items cancel it.',
)

/** An order's references. A reference is an empty string if the shop has given none. */
export type OrderReferences = { readonly first: string; readonly second: string }

const referencesIn = <Missing>(
  value: t.TypeOf<typeof References> | null | undefined,
  missing: Missing,
) => ({
  first: value?.order_ref_1 ?? missing,
  second: value?.order_ref_2 ?? missing,
})

const totalsOf = (items: readonly { readonly total_with_tax: number }[]): readonly number[] =>
  items.map(({ total_with_tax }) => total_with_tax)

/**
 * A refusal if the items do not add up to the cart's total; empty if they do. `name` is written
 * before `items'`.
 */
export const cartRefusal = (
  name: string,
  total: number,
  itemTotals: readonly number[],
): readonly string[] => {
  // Uses `bigint`, because exact amounts may add up to a number that is not exact.
  const sum = itemTotals.reduce((subtotal, amount) => subtotal + BigInt(amount), 0n)
  const diff = BigInt(total) - sum
  return diff === 0n
    ? []
    : [
        `Invalid data: ${name}items' total_with_tax add up to ${sum} but order_total_with_tax is ${total}. The diff is ${diff < 0n ? -diff : diff}.`,
      ]
}

export const memberOf = (value: unknown, name: string): unknown =>
  isJsonObject(value) ? value[name] : undefined

// Shops give the language of the customer or of the page, as `language_code` or as `language`.
const languageIn = (...places: readonly unknown[]): string | null => {
  const tags = places.flatMap((place) => [
    memberOf(place, 'language_code'),
    memberOf(place, 'language'),
  ])
  const tag = tags.find((each): each is string => typeof each === 'string' && isSeen(each))
  return tag === undefined ? null : cutText(tag, 35)
}

/**
 * The standard parameters of an IPN. A shop's own parameters must have other names. Contract §5.
 */
export const ipnParameterNames = (stateParameter: string): readonly string[] => [
  'order_ref',
  'order_ref_1',
  'order_ref_2',
  'product_code',
  stateParameter,
  'approved_since',
  'needs_review_since',
]

const payloadOf = ({ order }: t.TypeOf<typeof PlaceOrderPayload>) => ({
  merchantRef: order.merchant.id,
  notifyUrl: order.merchant.notify_url ?? null,
  notificationParameters: order.merchant.notification_parameters ?? {},
  returnUrl: order.merchant.return_url,
  eventsWebhook: order.merchant.events_webhook
    ? {
        url: order.merchant.events_webhook.url,
        parameters: order.merchant.events_webhook.parameters ?? {},
      }
    : null,
  references: referencesIn(order.merchant_reference, ''),
  currency: order.cart.currency,
  /** Minor units. */
  total: order.cart.order_total_with_tax,
  /** The total of each item, in minor units. */
  itemTotals: totalsOf(order.cart.items),
  language: languageIn(order.customer, order.gui),
  productCode: order.product_code ?? null,
})

/**
 * A placed order as values: its merchant, cart, addresses and language. Amounts are in minor units.
 * Contract §3.
 */
export type OrderPayload = Readonly<ReturnType<typeof payloadOf>>

/**
 * Reads the body by which a merchant places an order. Contract §3. Left: one sentence for each
 * value of a wrong shape.
 */
export const decodeOrder: Decode<OrderPayload> = flow(
  decodeWith(PlaceOrderPayload),
  E.map(payloadOf),
)

/** A sentence for each value that is wrong, by the rules that apply to every merchant. */
export const orderRefusals = (
  ipnStateParameter: string,
  { total, itemTotals, notificationParameters }: OrderPayload,
): readonly string[] => {
  const reserved = ipnParameterNames(ipnStateParameter)
  return [
    ...cartRefusal('', total, itemTotals),
    ...Object.keys(notificationParameters)
      .filter((name) => reserved.includes(name))
      .map(
        (name) =>
          `Invalid data: order.merchant.notification_parameters.${name} is named like a standard IPN parameter.`,
      ),
  ]
}

// A null value means that the body did not contain it.
const confirmationOf = ({ order }: t.TypeOf<typeof ConfirmOrderPayload>) => ({
  merchantRef: order.merchant?.id ?? null,
  /** The merchant's statement about the order. */
  state: order.state ?? null,
  references: referencesIn(order.merchant_reference, null),
  total: order.cart?.order_total_with_tax ?? null,
  /** The total of each item, in minor units; null unless every item has one. */
  itemTotals: Items.is(order.cart?.items) ? totalsOf(order.cart.items) : null,
  currency: order.cart?.currency ?? null,
})

export type OrderConfirmation = Readonly<ReturnType<typeof confirmationOf>>

/** Left: one sentence for each error. */
export const decodeConfirmation: Decode<OrderConfirmation> = flow(
  decodeWith(ConfirmOrderPayload),
  E.map(confirmationOf),
)

const updateOf = ({ order }: t.TypeOf<typeof UpdateOrderPayload>) => {
  const cartOf = (name: 'shipped_cart' | 'unshipped_cart') => ({
    name,
    total: order[name].order_total_with_tax,
    currency: order[name].currency || null,
  })
  return {
    // A cart without items but with a total does not add up.
    isCancellation: order.shipped_cart.items.length + order.unshipped_cart.items.length === 0,
    shipped: cartOf('shipped_cart'),
    unshipped: cartOf('unshipped_cart'),
  }
}

/**
 * The two carts of an update. Amounts are in minor units, and a currency is null if the cart has
 * none. `isCancellation`: both carts are empty.
 */
export type OrderUpdate = Readonly<ReturnType<typeof updateOf>>

/** Left: one sentence for each error. If a cart does not add up, the sentence names it. */
export const decodeUpdate: Decode<OrderUpdate> = flow(
  decodeWith(UpdateOrderPayload),
  E.chain((payload) => {
    const refusals = (['shipped_cart', 'unshipped_cart'] as const).flatMap((name) => {
      const { order_total_with_tax: total, items } = payload.order[name]
      return cartRefusal(`${name} `, total, totalsOf(items))
    })
    return refusals.length > 0 ? E.left(refusals) : E.right(updateOf(payload))
  }),
)
