// Money goes back to the shopper: never more than was paid, each part under an id of its own, and
// after an Order Update exactly what was paid beyond the new total. Contract §3, Order updates.
import { currencyTerms } from '../../protocol/currency.ts'
import type { Trace, TraceEntry } from '../trace/trace.ts'
import { stateAt } from '../trace/trace-queries.ts'
import { type Finding, firstOf, type Invariant } from './invariant.ts'

/** What was paid, by payment, and what was refunded, by refund. Amounts are minor units. */
type Account = {
  readonly paid: ReadonlyMap<string, number>
  readonly refunds: ReadonlyMap<
    string,
    { readonly payment: string | null; readonly amount: number }
  >
}

const accountOf = (entries: readonly TraceEntry[]): Account => {
  const paid = new Map<string, number>()
  const refunds = new Map<string, { readonly payment: string | null; readonly amount: number }>()
  for (const [index, each] of entries.entries()) {
    if (each.part !== 'payment') continue
    const { what, payment, refund, amount } = each
    if (what === 'succeeded') paid.set(payment ?? `#${index}`, amount ?? 0)
    // A source that does not know the amount saw a whole payment go back.
    if (what === 'refunded')
      refunds.set(refund ?? `#${index}`, { payment, amount: amount ?? largestOf(paid) })
  }
  return { paid, refunds }
}

const largestOf = (paid: Account['paid']): number => Math.max(0, ...paid.values())

const sumOf = (amounts: Iterable<number>): number =>
  [...amounts].reduce((sum, amount) => sum + amount, 0)

const refundedOf = ({ refunds }: Account, isOf: (payment: string | null) => boolean): number =>
  sumOf([...refunds.values()].flatMap(({ payment, amount }) => (isOf(payment) ? [amount] : [])))

/** What the shopper's payments still amount to before this index, and the largest of them. */
export const keptAt = ({ entries }: Pick<Trace, 'entries'>, index: number) => {
  const account = accountOf(entries.slice(0, index))
  return {
    kept: sumOf(account.paid.values()) - refundedOf(account, () => true),
    largest: largestOf(account.paid),
    payments: [...account.paid.values()],
  }
}

const neverTooMuch = firstOf('payment', ({ what, payment }, { entries }, index) => {
  if (what !== 'refunded') return null
  const account = accountOf(entries.slice(0, index + 1))
  const total = sumOf(account.paid.values())
  const refunded = refundedOf(account, () => true)
  if (refunded > total) return `${refunded} was refunded, and ${total} was paid.`
  const ofPayment = payment === null ? 0 : refundedOf(account, (each) => each === payment)
  return payment !== null && ofPayment > (account.paid.get(payment) ?? 0)
    ? `${ofPayment} of ${payment} was refunded, and ${account.paid.get(payment) ?? 0} was paid.`
    : null
})

const eachHasItsId = (trace: Trace): Finding | null => {
  const ids = new Set<string>()
  return firstOf('step', ({ step }) => {
    for (const effect of step.effects) {
      if (effect.type !== 'do' || effect.payload.kind !== 'refund') continue
      if (ids.has(effect.key)) return `${effect.key} requests two refunds.`
      if (effect.payload.amount <= 0) return `${effect.key} refunds ${effect.payload.amount}.`
      ids.add(effect.key)
    }
    return null
  })(trace)
}

/** True if the requested payment has succeeded. */
export const isPayment = (each: TraceEntry): boolean =>
  each.part === 'line' &&
  each.from.checkout === 'paying' &&
  AFTER_PAYMENT.includes(each.to.checkout)

const AFTER_PAYMENT = ['confirming', 'holding', 'conflicted']

/**
 * The order's total before this index. A line has the new one in the currency's digits, which are
 * those of minor units.
 */
const totalAt = ({ entries, placed }: Trace, index: number): number => {
  const last = entries
    .slice(0, index)
    .findLast((each) => each.part === 'line' && each.event === 'order.reduced')
  const [, text] = / to ([\d.]+) /.exec((last?.part === 'line' && last.detail) || '') ?? []
  return text === undefined ? placed.total : Number(text.replace('.', ''))
}

// A shopper may pay a fee with the first instalment. It stays paid until a cancellation.
const keepsItsTotal = firstOf('idle', (_idle, trace, index) => {
  const { checkout, cancellation } = stateAt(trace, index)
  const { kept, payments } = keptAt(trace, index)
  if (checkout !== 'confirmed' || cancellation === 'cancelled' || payments.length === 0) return null
  const total = totalAt(trace, index)
  const { feePerInstalment } = currencyTerms(trace.placed.currency)
  const expected = payments.flatMap((paid) => [
    Math.min(paid, total),
    Math.min(paid, total + feePerInstalment),
  ])
  const isExpected = expected.includes(kept) || (kept === 0 && !wasRequested(trace, index))
  return isExpected
    ? null
    : `The order costs ${total}, ${payments.join(' and ')} was paid, and ${kept} is kept.`
})

const wasRequested = ({ entries }: Trace, index: number): boolean =>
  entries.slice(0, index).some(isPayment)

export const refunds: Invariant = {
  number: 21,
  name: 'refunds',
  section: 'Contract §3, Order updates',
  clauses: [
    {
      claim: 'the refunds of a payment never add up to more than was paid',
      needs: ['payment'],
      check: neverTooMuch,
    },
    {
      claim: 'each refund has an id of its own, and a part of the payment',
      needs: ['step'],
      check: eachHasItsId,
    },
    {
      claim: 'a confirmed order keeps what was paid of its present total, and the fee',
      needs: ['payment', 'line', 'idle'],
      check: keepsItsTotal,
    },
  ],
}
