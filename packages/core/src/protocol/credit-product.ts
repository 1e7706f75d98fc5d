// The rules for agreements: which an order may have, and the costs of a plan. Contract §4, Products.
import { CATALOGUE, type CreditProduct, productOf } from './catalogue.ts'

/** A product and one of its numbers of instalments, chosen by the shopper. Interface §2.1. */
export type Agreement = { readonly product: string; readonly instalmentCount: number }

/** Whether a merchant with these products offers the agreement for an order of this total. */
export const isOffered = (
  products: readonly string[],
  total: number,
  { product, instalmentCount }: Agreement,
): boolean => {
  const found = products.includes(product) ? productOf(product) : undefined
  return found !== undefined && fits(found, total) && found.instalmentCounts.includes(instalmentCount)
}

/** The merchant's products that an order of this total may have, in the merchant's order. `total` null: all of them. */
export const productsFor = (products: readonly string[], total: number | null): readonly CreditProduct[] =>
  products.flatMap((code) => {
    const product = productOf(code)
    return product !== undefined && (total === null || fits(product, total)) ? [product] : []
  })

export const fits = ({ minAmount, maxAmount }: CreditProduct, total: number): boolean =>
  total >= minAmount && total <= maxAmount

/** The agreement used if the shopper names none: the product in `hint`, or else the merchant's first. */
export const defaultAgreement = (products: readonly string[], hint: string | null): Agreement => {
  const product = hint ?? products[0] ?? CATALOGUE[0]?.code ?? ''
  return { product, instalmentCount: productOf(product)?.instalmentCounts[0] ?? 1 }
}

/** All amounts in minor units. The instalments add up to the total; fees are added to it. */
export type Plan = {
  readonly instalments: readonly number[]
  readonly fee: number
  readonly dueNow: number
  readonly costOfCredit: number
  readonly grandTotal: number
}

/** `total` in minor units. Does not check whether the agreement is offered. */
export const planOf = ({ product, instalmentCount }: Agreement, total: number): Plan => {
  const found = productOf(product)
  const fee = found?.feePerInstalment ?? 0
  const each = Math.floor(total / instalmentCount)
  // The first instalment includes the remainder, so that the instalments add up exactly.
  const first = total - each * (instalmentCount - 1)
  const costOfCredit = fee * instalmentCount
  return {
    instalments: [first, ...Array.from({ length: instalmentCount - 1 }, () => each)],
    fee,
    dueNow: { nothing: 0, first_instalment: first + fee, all: total + costOfCredit }[found?.dueNow ?? 'nothing'],
    costOfCredit,
    grandTotal: total + costOfCredit,
  }
}
