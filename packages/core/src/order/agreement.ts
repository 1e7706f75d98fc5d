// The agreement of an order: the one the shopper chose, or else the default for the order as placed. Contract §4.
import { type Agreement, defaultAgreement } from '../protocol/credit-product.ts'
import type { OrderContext, Placed } from './order-context.ts'

type WithAgreement = { readonly placed: Placed; readonly context: OrderContext }

export const agreementOf = ({ placed, context }: WithAgreement): Agreement =>
  agreementOrDefault(placed, context.agreement)

export const agreementOrDefault = ({ merchant, productCode }: Placed, chosen: Agreement | null): Agreement =>
  chosen ?? defaultAgreement(merchant.products, productCode)
