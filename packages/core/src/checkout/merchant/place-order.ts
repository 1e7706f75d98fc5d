// A merchant places an order here, and its checkout begins. Contract §3.
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { modelOf } from '../../order/model.ts'
import type { Placed } from '../../order/order-context.ts'
import { type InternalError, initialStep } from '../../order/step.ts'
import type { Merchant } from '../../ports/merchants.ts'
import type { OrderStore } from '../../ports/order-store.ts'
import type { ReferenceTaken, Unavailable } from '../../ports/store-errors.ts'
import { type Catalogue, productsFor } from '../../protocol/credit-product.ts'
import { currencyTerms } from '../../protocol/currency.ts'
import { money, orderLanguage } from '../../protocol/language.ts'
import { decodeOrder, type OrderPayload, orderRefusals } from '../../protocol/order-payload.ts'
import { type Decoded, isNestedTooDeeply } from '../../protocol/scalars.ts'
import { type Host, type Refused, refuse, sentenceUnless } from '../host.ts'

const merchantRefusals = (
  merchant: Merchant,
  { currency, productCode, total }: OrderPayload,
  catalogue: Catalogue,
): readonly string[] => [
  ...sentenceUnless(
    currency === merchant.currency,
    `Invalid data: order.cart.currency is ${currency}, but the merchant's currency is ${merchant.currency}.`,
  ),
  ...sentenceUnless(
    productCode === null || merchant.products.includes(productCode),
    `Invalid data: order.product_code is ${JSON.stringify(productCode)}, but the merchant has ${merchant.products.join(', ')}.`,
  ),
  ...limitRefusals(merchant, total, catalogue),
]

// The limits are those of the merchant's currency. Another currency is refused anyway.
const limitRefusals = (
  { products, currency }: Merchant,
  total: number,
  catalogue: Catalogue,
): readonly string[] => {
  if (productsFor(products, { total, currency }, catalogue).length > 0) return []
  const { minTotal, maxTotal } = currencyTerms(currency)
  const [amount, least, most] = [total, minTotal, maxTotal].map(
    (value) => money(value, currency, null).string,
  )
  return [
    `Invalid data: order.cart.order_total_with_tax is ${total} (${amount}), which fits none of the merchant's products. They take ${minTotal} to ${maxTotal} (${least} to ${most}).`,
  ]
}

/** Returns a sentence that says why this URL must not be used, or null if it may. */
export type CheckUrl = (url: string) => string | null

const urlRefusals = (name: string, url: string | null, check: CheckUrl): readonly string[] => {
  const refusal = url && check(url)
  return refusal
    ? [`Invalid data: order.merchant.${name} is ${JSON.stringify(url)}. ${refusal}`]
    : []
}

const placedOrder = (
  merchant: Merchant,
  { merchantRef: _ref, references: _references, itemTotals: _totals, ...order }: OrderPayload,
  id: OrderId,
  placedAt: number,
): Placed => ({
  ...id,
  placedAt,
  merchant: {
    ref: merchant.ref,
    account: merchant.username,
    country: merchant.country,
    products: merchant.products,
    optionalFields: merchant.optionalFields,
    sendsActionEvents: merchant.sendActionEvents,
  },
  ...order,
  language: orderLanguage(order.language, merchant.country),
})

// A host may pass values that JSON cannot express, such as a BigInt or undefined.
const jsonOf = (body: unknown): Decoded<string> =>
  isNestedTooDeeply(body)
    ? E.left(['Invalid data: the body is nested too deeply to be stored.'])
    : E.tryCatch(
        () => String(JSON.stringify(body)),
        () => ['Invalid data: the body cannot be stored as JSON.'],
      )

export const referenceTakenSentence = (reference: string): string =>
  `Invalid data: order_ref_1 ${JSON.stringify(reference)} belongs to another order that is confirmed or being confirmed.`

const isReferenceTaken = (error: { readonly _tag: string }): error is ReferenceTaken =>
  error._tag === 'ReferenceTaken'

/** Refuses a reference that another order holds. Returns other errors as they are. */
export const refuseTakenReference = <Failure extends { readonly _tag: string }>(
  error: Failure | ReferenceTaken,
): Failure | Refused =>
  isReferenceTaken(error) ? refuse([referenceTakenSentence(error.reference)]) : error

/** Makes a request repeatable. */
export type Idempotency = {
  /** Chosen by the merchant, for one order. */
  readonly key: string
  /**
   * At least 32 hex digits, the same in every process. They depend on a secret that never changes,
   * because whoever knows an order's uuid may act as its shopper.
   */
  readonly hash: (text: string) => string
}

type OrderId = Pick<Placed, 'orderRef' | 'bodyHash'>

type Placing = TE.TaskEither<Refused | Unavailable | InternalError, string>

const DAY = 24 * 3_600_000

/** A version 4 UUID. */
const toUuid = (hash: string): string =>
  hash.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-4$3-a$4-$5')

// The key determines the order's uuid, and no store keeps two orders with one uuid. So repeats need no
// memory but the order itself, and all nodes agree on which request was the first.
const placeOnce = (
  store: OrderStore,
  { username }: Merchant,
  { key, hash }: Idempotency,
  payload: string,
  now: number,
  place: (id: OrderId) => Placing,
): Placing => {
  const bodyHash = hash(payload)
  /** `nth`: how many orders were placed with the key more than a day ago. */
  const placeNth = (nth: number): Placing => {
    const orderRef = toUuid(hash(JSON.stringify(['POST /orders', username, key, nth])))
    const find = (otherwise: () => Placing): Placing =>
      pipe(
        store.read(orderRef),
        TE.matchEW(otherwise, ({ placed }) => {
          if (placed.placedAt <= now - DAY) return placeNth(nth + 1)
          if (placed.bodyHash === bodyHash) return TE.right(orderRef)
          return TE.left(
            refuse([
              `Invalid data: Idempotency-Key ${JSON.stringify(key)} belongs to an order with another body. A new order needs a new key.`,
            ]),
          )
        }),
      )
    // Another request may have been faster, or the outcome of the commit is unknown.
    return find(() =>
      pipe(
        place({ orderRef, bodyHash }),
        TE.orElse((error) => find(() => TE.left(error))),
      ),
    )
  }
  return placeNth(0)
}

/**
 * Places an order by the body that a merchant sends (contract §3). `Refused`: one sentence for each
 * wrong value. Returns the new order's `order_ref`, the uuid of its checkout. `checkUrl` checks the
 * URLs that the service itself will call, `checkPage` the pages to which shoppers are sent.
 *
 * @param idempotency with a key that had an order within 24 hours, returns that order's uuid
 * @example
 * ```ts
 * const { checkUrl, checkPage } = addressGuard({ allow: [] })
 * const placed = await placeOrder(host, checkUrl, checkPage)(merchant, body)()
 * if (placed._tag === 'Right') console.log(placed.right) // the uuid of the checkout
 * else if (placed.left._tag === 'Refused') console.log(placed.left.sentences)
 * ```
 */
export const placeOrder =
  (host: Host, checkUrl: CheckUrl, checkPage: CheckUrl = () => null) =>
  (merchant: Merchant, body: unknown, idempotency: Idempotency | null = null): Placing => {
    const stepInput = {
      at: host.clock.now(),
      random: host.ids.random(),
      referenceIsTaken: false,
    }
    const refusalsOf = (order: OrderPayload): readonly string[] => [
      ...orderRefusals(host.terms.names.ipnStateParameter, order),
      ...merchantRefusals(merchant, order, modelOf(host.terms).products),
      ...urlRefusals('return_url', order.returnUrl, checkPage),
      ...urlRefusals('notify_url', order.notifyUrl, checkUrl),
      ...urlRefusals('events_webhook.url', order.eventsWebhook?.url ?? null, checkUrl),
    ]
    const payload = jsonOf(body)
    if (E.isLeft(payload)) return TE.left(refuse(payload.left))
    const place = (id: OrderId): Placing =>
      pipe(
        decodeOrder(body),
        E.chain((order) => {
          const refusals = refusalsOf(order)
          return refusals.length > 0 ? E.left(refusals) : E.right(order)
        }),
        E.mapLeft(refuse),
        E.chainW((order) =>
          initialStep(host.terms)(
            placedOrder(merchant, order, id, stepInput.at),
            order.references,
            stepInput,
          ),
        ),
        E.matchW(TE.left, (step) =>
          pipe(
            host.store.place(step, payload.right),
            TE.bimap(refuseTakenReference, () => id.orderRef),
          ),
        ),
      )
    return idempotency === null
      ? place({ orderRef: host.ids.orderRef() })
      : placeOnce(host.store, merchant, idempotency, payload.right, stepInput.at, place)
  }
