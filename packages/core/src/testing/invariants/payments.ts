// The payments of an order: requested until one succeeds, shown with the right amount, and refunded
// if not due.
import { languageTag } from '../../protocol/language.ts'
import type { Trace } from '../trace/trace.ts'
import { actionOf, fieldsOf, isAnswered, jsonOf, stateAt } from '../trace/trace-queries.ts'
import { isActionEvent } from './action-tables.ts'
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

const digitsOf = (text: string): string => text.replace(/\D/g, '')

const amountError = (answer: unknown, { placed }: Trace): string | null => {
  const { action, amount } = fieldsOf(answer)
  if (action !== 'require_payment') return null
  const { value, string } = fieldsOf(amount)
  if (!Number.isSafeInteger(value) || Number(value) < 0)
    return `The amount's value is ${JSON.stringify(value)}.`
  const format = new Intl.NumberFormat(languageTag(placed.language), {
    style: 'currency',
    currency: placed.currency,
  })
  const symbol =
    format.formatToParts(0).find(({ type }) => type === 'currency')?.value ?? placed.currency
  const text = String(string)
  if (!text.includes(symbol))
    return `The amount's text is ${text}, and the order is in ${placed.currency}.`
  // Digits of other scripts are not checked here.
  return digitsOf(text) === '' || Number(digitsOf(text)) === value
    ? null
    : `The amount's text is ${text}, and its value is ${value}.`
}

const amountsAgree = firstEntry((each, trace) => {
  if (each.part === 'submission' || each.part === 'poll')
    return amountError(each.answer.body, trace)
  return each.part === 'request' && isActionEvent(each)
    ? amountError(jsonOf(each.body), trace)
    : null
})

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
    {
      claim: 'an amount is whole and not negative, and its text shows its value',
      needs: ['submission', 'poll'],
      check: amountsAgree,
    },
    { claim: 'at most one payment of an order counts', needs: ['step'], check: paysOnce },
    {
      claim: 'a payment that is not due is refunded',
      needs: ['payment', 'line', 'idle'],
      check: refundsUndue,
    },
  ],
}
