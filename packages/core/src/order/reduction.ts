// An Order Update may reduce a confirmed order, but never enlarge it. What was paid beyond the new
// total goes back, and nothing goes back twice: a payment knows each part that a reduction sent
// back, and its `amount` is only what is left. Contract §3.
import { type Catalogue, planOf } from '../protocol/credit-product.ts'
import { agreementOrDefault, type Order } from './order.ts'
import {
  type Carts,
  type OrderContext,
  type Payment,
  type Placed,
  successfulPaymentOf,
} from './order-context.ts'

type Changing = Pick<OrderContext, 'agreement' | 'payments'> & {
  readonly placed: Placed
  readonly products: Catalogue
}

/**
 * What the order costs now, in minor units: both carts of the last Order Update, or else what was
 * placed.
 */
export const presentTotal = ({
  placed,
  context: { carts },
}: Pick<Order, 'placed' | 'context'>): number =>
  carts === null ? placed.total : carts.shipped + carts.unshipped

/** True if a merchant has reduced the order. */
export const isReduced = (order: Pick<Order, 'placed' | 'context'>): boolean =>
  presentTotal(order) < order.placed.total

const sumOf = (parts: Payment['refunds']): number =>
  parts.reduce((sum, { amount }) => sum + amount, 0)

/** The refunded amount of a payment, in minor units. */
const refundedOf = ({ amount, refunds, refundedBy }: Payment): number =>
  sumOf(refunds) + (refundedBy === null ? 0 : amount)

/** The refunded amount of all payments, in minor units. */
export const refundedTotal = ({ payments }: Pick<OrderContext, 'payments'>): number =>
  payments.reduce((sum, payment) => sum + refundedOf(payment), 0)

/** What the shopper has paid with all payments, in minor units, whether or not it went back. */
export const paidTotal = ({ payments }: Pick<OrderContext, 'payments'>): number =>
  payments
    .filter(({ state }) => state === 'succeeded' || state === 'unexpected')
    .reduce((sum, { amount, refunds }) => sum + amount + sumOf(refunds), 0)

/**
 * What the effect with this key sends back of its payment; undefined if it is no refund of the
 * order.
 */
export const refundWith = (
  { payments }: Pick<OrderContext, 'payments'>,
  key: string,
): { readonly payment: string; readonly amount: number } | undefined => {
  for (const { key: payment, amount, refunds, refundedBy } of payments) {
    if (refundedBy === key) return { payment, amount }
    const part = refunds.find(({ by }) => by === key)
    if (part !== undefined) return { payment, amount: part.amount }
  }
  return undefined
}

// The shopper has paid the first instalment. Its fee stays paid until a cancellation, so only the
// instalment counts.
const excessOf = (changing: Changing, payment: Payment, total: number): number => {
  const { placed, products } = changing
  const agreement = agreementOrDefault(placed, changing.agreement, products)
  const [firstInstalment = 0] = planOf(agreement, placed, products).instalments
  const refunded = sumOf(payment.refunds)
  const paidOfTotal = Math.min(firstInstalment, payment.amount + refunded)
  return Math.max(0, paidOfTotal - refunded - total)
}

/**
 * The order after an Order Update with these carts. If the shopper has paid more than they add up
 * to, the effect with the key `by` sends it back. The last part of a payment is marked by
 * `refundedBy`, so that a cancellation refunds nothing more.
 */
export const applyCarts = (
  changing: Changing,
  carts: Carts,
  by: string,
): Pick<OrderContext, 'carts' | 'payments'> => {
  const { payments } = changing
  const paid = successfulPaymentOf(changing)
  const excess =
    paid?.refundedBy === null ? excessOf(changing, paid, carts.shipped + carts.unshipped) : 0
  if (paid === undefined || excess === 0) return { carts, payments }
  const change =
    excess === paid.amount
      ? { refundedBy: by }
      : { amount: paid.amount - excess, refunds: [...paid.refunds, { by, amount: excess }] }
  return {
    carts,
    payments: payments.map((payment) => (payment === paid ? { ...payment, ...change } : payment)),
  }
}
