// Checks that no single step does anything forbidden with money. It runs when the decision is made,
// inside the store's transaction. Ends, and that an order is paid once, are invariants of
// @plazo/core/testing, checked in the traces.
import { isDeepStrictEqual } from 'node:util'
import { type Agreement, type Order, type Payment, planOf, type Step } from '@plazo/core/internal'

type Broken = { readonly law: string; readonly sentence: string }

const broken = (law: string, sentence: string): Broken => ({ law, sentence })

const ENDS = ['confirmed', 'rejected', 'cancelled', 'conflicted', 'failed', 'expired']
const isPaid = ({ state }: Payment): boolean => state === 'succeeded' || state === 'unexpected'

// The products again, as in contract §4: the remainder of a division goes to the first instalment.
const FEES: Readonly<Record<string, number>> = { pp3: 250 }

/** The amount of each of the plan's instalments. */
const instalmentsOf = (
  { product, instalmentCount }: Agreement,
  total: number,
): readonly number[] => {
  const each = Math.floor(total / instalmentCount)
  const fee = FEES[product] ?? 0
  return Array.from(
    { length: instalmentCount },
    (_, index) => each + fee + (index === 0 ? total % instalmentCount : 0),
  )
}

/** The amount due before the order is confirmed. */
const dueNow = (agreement: Agreement, total: number): number =>
  agreement.product === 'i1' ? 0 : (instalmentsOf(agreement, total)[0] ?? 0)

/**
 * The part of a payment that the effect with this key refunds: what a reduction sent back, or all
 * that is left.
 */
const partOf = ({ amount, refunds, refundedBy }: Payment, key: string): number | undefined =>
  refundedBy === key ? amount : refunds?.find(({ by }) => by === key)?.amount

const paymentLaws = (before: Order, { order, effects }: Step): readonly Broken[] => {
  const { payments, agreement } = order.context
  const faults: Broken[] = []
  for (const payment of payments) {
    const earlier = before.context.payments.find(({ key }) => key === payment.key)
    if (earlier !== undefined && isPaid(earlier) && earlier.state !== payment.state)
      faults.push(
        broken(
          'what is captured stays captured',
          `${payment.key} was ${earlier.state} and is ${payment.state}.`,
        ),
      )
    if (
      earlier !== undefined &&
      earlier.refundedBy !== null &&
      earlier.refundedBy !== payment.refundedBy
    )
      faults.push(
        broken(
          'a payment is refunded once',
          `${payment.key} was refunded by ${earlier.refundedBy} already.`,
        ),
      )
    if (
      earlier === undefined &&
      agreement !== null &&
      payment.amount !== dueNow(agreement, order.placed.total)
    )
      faults.push(
        broken(
          'instalments add up',
          `${payment.amount} is asked for, where ${dueNow(agreement, order.placed.total)} is due.`,
        ),
      )
    if (payment.state === 'unexpected' && payment.refundedBy === null)
      faults.push(
        broken(
          'what is paid astray goes back at once',
          `${payment.key} is a stray, and is not refunded.`,
        ),
      )
  }
  for (const effect of effects) {
    if (effect.type !== 'do' || effect.payload.kind !== 'refund') continue
    const { payment: key, amount } = effect.payload
    const payment = payments.find((each) => each.key === key)
    if (payment === undefined || !isPaid(payment))
      faults.push(
        broken('only what was captured is refunded', `${key} is ${payment?.state ?? 'unknown'}.`),
      )
    else if (amount !== partOf(payment, effect.key))
      faults.push(
        broken('a refund is of what was paid', `${amount} of ${payment.amount} is refunded.`),
      )
  }
  return faults
}

/** A step that ends a paid order unconfirmed, or cancels one, must request its refund. */
const refundIsAskedFor = ({ order: { state, context } }: Step): readonly Broken[] => {
  const isGivenBack =
    (ENDS.includes(state.checkout) && state.checkout !== 'confirmed') ||
    state.cancellation === 'cancelled'
  const payment = context.payments.find(
    (payment) => payment.state === 'succeeded' && payment.refundedBy === null,
  )
  return isGivenBack && payment !== undefined
    ? [
        broken(
          'what ends unconfirmed is refunded',
          `The order is ${state.checkout}, and ${payment.key} is kept.`,
        ),
      ]
    : []
}

const planLaws = ({ order: { context, placed } }: Step): readonly Broken[] => {
  const { agreement } = context
  if (agreement === null) return []
  const { instalments, fee, grandTotal } = planOf(agreement, placed)
  const expected = instalmentsOf(agreement, placed.total)
  const amounts = instalments.map((each) => each + fee)
  const sum = expected.reduce((a, b) => a + b, 0)
  return isDeepStrictEqual(amounts, expected) && grandTotal === sum
    ? []
    : [
        broken(
          'instalments add up',
          `${amounts} make ${grandTotal}, where ${expected} make ${sum}.`,
        ),
      ]
}

export const stepLaws = (before: Order, result: Step): readonly Broken[] => [
  ...paymentLaws(before, result),
  ...refundIsAskedFor(result),
  ...planLaws(result),
]
