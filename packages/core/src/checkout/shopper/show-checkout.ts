// Answers what a frontend shows before the shopper agrees. The metadata describes the form. The
// summary names the seller, the cart and the terms. Contract §3; §4, Summary.
import * as E from 'fp-ts/lib/Either.js'
import { offeredAgreement, returnUrlOf } from '../../order/next-action.ts'
import { type Order, productCodeOf } from '../../order/order.ts'
import { textsFor } from '../../order/shopper-texts.ts'
import { LIMITS } from '../../order/terms.ts'
import type {
  CheckoutMetadata,
  CheckoutSummary,
  LegalFacts,
  PlanInFull,
} from '../../protocol/action.ts'
import {
  type Agreement,
  annualRateTenths,
  type Catalogue,
  type CreditProduct,
  instalmentsOf,
  isCredit,
  PRODUCTS,
  planOf,
  productsFor,
} from '../../protocol/credit-product.ts'
import { dayIn } from '../../protocol/day.ts'
import { surnamesNeeded } from '../../protocol/identification-form.ts'
import { type Language, languageOf, languageTag, money } from '../../protocol/language.ts'
import { memberOf } from '../../protocol/order-payload.ts'
import { PERSON_FIELDS } from '../../protocol/person-fields.ts'
import { isJsonObject } from '../../protocol/scalars.ts'
import { cutText } from '../../protocol/text-as-seen.ts'

/**
 * The order cannot have the requested product. `offered`: the codes of the products that the order
 * may have.
 */
export type ProductNotOffered = {
  readonly _tag: 'ProductNotOffered'
  readonly offered: readonly string[]
}

/**
 * The named product, if the order may have it. `null` selects the product of the order's agreement.
 *
 * @example
 * ```ts
 * const product = productForOrder(order, 'pp3')
 * if (product._tag === 'Left') console.log(product.left.offered) // the codes that it may have
 * ```
 */
export const productForOrder = (
  order: Order,
  requestedCode: string | null,
  catalogue = PRODUCTS,
): E.Either<ProductNotOffered, CreditProduct> => {
  const products = productsFor(order.placed.merchant.products, order.placed, catalogue)
  const code = requestedCode ?? productCodeOf(order)
  return E.fromNullable<ProductNotOffered>({
    _tag: 'ProductNotOffered',
    offered: products.map((each) => each.code),
  })(products.find((product) => product.code === code))
}

/**
 * How a form asks for consent. `privacyField`: the name of the consent field, which must be `true`.
 * `privacyPolicy`: the address of the policy.
 */
export type Consent = {
  readonly privacyField: string
  readonly privacyPolicy: string
  /** The products of the host's model. Default: plazo's. */
  readonly products?: Catalogue
}

/**
 * What a frontend needs for its form (contract §3): fields, consent and agreements, for a product
 * that `productForOrder` returned.
 *
 * @example
 * ```ts
 * const product = productForOrder(order, null)
 * const { privacyField } = terms.names
 * const metadata = checkoutMetadata({ privacyField, privacyPolicy: 'https://pay.example/privacy' })
 * if (product._tag === 'Right') console.log(metadata(order, product.right).requested_fields)
 * ```
 */
export const checkoutMetadata =
  ({ privacyField, privacyPolicy, products = PRODUCTS }: Consent) =>
  ({ placed }: Order, { code, instalmentCounts }: CreditProduct): CheckoutMetadata => ({
    product_code: code,
    requested_fields: PERSON_FIELDS,
    checkboxes: [
      {
        id: privacyField,
        checked: false,
        required: !placed.merchant.optionalFields.includes(privacyField),
        url: privacyPolicy,
      },
    ],
    one_surname: surnamesNeeded(placed.merchant) === 2,
    total_with_tax: placed.total,
    credit_agreement: instalmentCounts.map((instalmentCount, index) => ({
      ...offeredAgreement(placed, { product: code, instalmentCount }, products),
      default: index === 0,
    })),
  })

type FactsByLanguage = { readonly [language in Language]: LegalFacts }

/**
 * What the settings say about the credit. `facts` null: `missing` names the settings that are still
 * needed. `withoutCredit`: the facts for a product without credit; null: not set. Contract §4, Law.
 */
export type Legal = {
  readonly facts: FactsByLanguage | null
  readonly withoutCredit: FactsByLanguage | null
  readonly missing: readonly string[]
}

/** The part of the law that applies to this product. Only a credit needs its settings. */
export const legalFor = (legal: Legal, product: CreditProduct): Pick<Legal, 'facts' | 'missing'> =>
  isCredit(product) ? legal : { facts: legal.withoutCredit, missing: [] }

/**
 * `seller`: the merchant's name. `payload`: the merchant's request body; null once it is erased.
 * `at`: epoch milliseconds.
 */
type SummaryInput = {
  readonly seller: string
  readonly payload: string | null
  readonly at: number
  readonly legal: Legal
  /** The products of the host's model. Default: plazo's. */
  readonly products?: Catalogue
}

/**
 * What a checkout page shows of the order, its plans and the law. `product` is one that
 * `productForOrder` returned.
 *
 * @example
 * ```ts
 * const page = { seller: 'A shop', payload: null, at: host.clock.now(), legal }
 * const product = productForOrder(order, null)
 * if (product._tag === 'Right') console.log(checkoutSummary(order, product.right, page).plans)
 * ```
 */
export const checkoutSummary = (
  order: Order,
  product: CreditProduct,
  { seller, payload, at, legal, products = PRODUCTS }: SummaryInput,
): CheckoutSummary => {
  const { placed, context } = order
  const { agreement } = context
  const language = languageOf(placed.language)
  const { facts, missing } = legalFor(legal, product)
  return {
    seller,
    language,
    total: money(placed.total, placed.currency, placed.language),
    items: payload === null ? [] : itemsIn(payload, order),
    product: { code: product.code, title: product.text[language].title },
    country: placed.merchant.country,
    optional_fields: placed.merchant.optionalFields,
    surnames_needed: surnamesNeeded(placed.merchant),
    one_surname: surnamesNeeded(placed.merchant) === 2,
    plans: product.instalmentCounts.map((instalmentCount) =>
      planInFull(order, { product: product.code, instalmentCount }, at, products),
    ),
    // A page that was reloaded shows it before the click that pays.
    agreed_plan: agreement && planInFull(order, agreement, at, products),
    return_url: returnUrlOf(order),
    code: codeOf(order, at),
    legal: facts?.[language] ?? null,
    missing_settings: missing,
    rejection: rejectionOf(order),
  }
}

/**
 * The words for the button of a card form that pays this amount (minor units). Contract §4, Law.
 *
 * @example
 * ```ts
 * console.log(payButtonText(order, 3_300)) // the words that bind the shopper to pay €33.00 today
 * ```
 */
export const payButtonText = (order: Order, amount: number): string => {
  const today = money(amount, order.placed.currency, order.placed.language)
  return textsFor(order).orderButton(today, today)
}

/** A screening or an ID check rejects automatically. Of an order on hold, an operator does. */
const rejectionOf = ({ state: { checkout } }: Order): CheckoutSummary['rejection'] => {
  const isRejected =
    checkout === 'rejected' || checkout === 'cancelled' || checkout === 'choosingAlternative'
  return isRejected ? { automated: checkout !== 'cancelled' } : null
}

const planInFull = (
  order: Order,
  agreement: Agreement,
  at: number,
  products: Catalogue,
): PlanInFull => {
  const { placed } = order
  const plan = planOf(agreement, placed, products)
  const tenths = annualRateTenths(plan, placed.total)
  const offered = offeredAgreement(placed, agreement, products)
  return {
    ...offered,
    default: products.get(agreement.product)?.instalmentCounts[0] === agreement.instalmentCount,
    instalments: instalmentsOf(plan, dayIn(placed.merchant.country, at)).map(
      ({ due, amount, isNow }) => ({
        due,
        amount: money(amount, placed.currency, placed.language),
        is_now: isNow,
      }),
    ),
    annual_rate: tenths === null ? null : percentIn(placed.language).format(tenths / 1000),
    order_button: textsFor(order).orderButton(offered.down_payment_total, offered.grand_total),
  }
}

const percentIn = (language: string | null) =>
  new Intl.NumberFormat(languageTag(language), {
    style: 'percent',
    minimumFractionDigits: 1,
    maximumFractionDigits: 1,
  })

const ITEMS_MAX = 100
const NAME_MAX = 200

/**
 * Only totals were checked when the order was placed. A shop may send anything as a name or a
 * quantity.
 */
const itemsIn = (payload: string, { placed }: Order): CheckoutSummary['items'] => {
  const items = ['order', 'cart', 'items'].reduce<unknown>(memberOf, JSON.parse(payload))
  return (Array.isArray(items) ? items : [])
    .slice(0, ITEMS_MAX)
    .filter(isJsonObject)
    .map(({ name, quantity, total_with_tax }) => ({
      name: typeof name === 'string' ? cutText(name, NAME_MAX) : '',
      quantity: Number.isSafeInteger(quantity) && Number(quantity) > 0 ? Number(quantity) : null,
      total: money(
        Number.isSafeInteger(total_with_tax) ? Number(total_with_tax) : 0,
        placed.currency,
        placed.language,
      ),
    }))
}

const READABLE_DIGITS = 3

/** The phone is shown only while its code is awaited, because anybody with the uuid may ask. */
const codeOf = (
  { state, context: { otp, person } }: Order,
  at: number,
): CheckoutSummary['code'] => {
  if (state.checkout !== 'verifyingPhone' || person === null) return null
  const digits = person.mobile_phone.replaceAll(/\D/g, '')
  const isLong = digits.length > 2 * READABLE_DIGITS
  const pause = otp.issuedAt === null ? 0 : otp.issuedAt + LIMITS.codePause - at
  return {
    phone: `•••• ${isLong ? digits.slice(-READABLE_DIGITS) : ''}`.trimEnd(),
    next_in_seconds: Math.max(0, Math.ceil(pause / 1000)),
    can_be_sent_again: otp.issues < LIMITS.codeIssues,
    codes_left: Math.max(0, LIMITS.codeIssues - otp.issues),
    tries_left:
      otp.code === null || at >= otp.expiresAt ? 0 : Math.max(0, LIMITS.wrongCodes - otp.wrong),
  }
}
