// The frontend asks two endpoints what it must do next: identification and wait. Both answers are
// projections of the order. The state's meta names the action; the tables here give its attributes.
// Interface §4.1, §4.2, contract §4.
import type {
  IdentificationAction,
  IdVerificationStatus,
  OfferedAgreement,
  WaitAction,
  WaitActionName,
} from '../protocol/action.ts'
import { type Agreement, planOf } from '../protocol/credit-product.ts'
import { money } from '../protocol/language.ts'
import { metaOf } from './machine/order-machine.ts'
import { agreementOf, type Order, type OrderState } from './order.ts'
import { openPaymentOf, type Placed, requireValue, sessionOf } from './order-context.ts'
import { textsFor } from './shopper-texts.ts'
import type { Terms } from './terms.ts'

type Answer<Action> = (order: Order, terms: Terms, at: number) => Action
type ActionTable<Action extends { readonly action: string }> = {
  readonly [Name in Action['action']]: Answer<Extract<Action, { readonly action: Name }>>
}

export const returnUrlOf = (order: Order): string =>
  order.placed.returnUrl.replaceAll(
    'SQ_PRODUCT_CODE',
    encodeURIComponent(agreementOf(order).product),
  )

const errorMessages = (order: Order): readonly string[] => {
  const { checkout } = order.state
  const hasOwnText = checkout === 'expired' || checkout === 'conflicted'
  return [
    textsFor(order).failures[
      hasOwnText ? checkout : requireValue(order.context.failure, 'failure')
    ],
  ]
}

const ID_STATUS: { readonly [state in OrderState['checkout']]?: IdVerificationStatus } = {
  started: 'STARTED',
  verified: 'VERIFIED',
  unverified: 'FAILED',
  errored: 'ERROR',
}

const countdown = ({ context }: Order, at: number): number =>
  Math.max(0, Math.ceil((context.screening.deadlineAt - Math.max(at, context.updatedAt)) / 1000))

// Both endpoints answer these actions with the same attributes.
const SHARED_ACTIONS = {
  require_validate_otp: () => ({ action: 'require_validate_otp' }),
  wait_for_id_verification: (order, { links }) => {
    const status = requireValue(ID_STATUS[order.state.checkout], 'ID check')
    return {
      action: 'wait_for_id_verification',
      session_url: links.verify(order.placed.orderRef, sessionOf(order.context).token),
      status,
      message: textsFor(order).identity[status],
    }
  },
  require_payment: (order, { links }) => {
    const { orderRef, currency, language } = order.placed
    const { token, amount } = openPaymentOf(order.context)
    return {
      action: 'require_payment',
      iframe_url: links.pay(orderRef, token),
      reusable_cards: order.context.cards.map((card) => ({
        iframe_url: links.payWithCard(orderRef, token, card.token),
        expiry_month_year: card.expiry,
        last_four: card.lastFour,
        masked_pan: card.maskedPan,
      })),
      amount: money(amount, currency, language),
    }
  },
  finish: (order) => ({ action: 'finish', return_url: returnUrlOf(order) }),
  reject: () => ({ action: 'reject' }),
} satisfies Partial<ActionTable<WaitAction>>

const WAIT_ACTIONS: ActionTable<WaitAction> = {
  ...SHARED_ACTIONS,
  show_identification_form: () => ({ action: 'show_identification_form' }),
  wait_for_screening: (order, _, at) => ({
    action: 'wait_for_screening',
    expires_in: countdown(order, at),
  }),
  resume_after_screening: () => ({ action: 'resume_after_screening' }),
  alt_payment: (order) => {
    const { title, message } = textsFor(order).alternative
    const { agreements, forcedIndex } = requireValue(order.context.alternative, 'alternative')
    return {
      action: 'alt_payment',
      title,
      messages: [message],
      credit_agreements: agreements.map((agreement) => offeredAgreement(order.placed, agreement)),
      forced_credit_agreement_index: forcedIndex,
      errors: {},
    }
  },
  wait_for_confirmation: () => ({ action: 'wait_for_confirmation' }),
  wait_for_on_hold: () => ({ action: 'wait_for_on_hold' }),
  show_on_hold: (order) => ({ action: 'show_on_hold', return_url: returnUrlOf(order) }),
  show_conflict: () => ({ action: 'show_conflict' }),
  show_error: (order) => ({ action: 'show_error', messages: errorMessages(order) }),
}

const IDENTIFICATION_ACTIONS: ActionTable<IdentificationAction> = {
  ...SHARED_ACTIONS,
  show_identification_form: () => ({ action: 'show_identification_form', errors: {} }),
  wait_for_screening: (order, { links }, at) => ({
    action: 'wait_for_screening',
    expires_in_seconds: countdown(order, at),
    polling_url: links.wait(order.placed.orderRef),
  }),
  alt_payment: () => ({ action: 'alt_payment' }),
  wait_for_confirmation: (order, { links }) => ({
    action: 'wait_for_confirmation',
    polling_url: links.wait(order.placed.orderRef),
  }),
  show_on_hold: () => ({ action: 'show_on_hold' }),
  show_error: (order) => ({
    action: 'show_error',
    messages: errorMessages(order),
    errors: errorMessages(order),
  }),
}

/**
 * The answer of the wait endpoint and the body of action events. `at`: epoch milliseconds, used
 * only for the countdown.
 */
export const waitAction = (order: Order, terms: Terms, at: number): WaitAction =>
  WAIT_ACTIONS[waitNameOf(order)](order, terms, at)

const waitNameOf = ({ state }: Order): WaitActionName =>
  requireValue(metaOf('checkout', state).wait, 'wait action')

// A submission never leaves an order in a state whose action is not in the table.
const identificationAnswers: { readonly [name in WaitActionName]?: Answer<IdentificationAction> } =
  IDENTIFICATION_ACTIONS

/** The answer of the identification endpoint to a submission that the order has accepted. */
export const identificationAction = (
  order: Order,
  terms: Terms,
  at: number,
): IdentificationAction => {
  const name = metaOf('checkout', order.state).identification ?? waitNameOf(order)
  return requireValue(identificationAnswers[name], 'identification action')(order, terms, at)
}

/** A plan and its costs for one order, formatted for shoppers. Contract §4, Replies. */
export const offeredAgreement = (
  placed: Pick<Placed, 'currency' | 'language' | 'total'>,
  agreement: Agreement,
): OfferedAgreement => {
  const plan = planOf(agreement, placed)
  const moneyOf = (value: number) => money(value, placed.currency, placed.language)
  return {
    product: agreement.product,
    instalment_count: agreement.instalmentCount,
    grand_total: moneyOf(plan.grandTotal),
    instalment_total: moneyOf(plan.regularInstalment + plan.fee),
    down_payment_total: moneyOf(plan.dueNow),
    cost_of_credit: moneyOf(plan.costOfCredit),
  }
}
