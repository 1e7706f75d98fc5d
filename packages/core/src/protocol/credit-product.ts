// What may be agreed on for an order, and what a plan costs. Contract §4, Products.
import { CATALOGUE, type CreditProduct, productOf } from './catalogue.ts'

/** What the shopper chose: a product and one of its numbers of instalments. Interface §2.1. */
export type Agreement = { readonly product: string; readonly instalmentCount: number }

/** Whether a merchant who has these products offers the agreement for an order of this total. */
export const isOffered = (
  products: readonly string[],
  total: number,
  { product, instalmentCount }: Agreement,
): boolean => {
  const found = products.includes(product) ? productOf(product) : undefined
  return found !== undefined && fits(found, total) && found.instalmentCounts.includes(instalmentCount)
}

/** Those of a merchant's products that an order of this total may have, in his order; all of them where there is none. */
export const productsFor = (products: readonly string[], total: number | null): readonly CreditProduct[] =>
  products.flatMap((code) => {
    const product = productOf(code)
    return product !== undefined && (total === null || fits(product, total)) ? [product] : []
  })

export const fits = ({ minAmount, maxAmount }: CreditProduct, total: number): boolean =>
  total >= minAmount && total <= maxAmount

/** The agreement that stands when the shopper names none: the product hinted, else the merchant's first. */
export const defaultAgreement = (products: readonly string[], hint: string | null): Agreement => {
  const product = hint ?? products[0] ?? CATALOGUE[0]?.code ?? ''
  return { product, instalmentCount: productOf(product)?.instalmentCounts[0] ?? 1 }
}

/** All in minor units. The instalments add up to the total; fees come on top. */
export type Plan = {
  readonly instalments: readonly number[]
  readonly fee: number
  readonly dueNow: number
  readonly costOfCredit: number
  readonly grandTotal: number
}

/** `total` in minor units. The agreement is taken as it is, offered or not. */
export const planOf = ({ product, instalmentCount }: Agreement, total: number): Plan => {
  const found = productOf(product)
  const fee = found?.feePerInstalment ?? 0
  const each = Math.floor(total / instalmentCount)
  // The remainder goes to the first instalment, so that no cent is lost or made.
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
