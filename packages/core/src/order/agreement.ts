// The agreement of an order: the one the shopper chose, or else the default for the order as placed. Contract §4.

import type { OfferedAgreement } from '../protocol/action.ts'
import { type Agreement, defaultAgreement, planOf } from '../protocol/credit-product.ts'
import { money } from '../protocol/money.ts'
import type { OrderContext, Placed } from './order-context.ts'

type WithAgreement = { readonly placed: Placed; readonly context: OrderContext }

export const agreementOf = ({ placed, context }: WithAgreement): Agreement =>
  agreementOrDefault(placed, context.agreement)

export const agreementOrDefault = ({ merchant, productCode }: Placed, chosen: Agreement | null): Agreement =>
  chosen ?? defaultAgreement(merchant.products, productCode)

// A plan and its costs for one order, formatted for shoppers. Contract §4, Replies.

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
