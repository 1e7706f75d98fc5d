// The credit products as data, and what a plan costs. Contract §4, Products.

export type CreditProduct = {
  readonly code: string
  readonly title: string
  readonly longTitle: string
  /** The numbers of instalments on offer, the default first. */
  readonly instalmentCounts: readonly number[]
  readonly dueNow: 'nothing' | 'first_instalment' | 'all'
  /** Minor units, added to each instalment. */
  readonly feePerInstalment: number
  readonly minAmount: number
  readonly maxAmount: number
}

const RANGE = { minAmount: 100, maxAmount: 1_000_000 }

export const CATALOGUE: readonly CreditProduct[] = [
  {
    code: 'i1',
    title: 'Pay later',
    longTitle: 'Receive first, pay later',
    instalmentCounts: [1],
    dueNow: 'nothing',
    feePerInstalment: 0,
    ...RANGE,
  },
  {
    code: 'pp3',
    title: 'Part payment',
    longTitle: 'Pay in instalments, the first one now',
    instalmentCounts: [3, 6, 12, 24],
    dueNow: 'first_instalment',
    feePerInstalment: 250,
    ...RANGE,
  },
  {
    code: 'sp1',
    title: 'Split payment',
    longTitle: 'Pay in three without cost',
    instalmentCounts: [3],
    dueNow: 'first_instalment',
    feePerInstalment: 0,
    ...RANGE,
  },
  {
    code: 'fp1',
    title: 'Pay now',
    longTitle: 'Pay everything now by card',
    instalmentCounts: [1],
    dueNow: 'all',
    feePerInstalment: 0,
    ...RANGE,
  },
]

const byCode = new Map(CATALOGUE.map((product) => [product.code, product]))

export const productOf = (code: string): CreditProduct | undefined => byCode.get(code)

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
