// What a shop says of an order, as values: placing it, confirming it, updating it; and why it is refused. Contract §3.
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as t from 'io-ts'
import { ConfirmOrderPayload, Items, PlaceOrderPayload, UpdateOrderPayload } from './order-codecs.ts'
import { absentOr, Currency, decodeWith, PositiveMinorAmount, Text, WebUrl } from './scalars.ts'

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

type Judged = 'notifyUrl' | 'returnUrl' | 'currency' | 'total' | 'itemTotals' | 'productCode'

/** What of an order is judged by its value; undefined where its shape is wrong, of which a sentence tells already. */
export type JudgedOrder = { readonly [name in Judged]: OrderPayload[name] | undefined } & {
  readonly notificationParameters: Readonly<Record<string, unknown>> | undefined
  readonly eventsWebhook: { readonly url: string } | null | undefined
}

type OrderUpdate = { readonly isCancellation: boolean }

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

/** A sentence for each value that is wrong, whoever the order's merchant is. */
export const orderRefusals = (
  ipnStateParameter: string,
  { total, itemTotals, notificationParameters = {} }: JudgedOrder,
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

const soundOf = <A>(codec: t.Decoder<unknown, A>, value: unknown): A | undefined =>
  pipe(
    codec.decode(value),
    E.getOrElseW(() => undefined),
  )

/** Of an order whose shape is wrong somewhere: what can be judged all the same. */
export const judgedOrder = (body: unknown): JudgedOrder => {
  const order = member(body, 'order')
  const merchant = member(order, 'merchant')
  const cart = member(order, 'cart')
  const eventsUrl = soundOf(WebUrl, member(member(merchant, 'events_webhook'), 'url'))
  const items = soundOf(Items, member(cart, 'items'))
  return {
    notifyUrl: soundOf(absentOr(WebUrl), member(merchant, 'notify_url')),
    notificationParameters: soundOf(t.UnknownRecord, member(merchant, 'notification_parameters')),
    returnUrl: soundOf(WebUrl, member(merchant, 'return_url')),
    eventsWebhook: eventsUrl === undefined ? undefined : { url: eventsUrl },
    currency: soundOf(Currency, member(cart, 'currency')),
    total: soundOf(PositiveMinorAmount, member(cart, 'order_total_with_tax')),
    itemTotals: items && totalsOf(items),
    productCode: soundOf(absentOr(Text), member(order, 'product_code')),
  }
}

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
