// A plan and its costs for one order, formatted for shoppers. Contract §4, Replies.
import type { OfferedAgreement } from '../protocol/action.ts'
import { type Agreement, planOf } from '../protocol/credit-product.ts'
import { money } from '../protocol/money.ts'
import type { Placed } from './order-context.ts'

export const offeredAgreement = (
  { currency, language, total }: Pick<Placed, 'currency' | 'language' | 'total'>,
  agreement: Agreement,
): OfferedAgreement => {
  const plan = planOf(agreement, total)
  const moneyOf = (value: number) => money(value, currency, language)
  return {
    product: agreement.product,
    instalment_count: agreement.instalmentCount,
    grand_total: moneyOf(plan.grandTotal),
    instalment_total: moneyOf((plan.instalments.at(-1) ?? 0) + plan.fee),
    down_payment_total: moneyOf(plan.dueNow),
    cost_of_credit: moneyOf(plan.costOfCredit),
  }
}
