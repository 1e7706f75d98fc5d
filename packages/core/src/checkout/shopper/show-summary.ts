// Shows the shopper from whom they buy, what, and on which terms. Contract §4, Summary.
import { offeredAgreement, returnUrlOf } from '../../order/next-action.ts'
import type { Order } from '../../order/order.ts'
import { LIMITS } from '../../order/terms.ts'
import type { CheckoutSummary, PlanInFull } from '../../protocol/checkout-summary.ts'
import { type CreditProduct, planOf } from '../../protocol/credit-product.ts'
import { languageOf, languageTag, money } from '../../protocol/language.ts'
import { annualRateTenths, instalmentsOf } from '../../protocol/plan-schedule.ts'

type SummaryInput = {
  /** The merchant's name. */
  readonly seller: string
  /** The merchant's request body; null once it is erased. */
  readonly payload: string | null
  /** Epoch milliseconds. */
  readonly at: number
}

/** `product` is one that `productForOrder` returned. */
export const checkoutSummary = (
  order: Order,
  product: CreditProduct,
  { seller, payload, at }: SummaryInput,
): CheckoutSummary => {
  const { placed } = order
  const language = languageOf(placed.language)
  return {
    seller,
    language,
    total: money(placed.total, placed.currency, placed.language),
    items: payload === null ? [] : itemsIn(payload, order),
    product: { code: product.code, title: product.text[language].title },
    country: placed.merchant.country,
    optional_fields: placed.merchant.optionalFields,
    plans: product.instalmentCounts.map((instalmentCount, index) => ({
      ...planInFull(order, { product: product.code, instalmentCount }, at),
      default: index === 0,
    })),
    return_url: returnUrlOf(order),
    code: codeOf(order, at),
  }
}

const planInFull = (
  { placed }: Order,
  agreement: { readonly product: string; readonly instalmentCount: number },
  at: number,
): Omit<PlanInFull, 'default'> => {
  const plan = planOf(agreement, placed.total)
  const tenths = annualRateTenths(plan, placed.total)
  return {
    ...offeredAgreement(placed, agreement),
    instalments: instalmentsOf(plan, at).map(({ due, amount, isNow }) => ({
      due,
      amount: money(amount, placed.currency, placed.language),
      is_now: isNow,
    })),
    annual_rate: tenths === null ? null : percent(tenths, placed.language),
  }
}

const percent = (tenths: number, language: string | null): string =>
  new Intl.NumberFormat(languageTag(language), {
    style: 'percent',
    minimumFractionDigits: 1,
    maximumFractionDigits: 1,
  }).format(tenths / 1000)

const ITEMS_MAX = 100
const NAME_MAX = 200

const isRecord = (value: unknown): value is { readonly [key: string]: unknown } =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Only totals were checked when the order was placed. A shop may send anything as a name or a quantity. */
const itemsIn = (payload: string, { placed }: Order): CheckoutSummary['items'] => {
  const body: unknown = JSON.parse(payload)
  const order = isRecord(body) ? body.order : null
  const cart = isRecord(order) ? order.cart : null
  const items = isRecord(cart) && Array.isArray(cart.items) ? cart.items : []
  return items
    .slice(0, ITEMS_MAX)
    .filter(isRecord)
    .map(({ name, quantity, total_with_tax }) => ({
      name: typeof name === 'string' ? name.slice(0, NAME_MAX) : '',
      quantity: Number.isSafeInteger(quantity) && Number(quantity) > 0 ? Number(quantity) : null,
      total: money(Number.isSafeInteger(total_with_tax) ? Number(total_with_tax) : 0, placed.currency, placed.language),
    }))
}

const READABLE_DIGITS = 3

/** The phone is shown only while its code is awaited, because anybody with the uuid may ask. */
const codeOf = ({ state, context: { otp, person } }: Order, at: number): CheckoutSummary['code'] => {
  if (state.checkout !== 'verifyingPhone' || person === null) return null
  const digits = person.mobile_phone.replaceAll(/\D/g, '')
  const isLong = digits.length > 2 * READABLE_DIGITS
  const pause = otp.issuedAt === null ? 0 : otp.issuedAt + LIMITS.codePause - at
  return {
    phone: `•••• ${isLong ? digits.slice(-READABLE_DIGITS) : ''}`.trimEnd(),
    next_in_seconds: Math.max(0, Math.ceil(pause / 1000)),
    can_be_sent_again: otp.issues < LIMITS.codeIssues,
  }
}
