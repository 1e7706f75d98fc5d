// An order as an immutable value. The core steps it, hosts store it, and projections show it.

import type { OfferedAgreement } from '../protocol/action.ts'
import { type Agreement, defaultAgreement, planOf } from '../protocol/credit-product.ts'
import { money } from '../protocol/language.ts'
import type { OrderContext, Placed } from './order-context.ts'

/**
 * An order's state as three names, one for each region. They are stored, shown and used as keys, so renaming one requires a
 * migration. Contract §3, States.
 */
export const REGIONS = ['checkout', 'risk', 'cancellation'] as const
export type Region = (typeof REGIONS)[number]

/** The innermost states of each region, by their names in the machine. A test compares these lists with the machine. */
export const STATE_NAMES = {
  checkout: [
    'identifying',
    'verifyingPhone',
    'screening',
    'screened',
    'started',
    'verified',
    'unverified',
    'errored',
    'choosingAlternative',
    'paying',
    'confirming',
    'holding',
    'reviewing',
    'confirmed',
    'rejected',
    'cancelled',
    'conflicted',
    'failed',
    'expired',
  ],
  risk: ['unassessed', 'assessing', 'lowRisk', 'highRisk', 'underEvaluation'],
  cancellation: ['none', 'scheduled', 'asking', 'waiting', 'cancelled', 'tooLate', 'unsupported', 'unanswered'],
} as const

export type OrderState = { readonly [R in Region]: (typeof STATE_NAMES)[R][number] }

export type Order = {
  readonly placed: Placed
  /** The number of journal lines written so far. */
  readonly revision: number
  readonly state: OrderState
  readonly context: OrderContext
}

// An order holds its reference from the moment the merchant is asked, until it ends unconfirmed or is cancelled.
const HOLDING_REFERENCE = new Set<OrderState['checkout']>(['confirming', 'holding', 'reviewing', 'confirmed'])

/** The `order_ref_1` that this order holds, so that no other order of the merchant may use it; null if none. Contract §3. */
export const heldReference = ({ state, context }: Order): string | null =>
  context.references.first !== '' && HOLDING_REFERENCE.has(state.checkout) && state.cancellation !== 'cancelled'
    ? context.references.first
    : null

const ENDED = new Set<OrderState['checkout']>(['confirmed', 'rejected', 'cancelled', 'conflicted', 'failed', 'expired'])
const BEING_ASSESSED = new Set<OrderState['risk']>(['assessing', 'underEvaluation'])
const CANCELLATION_OVER = new Set<OrderState['cancellation']>(['none', 'cancelled', 'tooLate'])

export const hasCheckoutEnded = ({ checkout }: OrderState): boolean => ENDED.has(checkout)

/** The order's risk is not final yet: another assessment is expected. */
export const isBeingAssessed = ({ risk }: OrderState): boolean => BEING_ASSESSED.has(risk)

/** The order will not change by itself, and it waits for nobody's decision. */
export const isOver = (state: OrderState): boolean =>
  hasCheckoutEnded(state) && !isBeingAssessed(state) && CANCELLATION_OVER.has(state.cancellation)

// Operators need a list of orders that wait for a decision. Some decisions only they take; others they may take for the
// merchant.
const OPERATOR_TASKS = ['review', 'unanswered', 'unsupported', 'asked'] as const

/**
 * `review`: the order is on hold. `asked`: the merchant was asked to cancel and has not decided. `unanswered`: the merchant
 * never answered. `unsupported`: they do not support `cancel`, or cannot be asked.
 */
export type OperatorTask = (typeof OPERATOR_TASKS)[number]

/** The kinds of entries in the operator's inbox: orders by their task, and stuck jobs. */
export const INBOX_KINDS = [...OPERATOR_TASKS, 'stuck'] as const
export type InboxKind = (typeof INBOX_KINDS)[number]

/** Null if the order does not wait for an operator. */
export const operatorTaskOf = ({ checkout, cancellation }: OrderState): OperatorTask | null => {
  if (checkout === 'reviewing') return 'review'
  if (cancellation === 'asking' || cancellation === 'waiting') return 'asked'
  return cancellation === 'unanswered' || cancellation === 'unsupported' ? cancellation : null
}

type WithAgreement = { readonly placed: Placed; readonly context: OrderContext }

/** The agreement of an order: the one the shopper chose, or else the default for the order as placed. Contract §4. */
export const agreementOf = ({ placed, context }: WithAgreement): Agreement =>
  agreementOrDefault(placed, context.agreement)

export const agreementOrDefault = ({ merchant, productCode }: Placed, chosen: Agreement | null): Agreement =>
  chosen ?? defaultAgreement(merchant.products, productCode)

/** A plan and its costs for one order, formatted for shoppers. Contract §4, Replies. */
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
