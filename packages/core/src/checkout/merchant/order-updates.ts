// A merchant changes an order here. By PUT they confirm or hold it and give their references; by
// the Order Update API they report a shipment, a reduction or a cancellation. Contract §3, §5.
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { modelOf, type Terms } from '../../order/model.ts'
import type { Order, OrderEvent } from '../../order/order.ts'
import { nameOnWire } from '../../order/order-facts.ts'
import { presentTotal } from '../../order/reduction.ts'
import {
  accepts,
  andThen,
  heldReference,
  type InternalError,
  type Step,
  step,
  unchanged,
} from '../../order/step.ts'
import type { StepInput } from '../../order/terms.ts'
import { type OrderNotFound, orderNotFound, type Unavailable } from '../../ports/store-errors.ts'
import {
  cartRefusal,
  decodeConfirmation,
  decodeUpdate,
  type OrderConfirmation,
  type OrderUpdate,
} from '../../protocol/order-payload.ts'
import {
  type Caller,
  changeOrder,
  type Host,
  type Refused,
  refuse,
  type StepError,
  sentenceUnless,
} from '../host.ts'
import { referenceTakenSentence, refuseTakenReference } from './place-order.ts'

const mismatches = (
  { placed }: Order,
  { total, itemTotals, currency, merchantRef }: OrderConfirmation,
): readonly string[] => [
  ...sentenceUnless(
    total === null || total === placed.total,
    `Invalid data: order.cart.order_total_with_tax is ${total}, but the order was placed with ${placed.total}.`,
  ),
  ...sentenceUnless(
    currency === null || currency === placed.currency,
    `Invalid data: order.cart.currency is ${currency}, but the order was placed in ${placed.currency}.`,
  ),
  ...sentenceUnless(
    merchantRef === null || merchantRef === placed.merchant.ref,
    `Invalid data: order.merchant.id is ${merchantRef}, but the order was placed by ${placed.merchant.ref}.`,
  ),
  ...(itemTotals === null ? [] : cartRefusal('', total ?? placed.total, itemTotals)),
]

type Applied = E.Either<Refused | InternalError, Step>

const applyReferences = (
  terms: Terms,
  order: Order,
  { first, second }: OrderConfirmation['references'],
  stepInput: StepInput,
): Applied => {
  if (first !== null && stepInput.referenceIsTaken)
    return E.left(refuse([referenceTakenSentence(first)]))
  const { references } = order.context
  const isSame =
    (first ?? references.first) === references.first &&
    (second ?? references.second) === references.second
  // The same reference changes nothing, but another order may have taken it meanwhile, so the store
  // must check it.
  if (isSame) return E.right({ ...unchanged(order), reference: first })
  return step(terms)(order, { type: 'references.given', first, second }, stepInput)
}

const applyState = (
  terms: Terms,
  order: Order,
  state: OrderConfirmation['state'],
  stepInput: StepInput,
): Applied => {
  if (state === null) return E.right(unchanged(order))
  const event: OrderEvent = { type: state === 'confirmed' ? 'merchant.confirmed' : 'merchant.held' }
  if (accepts(terms)(order, event, stepInput.at)) return step(terms)(order, event, stepInput)
  return E.left(
    refuse([
      `Invalid data: order.state is "${state}", which is not possible while the order is ${nameOnWire('checkout', order.state, modelOf(terms))}.`,
    ]),
  )
}

/**
 * A merchant confirms or holds their order and gives it references.
 *
 * `body`: `{"order": {…}}` with the merchant's `state` (`confirmed`, `on_hold` or none) and their
 * references. Returns the order. Repeating a state already reached is no error. `Refused`: one
 * sentence for each value that is invalid, taken or not possible now. Contract §3, §5.
 *
 * @example
 * ```ts
 * const body = { order: { merchant_reference: { order_ref_1: 'A-1001' }, state: 'confirmed' } }
 * const confirmed = await confirmOrder(host)({ account: merchant.username }, orderRef, body)()
 * if (confirmed._tag === 'Right') console.log(orderView(confirmed.right))
 * else if (confirmed.left._tag === 'Refused') console.log(confirmed.left.sentences)
 * ```
 */
export const confirmOrder =
  (host: Host) =>
  (
    { account }: Caller,
    orderRef: string,
    body: unknown,
  ): TE.TaskEither<OrderNotFound | Refused | Unavailable | InternalError, Order> =>
    pipe(
      changeOrder(host)<OrderNotFound | Refused | InternalError>(orderRef, (order, stepInput) => {
        if (order.placed.merchant.account !== account) return E.left(orderNotFound)
        const confirmation = decodeConfirmation(body)
        if (E.isLeft(confirmation)) return E.left(refuse(confirmation.left))
        const wrong = mismatches(order, confirmation.right)
        if (wrong.length > 0) return E.left(refuse(wrong))
        const { references, state } = confirmation.right
        const first = applyReferences(host.terms, order, references, stepInput)
        if (E.isLeft(first)) return first
        const second = applyState(host.terms, first.right.order, state, stepInput)
        if (E.isLeft(second)) return second
        return E.right(andThen(first.right, second.right))
      }),
      TE.mapLeft(refuseTakenReference),
    )

const CANCELLED: OrderEvent = { type: 'order.cancelled', by: 'merchant' }

// Exact for all amounts: the sum of two may be a number that is not.
const sumOf = ({ shipped, unshipped }: OrderUpdate): bigint =>
  BigInt(shipped.total) + BigInt(unshipped.total)

const updateRefusals = (order: Order, update: OrderUpdate): readonly string[] => {
  const [sum, total] = [sumOf(update), presentTotal(order)]
  const sums = `The carts add up to ${sum}, and the order's total is ${total}.`
  return [
    ...[update.shipped, update.unshipped].flatMap(({ name, total: cartTotal, currency }) => [
      ...sentenceUnless(
        cartTotal >= 0,
        `Invalid data: ${name}.order_total_with_tax is ${cartTotal}, but it must not be negative. ${sums}`,
      ),
      ...sentenceUnless(
        currency === null || currency === order.placed.currency,
        `Invalid data: ${name}.currency is ${JSON.stringify(currency)}, but the order was placed in ${order.placed.currency}. ${sums}`,
      ),
    ]),
    ...sentenceUnless(
      sum <= BigInt(total),
      `Invalid data: shipped_cart and unshipped_cart add up to ${sum}, but the order's total is ${total}. An order is never enlarged.`,
    ),
  ]
}

const applyUpdate = (
  terms: Terms,
  order: Order,
  update: OrderUpdate,
  stepInput: StepInput,
): Applied => {
  if (update.isCancellation) return step(terms)(order, CANCELLED, stepInput)
  const refusals = updateRefusals(order, update)
  if (refusals.length > 0) return E.left(refuse(refusals))
  const carts = { shipped: update.shipped.total, unshipped: update.unshipped.total }
  const total = presentTotal(order)
  return step(terms)(
    order,
    carts.shipped + carts.unshipped < total
      ? { type: 'order.reduced', carts, from: total }
      : { type: 'order.updated', carts },
    stepInput,
  )
}

/**
 * The Order Update API: the merchant reports a shipment, a smaller total, or that they cancelled
 * the order. `OrderNotFound` unless the merchant has a confirmed order with this `order_ref_1` that
 * is not cancelled. Contract §3.
 *
 * @example
 * ```ts
 * const updated = await updateOrder(host)('shop', 'A-1001', body)() // the body of an Order Update
 * if (updated._tag === 'Left') console.log(updated.left._tag) // OrderNotFound, Refused, …
 * ```
 */
export const updateOrder =
  (host: Host) =>
  (
    merchantRef: string,
    orderRef1: string,
    body: unknown,
  ): TE.TaskEither<Refused | StepError, null> =>
    pipe(
      host.store.findByReference(merchantRef, orderRef1),
      TE.chainW(({ placed }) =>
        changeOrder(host)<OrderNotFound | Refused | InternalError>(
          placed.orderRef,
          (order, stepInput) => {
            // Its reference may have changed since it was found.
            const isRequested = heldReference(order, modelOf(host.terms)) === orderRef1
            if (
              !isRequested ||
              !accepts(host.terms)(order, { type: 'order.updated' }, stepInput.at)
            )
              return E.left(orderNotFound)
            const update = decodeUpdate(body)
            if (E.isLeft(update)) return E.left(refuse(update.left))
            return applyUpdate(host.terms, order, update.right, stepInput)
          },
        ),
      ),
      TE.map(() => null),
    )
