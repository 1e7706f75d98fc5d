// A shop shows its shoppers this list of the merchant's payment methods. Contract §3.
import {
  type Catalogue,
  type Category,
  type CreditProduct,
  PRODUCTS,
  planOf,
  productsFor,
} from '../../protocol/credit-product.ts'
import { currencyTerms } from '../../protocol/currency.ts'
import type { Language } from '../../protocol/language.ts'
import type {
  PaymentMethod,
  PaymentMethods,
  PaymentOption,
} from '../../protocol/payment-methods.ts'

type CategoryText = { readonly title: string; readonly description: string }

const icon = (shapes: string): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40" viewBox="0 0 40 40" fill="none" stroke="currentColor" stroke-width="2.5" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">${shapes}</svg>`

const CATEGORIES: {
  readonly [category in Category]: { readonly [language in Language]: CategoryText } & {
    readonly icon: string
  }
} = {
  pay_later: {
    icon: icon('<circle cx="20" cy="20" r="15"/><path d="M20 11v9l6 4"/>'),
    en: { title: 'Pay later', description: 'Receive your order first, and pay afterwards.' },
    es: { title: 'Paga después', description: 'Recibe primero tu pedido y paga después.' },
  },
  part_payment: {
    icon: icon('<circle cx="20" cy="20" r="15"/><path d="M20 5v15l13 7.5M20 20 7 27.5"/>'),
    en: {
      title: 'Pay in instalments',
      description: 'Pay a part now, and the rest month by month.',
    },
    es: { title: 'Paga a plazos', description: 'Paga una parte ahora y el resto mes a mes.' },
  },
  pay_now: {
    icon: icon('<rect x="4" y="9" width="32" height="22" rx="3"/><path d="M4 16h32M10 25h7"/>'),
    en: { title: 'Pay now', description: 'Pay everything now by card.' },
    es: { title: 'Paga ahora', description: 'Paga todo ahora con tarjeta.' },
  },
}

/** `total` null: for no particular order. */
type MethodsPrice = { readonly total: number | null; readonly currency: string }

const methodOf = (
  product: CreditProduct,
  { total, currency }: MethodsPrice,
  language: Language,
  catalogue: Catalogue,
): PaymentMethod => {
  const agreement = { product: product.code, instalmentCount: product.instalmentCounts[0] }
  const plan = planOf(agreement, { total: total ?? 0, currency }, catalogue)
  const { minTotal, maxTotal } = currencyTerms(currency)
  return {
    product: product.code,
    title: product.text[language].title,
    long_title: product.text[language].longTitle,
    // Shops read both as dates.
    starts_at: '2000-01-01T00:00:00.000Z',
    ends_at: '2999-12-31T23:59:59.000Z',
    cost: {
      setup_fee: 0,
      instalment_fee: plan.fee,
      down_payment_fees: product.dueNow === 'nothing' ? 0 : plan.fee,
      instalment_total: plan.regularInstalment + plan.fee,
    },
    min_amount: minTotal,
    max_amount: maxTotal,
  }
}

/**
 * The products for an amount, grouped by category; both are in the order of the merchant's
 * products.
 *
 * @example
 * ```ts
 * const price = { total: 9_900, currency: 'EUR' }
 * console.log(paymentMethods(merchant.products, price, 'en').payment_options)
 * ```
 */
export const paymentMethods = (
  codes: readonly string[],
  price: MethodsPrice,
  language: Language,
  catalogue = PRODUCTS,
): PaymentMethods => {
  const { total, currency } = price
  const products = productsFor(codes, total === null ? null : { total, currency }, catalogue)
  const categories = [...new Set(products.map(({ category }) => category))]
  return {
    payment_options: categories.map(
      (category): PaymentOption => ({
        category,
        ...CATEGORIES[category][language],
        icon: CATEGORIES[category].icon,
        methods: products
          .filter((product) => product.category === category)
          .map((product) => methodOf(product, price, language, catalogue)),
      }),
    ),
  }
}
