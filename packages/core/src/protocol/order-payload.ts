// What a shop says of an order, as values: placing it, confirming it, updating it; and why it is refused. Contract §3.
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { ConfirmOrderPayload, Items, PlaceOrderPayload, UpdateOrderPayload } from './order-codecs.ts'
import { decodeWith } from './scalars.ts'

/** An order's references; an empty string where the shop has given none. */
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
  /** Minor units, of each item. */
  readonly itemTotals: readonly number[]
  readonly language: string | null
  readonly productCode: string | null
}

/** `state` is what the merchant says of the order; `null` says nothing. */
export type OrderConfirmation = {
  readonly merchantRef: string | null
  readonly state: 'confirmed' | 'on_hold' | null
  readonly references: { readonly first: string | null; readonly second: string | null }
  readonly total: number | null
  /** Minor units, of each item; null where not every one tells its own. */
  readonly itemTotals: readonly number[] | null
  readonly currency: string | null
}

export type OrderUpdate = { readonly isCancellation: boolean }

// Whole numbers of any size: amounts that each are exact may add up to one that is not.
const sumOf = (amounts: readonly number[]): bigint => amounts.reduce((sum, amount) => sum + BigInt(amount), 0n)

const totalsOf = (items: readonly { readonly total_with_tax: number }[]): readonly number[] =>
  items.map(({ total_with_tax }) => total_with_tax)

/** Where the items' totals are not the cart's; `name` goes before `items'`. */
export const cartRefusal = (name: string, total: number, itemTotals: readonly number[]): readonly string[] => {
  const sum = sumOf(itemTotals)
  const diff = BigInt(total) - sum
  return diff === 0n
    ? []
    : [
        `Invalid data: ${name}items' total_with_tax add up to ${sum} but order_total_with_tax is ${total}. The diff is ${diff < 0n ? -diff : diff}.`,
      ]
}

const member = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Object.getOwnPropertyDescriptor(value, name)?.value : undefined

// Shops say it of the customer, and some of the page he sees; under either name.
const languageIn = (...places: readonly unknown[]): string | null => {
  const given = places.flatMap((place) => [member(place, 'language_code'), member(place, 'language')])
  const tag = given.find((each): each is string => typeof each === 'string' && each.trim() !== '')
  return tag?.slice(0, 35) ?? null
}

/** The parameters an IPN has of its own; a shop's may not be named like one. Contract §5. */
export const ipnParameterNames = (stateParameter: string): readonly string[] => [
  'order_ref',
  'order_ref_1',
  'order_ref_2',
  'product_code',
  stateParameter,
  'approved_since',
  'needs_review_since',
]

/** A sentence for each thing wrong in an order whose shapes are right, whoever its merchant is. */
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

/** Left: a sentence for each thing of a wrong shape. */
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

/** Left: a sentence for each thing wrong. */
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

/** Left: a sentence for each thing wrong; a cart that does not add up is named. */
export const decodeUpdate = (body: unknown): E.Either<readonly string[], OrderUpdate> =>
  pipe(
    decodeWith(UpdateOrderPayload)(body),
    E.chain(({ order }) => {
      const { shipped_cart: shipped, unshipped_cart: unshipped } = order
      const refusals = [
        ...cartRefusal('shipped_cart ', shipped.order_total_with_tax, totalsOf(shipped.items)),
        ...cartRefusal('unshipped_cart ', unshipped.order_total_with_tax, totalsOf(unshipped.items)),
      ]
      // A cart without items that has a total does not add up.
      const isEmpty = ({ items }: typeof shipped): boolean => items.length === 0
      return refusals.length > 0
        ? E.left(refusals)
        : E.right({ isCancellation: isEmpty(shipped) && isEmpty(unshipped) })
    }),
  )
