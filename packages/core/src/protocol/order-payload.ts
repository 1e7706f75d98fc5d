// Turns the bodies that a shop sends (place, confirm, update an order) into values, or into reasons for a refusal. Contract §3.
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as t from 'io-ts'
import { ConfirmOrderPayload, Items, PlaceOrderPayload, UpdateOrderPayload } from './order-codecs.ts'
import { absentOr, Currency, decodeWith, isJsonObject, PositiveMinorAmount, Text, WebUrl } from './scalars.ts'

/** An order's references. A reference is an empty string if the shop has given none. */
export type OrderReferences = { readonly first: string; readonly second: string }

export type OrderPayload = {
  readonly merchantRef: string
  readonly notifyUrl: string | null
  readonly notificationParameters: Readonly<Record<string, string>>
  readonly returnUrl: string
  readonly eventsWebhook: { readonly url: string; readonly parameters: Readonly<Record<string, string>> } | null
  readonly references: OrderReferences
  readonly currency: string
  /** Minor units. */
  readonly total: number
  /** The total of each item, in minor units. */
  readonly itemTotals: readonly number[]
  readonly language: string | null
  readonly productCode: string | null
}

/** `state`: the merchant's statement about the order. A null field means that the body did not contain it. */
export type OrderConfirmation = {
  readonly merchantRef: string | null
  readonly state: 'confirmed' | 'on_hold' | null
  readonly references: { readonly first: string | null; readonly second: string | null }
  readonly total: number | null
  /** The total of each item, in minor units; null unless every item has one. */
  readonly itemTotals: readonly number[] | null
  readonly currency: string | null
}

type CheckedField = 'notifyUrl' | 'returnUrl' | 'currency' | 'total' | 'itemTotals' | 'productCode'

/** The values of an order that are checked further. Undefined if the shape is wrong: then a sentence says so already. */
export type PartialOrder = { readonly [name in CheckedField]: OrderPayload[name] | undefined } & {
  readonly notificationParameters: Readonly<Record<string, unknown>> | undefined
  readonly eventsWebhook: { readonly url: string } | null | undefined
}

type OrderUpdate = { readonly isCancellation: boolean }

// Uses `bigint`, because exact amounts may add up to a number that is not exact.
const sumOf = (amounts: readonly number[]): bigint => amounts.reduce((sum, amount) => sum + BigInt(amount), 0n)

const totalsOf = (items: readonly { readonly total_with_tax: number }[]): readonly number[] =>
  items.map(({ total_with_tax }) => total_with_tax)

/** A refusal if the items do not add up to the cart's total; empty if they do. `name` is written before `items'`. */
export const cartRefusal = (name: string, total: number, itemTotals: readonly number[]): readonly string[] => {
  const sum = sumOf(itemTotals)
  const diff = BigInt(total) - sum
  return diff === 0n
    ? []
    : [
        `Invalid data: ${name}items' total_with_tax add up to ${sum} but order_total_with_tax is ${total}. The diff is ${diff < 0n ? -diff : diff}.`,
      ]
}

const memberOf = (value: unknown, name: string): unknown => (isJsonObject(value) ? value[name] : undefined)

// Shops give the language of the customer or of the page, as `language_code` or as `language`.
const languageIn = (...places: readonly unknown[]): string | null => {
  const tags = places.flatMap((place) => [memberOf(place, 'language_code'), memberOf(place, 'language')])
  const tag = tags.find((each): each is string => typeof each === 'string' && each.trim() !== '')
  return tag?.slice(0, 35) ?? null
}

/** The standard parameters of an IPN. A shop's own parameters must have other names. Contract §5. */
export const ipnParameterNames = (stateParameter: string): readonly string[] => [
  'order_ref',
  'order_ref_1',
  'order_ref_2',
  'product_code',
  stateParameter,
  'approved_since',
  'needs_review_since',
]

/** A sentence for each value that is wrong, by the rules that apply to every merchant. */
export const orderRefusals = (
  ipnStateParameter: string,
  { total, itemTotals, notificationParameters = {} }: PartialOrder,
): readonly string[] => {
  const reserved = ipnParameterNames(ipnStateParameter)
  return [
    ...(total === undefined || itemTotals === undefined ? [] : cartRefusal('', total, itemTotals)),
    ...Object.keys(notificationParameters)
      .filter((name) => reserved.includes(name))
      .map(
        (name) =>
          `Invalid data: order.merchant.notification_parameters.${name} is named like a standard IPN parameter.`,
      ),
  ]
}

/** Left: one sentence for each value of a wrong shape. */
export const decodeOrder = (body: unknown): E.Either<readonly string[], OrderPayload> =>
  pipe(
    decodeWith(PlaceOrderPayload)(body),
    E.map(({ order }) => {
      const { merchant, cart } = order
      return {
        merchantRef: merchant.id,
        notifyUrl: merchant.notify_url ?? null,
        notificationParameters: merchant.notification_parameters ?? {},
        returnUrl: merchant.return_url,
        eventsWebhook: merchant.events_webhook
          ? { url: merchant.events_webhook.url, parameters: merchant.events_webhook.parameters ?? {} }
          : null,
        references: {
          first: order.merchant_reference?.order_ref_1 ?? '',
          second: order.merchant_reference?.order_ref_2 ?? '',
        },
        currency: cart.currency,
        total: cart.order_total_with_tax,
        itemTotals: totalsOf(cart.items),
        language: languageIn(order.customer, order.gui),
        productCode: order.product_code ?? null,
      }
    }),
  )

const decodedOrUndefined = <A>(codec: t.Decoder<unknown, A>, value: unknown): A | undefined =>
  pipe(
    codec.decode(value),
    E.getOrElseW(() => undefined),
  )

/** The values that can still be checked in an order whose shape is wrong somewhere, so that one answer names all errors. */
export const partialOrder = (body: unknown): PartialOrder => {
  const order = memberOf(body, 'order')
  const merchant = memberOf(order, 'merchant')
  const cart = memberOf(order, 'cart')
  const eventsUrl = decodedOrUndefined(WebUrl, memberOf(memberOf(merchant, 'events_webhook'), 'url'))
  const items = decodedOrUndefined(Items, memberOf(cart, 'items'))
  return {
    notifyUrl: decodedOrUndefined(absentOr(WebUrl), memberOf(merchant, 'notify_url')),
    notificationParameters: decodedOrUndefined(t.UnknownRecord, memberOf(merchant, 'notification_parameters')),
    returnUrl: decodedOrUndefined(WebUrl, memberOf(merchant, 'return_url')),
    eventsWebhook: eventsUrl === undefined ? undefined : { url: eventsUrl },
    currency: decodedOrUndefined(Currency, memberOf(cart, 'currency')),
    total: decodedOrUndefined(PositiveMinorAmount, memberOf(cart, 'order_total_with_tax')),
    itemTotals: items && totalsOf(items),
    productCode: decodedOrUndefined(absentOr(Text), memberOf(order, 'product_code')),
  }
}

/** Left: one sentence for each error. */
export const decodeConfirmation = (body: unknown): E.Either<readonly string[], OrderConfirmation> =>
  pipe(
    decodeWith(ConfirmOrderPayload)(body),
    E.map(({ order }) => ({
      merchantRef: order.merchant?.id ?? null,
      state: order.state ?? null,
      references: {
        first: order.merchant_reference?.order_ref_1 ?? null,
        second: order.merchant_reference?.order_ref_2 ?? null,
      },
      total: order.cart?.order_total_with_tax ?? null,
      itemTotals: Items.is(order.cart?.items) ? totalsOf(order.cart.items) : null,
      currency: order.cart?.currency ?? null,
    })),
  )

/** Left: one sentence for each error. If a cart does not add up, the sentence names it. */
export const decodeUpdate = (body: unknown): E.Either<readonly string[], OrderUpdate> =>
  pipe(
    decodeWith(UpdateOrderPayload)(body),
    E.chain(({ order }) => {
      const { shipped_cart: shipped, unshipped_cart: unshipped } = order
      const refusals = [
        ...cartRefusal('shipped_cart ', shipped.order_total_with_tax, totalsOf(shipped.items)),
        ...cartRefusal('unshipped_cart ', unshipped.order_total_with_tax, totalsOf(unshipped.items)),
      ]
      // A cart without items but with a total was refused above, because it does not add up.
      const isEmpty = ({ items }: typeof shipped): boolean => items.length === 0
      return refusals.length > 0
        ? E.left(refusals)
        : E.right({ isCancellation: isEmpty(shipped) && isEmpty(unshipped) })
    }),
  )
