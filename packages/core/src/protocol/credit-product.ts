// The rules for agreements: which an order may have, what a plan costs, and when each amount is
// due. Contract §4, Products, Plans.
import { currencyTerms } from './currency.ts'
import type { Language } from './language.ts'

/** When the shopper pays: after the delivery, in instalments, or at once. */
export type Category = 'pay_later' | 'part_payment' | 'pay_now'

/** A product with its texts, its numbers of instalments and its costs. Contract §4, Products. */
export type CreditProduct = {
  readonly code: string
  readonly category: Category
  readonly text: {
    readonly [language in Language]: { readonly title: string; readonly longTitle: string }
  }
  /** The offered numbers of instalments. The first is the default. */
  readonly instalmentCounts: readonly [number, ...number[]]
  readonly dueNow: 'nothing' | 'first_instalment' | 'all'
  /** True if the currency's fee is added to each instalment. */
  readonly hasFee: boolean
}

/**
 * The products of plazo. A host that offers others gives its own list to `orderModel`. Contract §4,
 * Products.
 */
export const CATALOGUE: readonly [CreditProduct, ...CreditProduct[]] = [
  {
    code: 'i1',
    category: 'pay_later',
    text: {
      en: { title: 'Pay later', longTitle: 'Receive first, pay later' },
      es: { title: 'Paga después', longTitle: 'Recibe primero, paga después' },
    },
    instalmentCounts: [1],
    dueNow: 'nothing',
    hasFee: false,
  },
  {
    code: 'pp3',
    category: 'part_payment',
    text: {
      en: {
        title: 'Pay in 3 to 24 instalments',
        longTitle: 'Pay in instalments, the first one now',
      },
      es: { title: 'Paga en 3 a 24 plazos', longTitle: 'Paga a plazos, el primero ahora' },
    },
    instalmentCounts: [3, 6, 12, 24],
    dueNow: 'first_instalment',
    hasFee: true,
  },
  {
    code: 'sp1',
    category: 'part_payment',
    text: {
      en: {
        title: 'Pay in 3 without cost',
        longTitle: 'Pay in 3 instalments without cost, the first one now',
      },
      es: {
        title: 'Paga en 3 sin coste',
        longTitle: 'Paga en 3 plazos sin coste, el primero ahora',
      },
    },
    instalmentCounts: [3],
    dueNow: 'first_instalment',
    hasFee: false,
  },
  {
    code: 'fp1',
    category: 'pay_now',
    text: {
      en: { title: 'Pay now', longTitle: 'Pay everything now by card' },
      es: { title: 'Paga ahora', longTitle: 'Paga todo ahora con tarjeta' },
    },
    instalmentCounts: [1],
    dueNow: 'all',
    hasFee: false,
  },
]

/** True if any of its plans leaves something to be paid later. */
export const isCredit = ({ dueNow, instalmentCounts }: CreditProduct): boolean =>
  dueNow !== 'all' && (dueNow === 'nothing' || instalmentCounts.some((count) => count > 1))

/** Products by their codes. */
export type Catalogue = ReadonlyMap<string, CreditProduct>

export const catalogueOf = (products: readonly CreditProduct[]): Catalogue =>
  new Map(products.map((product) => [product.code, product]))

/** The products of `CATALOGUE`. A host's model may have others. */
export const PRODUCTS = catalogueOf(CATALOGUE)

/** A product and one of its numbers of instalments, chosen by the shopper. Interface §2.1. */
export type Agreement = { readonly product: string; readonly instalmentCount: number }

/** What an order costs without the credit. `total`: minor units of the currency. */
export type Price = { readonly total: number; readonly currency: string }

/** True if a merchant with these products offers the agreement for an order of this price. */
export const isOffered = (
  products: readonly string[],
  price: Price,
  { product, instalmentCount }: Agreement,
  catalogue = PRODUCTS,
): boolean => {
  const offered = products.includes(product) ? catalogue.get(product) : undefined
  return offered?.instalmentCounts.includes(instalmentCount) === true && isWithinLimits(price)
}

/**
 * The merchant's products that an order of this price may have, in the merchant's order. `price`
 * null: all of them.
 */
export const productsFor = (
  products: readonly string[],
  price: Price | null,
  catalogue = PRODUCTS,
): readonly CreditProduct[] =>
  price !== null && !isWithinLimits(price)
    ? []
    : products.flatMap((code) => catalogue.get(code) ?? [])

/** All products have the limits of the order's currency. */
const isWithinLimits = ({ total, currency }: Price): boolean => {
  const { minTotal, maxTotal } = currencyTerms(currency)
  return total >= minTotal && total <= maxTotal
}

/** The product used if the shopper names none: the one in `hint`, or else the merchant's first. */
export const defaultProduct = (products: readonly string[], hint: string | null): string =>
  hint ?? products[0] ?? CATALOGUE[0].code

/** The agreement used if the shopper names none: the first of the default product. */
export const defaultAgreement = (
  products: readonly string[],
  hint: string | null,
  catalogue = PRODUCTS,
): Agreement => {
  const product = defaultProduct(products, hint)
  return { product, instalmentCount: catalogue.get(product)?.instalmentCounts[0] ?? 1 }
}

/** All amounts in minor units. The instalments add up to the total; fees are added to it. */
export type Plan = {
  readonly instalments: readonly number[]
  /** Without its fee. The first instalment may be larger by the remainder. */
  readonly regularInstalment: number
  readonly fee: number
  readonly dueNow: number
  readonly costOfCredit: number
  readonly grandTotal: number
}

/** Does not check whether the agreement is offered. */
export const planOf = (
  { product, instalmentCount }: Agreement,
  { total, currency }: Price,
  catalogue = PRODUCTS,
): Plan => {
  const terms = catalogue.get(product)
  const fee = terms?.hasFee === true ? currencyTerms(currency).feePerInstalment : 0
  const regularInstalment = Math.floor(total / instalmentCount)
  // The first instalment includes the remainder, so that the instalments add up exactly.
  const first = total - regularInstalment * (instalmentCount - 1)
  const costOfCredit = fee * instalmentCount
  return {
    instalments: [first, ...Array.from({ length: instalmentCount - 1 }, () => regularInstalment)],
    regularInstalment,
    fee,
    dueNow: { nothing: 0, first_instalment: first + fee, all: total + costOfCredit }[
      terms?.dueNow ?? 'nothing'
    ],
    costOfCredit,
    grandTotal: total + costOfCredit,
  }
}

type PlanAmounts = Pick<Plan, 'instalments' | 'fee' | 'dueNow'>

/** The instalments with their fees. What is not due now is due month by month, after a month. */
const paymentsOf = ({ instalments, fee, dueNow }: PlanAmounts) =>
  instalments.map((amount, index) => ({
    amount: amount + fee,
    months: index + (dueNow === 0 ? 1 : 0),
  }))

/**
 * The instalments with their fees. Both `today` and `due` are days of the merchant's country,
 * `YYYY-MM-DD`. `isNow`: it is paid during the checkout.
 */
export const instalmentsOf = (plan: PlanAmounts, today: string) =>
  paymentsOf(plan).map(({ amount, months }) => ({
    due: monthsLater(today, months),
    amount,
    isNow: months === 0,
  }))

/** A later month's day of that number, or its last day if it has no such day. */
const monthsLater = (day: string, months: number): string => {
  const start = new Date(day)
  const [year, month] = [start.getUTCFullYear(), start.getUTCMonth() + months]
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate()
  return new Date(Date.UTC(year, month, Math.min(start.getUTCDate(), lastDay)))
    .toISOString()
    .slice(0, 10)
}

/**
 * The annual percentage rate of charge (in Spain TAE) in tenths of a percent: the rate at which the
 * later instalments are worth what is not paid now. A month counts as a twelfth of a year.
 * Directive (EU) 2023/2225, Annex III. Null if nothing is credited.
 */
export const annualRateTenths = (plan: PlanAmounts, total: number): number | null => {
  const credited = total - plan.dueNow
  const payments = paymentsOf(plan).filter(({ months }) => months > 0)
  if (credited <= 0 || payments.length === 0) return null
  const presentValue = (rate: number): number =>
    payments.reduce((sum, { amount, months }) => sum + amount / (1 + rate) ** (months / 12), 0)
  let [low, high] = [0, 1_000_000]
  // The rate is rounded to a tenth of a percent, so a hundred bisections are more than enough.
  for (let step = 0; step < 100; step++) {
    const middle = (low + high) / 2
    if (presentValue(middle) > credited) low = middle
    else high = middle
  }
  return Math.round(low * 1000)
}
