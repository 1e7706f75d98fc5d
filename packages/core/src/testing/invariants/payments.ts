// The payments of an order: requested until one succeeds, shown with the right amount, and refunded if not due.
import { languageTag } from '../../protocol/language.ts'
import type { Trace, TraceEntry } from '../trace/trace.ts'
import { actionOf, fieldsOf, isAnswered, jsonOf, stateAt } from '../trace/trace-queries.ts'
import { type Finding, findingAt, firstOf, type Invariant } from './invariant.ts'
import { UNCONFIRMED } from './terminal-states.ts'

// An order moves from paying to the merchant only by its payment.
const noSecondRequest = ({ entries }: Trace): Finding | null => {
  let isPaid = false
  for (const [index, each] of entries.entries()) {
    if (isPayment(each)) isPaid = true
    if (isPaid && isAnswered(each) && actionOf(each) === 'require_payment')
      return findingAt(index, 'A payment is requested after one has succeeded.')
  }
  return null
}

/** True if the requested payment has succeeded. */
const isPayment = (each: TraceEntry): boolean =>
  each.part === 'line' && each.from.checkout === 'paying' && AFTER_PAYMENT.includes(each.to.checkout)

const AFTER_PAYMENT = ['confirming', 'holding', 'conflicted']

const digitsOf = (text: string): string => text.replace(/\D/g, '')

const amountError = (answer: unknown, { placed }: Trace): string | null => {
  const { action, amount } = fieldsOf(answer)
  if (action !== 'require_payment') return null
  const { value, string } = fieldsOf(amount)
  if (!Number.isSafeInteger(value) || Number(value) < 0) return `The amount's value is ${JSON.stringify(value)}.`
  const format = new Intl.NumberFormat(languageTag(placed.language), { style: 'currency', currency: placed.currency })
  const symbol = format.formatToParts(0).find(({ type }) => type === 'currency')?.value ?? placed.currency
  const text = String(string)
  if (!text.includes(symbol)) return `The amount's text is ${text}, and the order is in ${placed.currency}.`
  // Digits of other scripts are not checked here.
  return digitsOf(text) === '' || Number(digitsOf(text)) === value
    ? null
    : `The amount's text is ${text}, and its value is ${value}.`
}

const amountsAgree = (trace: Trace): Finding | null => {
  for (const [index, each] of trace.entries.entries()) {
    const answer =
      each.part === 'submission' || each.part === 'poll'
        ? each.answer.body
        : each.part === 'request' && each.event === 'identification_action'
          ? jsonOf(each.body)
          : null
    const sentence = amountError(answer, trace)
    if (sentence !== null) return findingAt(index, sentence)
  }
  return null
}

const paysOnce = firstOf('step', (each) => {
  const { payments } = each.step.order.context
  if (payments.filter(({ state }) => state === 'succeeded').length > 1)
    return 'Two payments of the order count as succeeded.'
  return null
})

// When everything due has run, the merchant of a confirmed order has the money of one payment, and all else is refunded.
const refundsUndue = (trace: Trace): Finding | null => {
  const { entries } = trace
  return firstOf('idle', (_idle, _trace, index) => {
    const before = entries.slice(0, index)
    const tally = (what: string): number =>
      new Set(
        before.flatMap((one, at) => (one.part === 'payment' && one.what === what ? [one.payment ?? `#${at}`] : [])),
      ).size
    const refunds = before.filter((one) => one.part === 'payment' && one.what === 'refunded').length
    const { checkout, cancellation } = stateAt(trace, index)
    const remaining = tally('succeeded') - refunds
    if (refunds > tally('refunded')) return 'A payment was refunded twice.'
    if (remaining < 0) return 'More was refunded than was paid.'
    if (remaining > 1) return `The order keeps ${remaining} payments.`
    if (remaining > 0 && (UNCONFIRMED.includes(checkout) || cancellation === 'cancelled'))
      return `The order is ${checkout}, its cancellation ${cancellation}, and a payment was not refunded.`
    if (remaining === 0 && before.some(isPayment) && checkout === 'confirmed' && cancellation !== 'cancelled')
      return 'The only payment of a confirmed order was refunded.'
    return null
  })(trace)
}

export const noSecondCharge: Invariant = {
  number: 9,
  name: 'no second charge',
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
      claim: 'a payment that is not due is refunded, once',
      needs: ['payment', 'line', 'idle'],
      check: refundsUndue,
    },
  ],
}
