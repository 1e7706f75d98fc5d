// A shopper agrees to a plan only if they see when each amount is due and what the credit costs. Contract §4, Plans.
import type { Plan } from './credit-product.ts'

type PlanAmounts = Pick<Plan, 'instalments' | 'fee' | 'dueNow'>

/** `due`: a date, `YYYY-MM-DD`, in UTC. `amount`: minor units, with its fee. `isNow`: it is paid during the checkout. */
type Instalment = { readonly due: string; readonly amount: number; readonly isNow: boolean }

const MONTHS = 12

/** The same day of a later month, or that month's last day if it has no such day. */
const monthsLater = (at: number, months: number): string => {
  const start = new Date(at)
  const lastDay = new Date(Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + months + 1, 0)).getUTCDate()
  const day = Math.min(start.getUTCDate(), lastDay)
  return new Date(Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + months, day)).toISOString().slice(0, 10)
}

/** What is not due now is due month by month, the first time a month after `at` (epoch milliseconds). */
export const instalmentsOf = ({ instalments, fee, dueNow }: PlanAmounts, at: number): readonly Instalment[] => {
  const later = dueNow === 0 ? 1 : 0
  return instalments.map((amount, index) => ({
    due: monthsLater(at, index + later),
    amount: amount + fee,
    isNow: later === 0 && index === 0,
  }))
}

// The rate is rounded to a tenth of a percent, so these steps are more than enough.
const BISECTIONS = 100
const RATE_MAX = 1_000_000

/**
 * The annual percentage rate of charge (in Spain TAE) in tenths of a percent: the rate at which the later instalments are worth
 * what is not paid now. A month counts as a twelfth of a year. Directive 2008/48/EC, Annex I. Null if nothing is credited.
 */
export const annualRateTenths = ({ instalments, fee, dueNow }: PlanAmounts, total: number): number | null => {
  const later = dueNow === 0 ? 1 : 0
  const credited = total - dueNow
  const payments = instalments
    .map((amount, index) => ({ amount: amount + fee, months: index + later }))
    .filter(({ months }) => months > 0)
  if (credited <= 0 || payments.length === 0) return null
  const presentValue = (rate: number): number =>
    payments.reduce((sum, { amount, months }) => sum + amount / (1 + rate) ** (months / MONTHS), 0)
  let [low, high] = [0, RATE_MAX]
  for (let step = 0; step < BISECTIONS; step++) {
    const middle = (low + high) / 2
    if (presentValue(middle) > credited) low = middle
    else high = middle
  }
  return Math.round(low * 1000)
}
