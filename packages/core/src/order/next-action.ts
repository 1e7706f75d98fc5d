// The frontend asks two endpoints what it must do next: identification and wait. Both answers are projections of the order.
// The state's meta names the action; the tables here give its attributes. Interface §4.1, §4.2, contract §4.
import type {
  IdentificationAction,
  IdentificationActionName,
  IdVerificationStatus,
  OfferedAgreement,
  WaitAction,
  WaitActionName,
} from '../protocol/action.ts'
import { type Agreement, planOf } from '../protocol/credit-product.ts'
import { money } from '../protocol/language.ts'
import { metaOf } from './machine/order-machine.ts'
import { agreementOf, type Order } from './order.ts'
import { openPaymentOf, type Placed } from './order-context.ts'
import { textsFor } from './shopper-texts.ts'
import type { Terms } from './terms.ts'

type ActionTable<Name extends string, Action extends { readonly action: string }> = {
  readonly [N in Name]: (order: Order, terms: Terms, at: number) => Extract<Action, { readonly action: N }>
}

export const returnUrlOf = (order: Order): string =>
  order.placed.returnUrl.replaceAll('SQ_PRODUCT_CODE', encodeURIComponent(agreementOf(order).product))

const errorMessages = (order: Order): readonly string[] => {
  const { state, context } = order
  const hasOwnText = state.checkout === 'expired' || state.checkout === 'conflicted'
  return [textsFor(order).failures[hasOwnText ? state.checkout : (context.failure ?? 'screening_error')]]
}

const ID_STATUS: { readonly [state in string]?: IdVerificationStatus } = {
  started: 'STARTED',
  verified: 'VERIFIED',
  unverified: 'FAILED',
  errored: 'ERROR',
}

const countdown = ({ context }: Order, at: number): number =>
  Math.max(0, Math.ceil((context.screening.deadlineAt - Math.max(at, context.updatedAt)) / 1000))

const requirePayment = (order: Order, { links }: Terms): Extract<WaitAction, { action: 'require_payment' }> => {
  const { orderRef, currency, language } = order.placed
  const payment = openPaymentOf(order.context)
  const token = payment?.token ?? ''
  return {
    action: 'require_payment',
    iframe_url: links.pay(orderRef, token),
    reusable_cards: order.context.cards.map((card) => ({
      iframe_url: links.payWithCard(orderRef, token, card.token),
      expiry_month_year: card.expiry,
      last_four: card.lastFour,
      masked_pan: card.maskedPan,
    })),
    amount: money(payment?.amount ?? 0, currency, language),
  }
}

const waitForIdVerification = (
  order: Order,
  { links }: Terms,
): Extract<WaitAction, { action: 'wait_for_id_verification' }> => {
  const status = ID_STATUS[order.state.checkout] ?? 'STARTED'
  return {
    action: 'wait_for_id_verification',
    session_url: links.verify(order.placed.orderRef, order.context.session?.token ?? ''),
    status,
    message: textsFor(order).identity[status],
  }
}

const WAIT_ACTIONS: ActionTable<WaitActionName, WaitAction> = {
  show_identification_form: () => ({ action: 'show_identification_form' }),
  require_validate_otp: () => ({ action: 'require_validate_otp' }),
  wait_for_screening: (order, _, at) => ({ action: 'wait_for_screening', expires_in: countdown(order, at) }),
  resume_after_screening: () => ({ action: 'resume_after_screening' }),
  wait_for_id_verification: waitForIdVerification,
  alt_payment: (order) => ({
    action: 'alt_payment',
    title: textsFor(order).alternative.title,
    messages: [textsFor(order).alternative.message],
    credit_agreements: (order.context.alternative?.agreements ?? []).map((agreement) =>
      offeredAgreement(order.placed, agreement),
    ),
    forced_credit_agreement_index: order.context.alternative?.forcedIndex ?? null,
    errors: {},
  }),
  require_payment: requirePayment,
  wait_for_confirmation: () => ({ action: 'wait_for_confirmation' }),
  wait_for_on_hold: () => ({ action: 'wait_for_on_hold' }),
  show_on_hold: (order) => ({ action: 'show_on_hold', return_url: returnUrlOf(order) }),
  finish: (order) => ({ action: 'finish', return_url: returnUrlOf(order) }),
  show_conflict: () => ({ action: 'show_conflict' }),
  reject: () => ({ action: 'reject' }),
  show_error: (order) => ({ action: 'show_error', messages: errorMessages(order) }),
}

const IDENTIFICATION_ACTIONS: ActionTable<IdentificationActionName, IdentificationAction> = {
  show_identification_form: () => ({ action: 'show_identification_form', errors: {} }),
  require_validate_otp: () => ({ action: 'require_validate_otp' }),
  wait_for_screening: (order, { links }, at) => ({
    action: 'wait_for_screening',
    expires_in_seconds: countdown(order, at),
    polling_url: links.wait(order.placed.orderRef),
  }),
  wait_for_id_verification: waitForIdVerification,
  alt_payment: () => ({ action: 'alt_payment' }),
  require_payment: requirePayment,
  wait_for_confirmation: (order, { links }) => ({
    action: 'wait_for_confirmation',
    polling_url: links.wait(order.placed.orderRef),
  }),
  show_on_hold: () => ({ action: 'show_on_hold' }),
  finish: (order) => ({ action: 'finish', return_url: returnUrlOf(order) }),
  reject: () => ({ action: 'reject' }),
  show_error: (order) => ({ action: 'show_error', messages: errorMessages(order), errors: errorMessages(order) }),
}

/** The answer of the wait endpoint and the body of action events. `at`: epoch milliseconds, used only for the countdown. */
export const waitAction = (order: Order, terms: Terms, at: number): WaitAction =>
  WAIT_ACTIONS[metaOf('checkout', order.state).wait ?? 'show_error'](order, terms, at)

const isIdentificationAction = (name: string): name is IdentificationActionName =>
  Object.hasOwn(IDENTIFICATION_ACTIONS, name)

/** The answer of the identification endpoint to a submission that the order has accepted. */
export const identificationAction = (order: Order, terms: Terms, at: number): IdentificationAction => {
  const { identification, wait = 'show_error' } = metaOf('checkout', order.state)
  const name = identification ?? wait
  return IDENTIFICATION_ACTIONS[isIdentificationAction(name) ? name : 'show_error'](order, terms, at)
}

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
