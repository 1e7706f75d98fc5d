// The payments of an order: requested until one succeeds, and refunded if not due.
import type { Trace } from '../trace/trace.ts'
import { actionOf, isAnswered, stateAt } from '../trace/trace-queries.ts'
import { type Finding, firstEntry, firstOf, type Invariant } from './invariant.ts'
import { isPayment, keptAt } from './refunds.ts'
import { UNCONFIRMED } from './terminal-states.ts'

// An order moves from paying to the merchant only by its payment.
const noSecondRequest = (trace: Trace): Finding | null => {
  let isPaid = false
  return firstEntry((each) => {
    isPaid ||= isPayment(each)
    return isPaid && isAnswered(each) && actionOf(each) === 'require_payment'
      ? 'A payment is requested after one has succeeded.'
      : null
  })(trace)
}

const paysOnce = firstOf('step', (each) => {
  const { payments } = each.step.order.context
  if (payments.filter(({ state }) => state === 'succeeded').length > 1)
    return 'Two payments of the order count as succeeded.'
  return null
})

// When everything due has run, an order that ended without the merchant's yes keeps nothing, and no
// order keeps two payments.
const refundsUndue = firstOf('idle', (_idle, trace, index) => {
  const { kept, largest } = keptAt(trace, index)
  const { checkout, cancellation } = stateAt(trace, index)
  if (kept > largest) return `The order keeps ${kept}, more than one payment.`
  return kept > 0 && (UNCONFIRMED.includes(checkout) || cancellation === 'cancelled')
    ? `The order is ${checkout}, its cancellation ${cancellation}, and ${kept} was not refunded.`
    : null
})

export const noSecondCharge: Invariant = {
  number: 9,
  name: 'no second charge',
  section: 'Contract §4, Payment',
  clauses: [
    {
      claim: 'no payment is requested after the requested one has succeeded',
      needs: ['submission', 'poll', 'line'],
      check: noSecondRequest,
    },
    { claim: 'at most one payment of an order counts', needs: ['step'], check: paysOnce },
    {
      claim: 'a payment that is not due is refunded',
      needs: ['payment', 'line', 'idle'],
      check: refundsUndue,
    },
  ],
}
