// The frontend asks two endpoints what it must do next: identification and wait. Both answers are
// projections of the order. The state's meta names the action; the tables here give its attributes.
// Interface §4.1, §4.2, contract §4.
import type { IdentificationAction, OfferedAgreement, WaitAction } from '../protocol/action.ts'
import { type Agreement, type Catalogue, PRODUCTS, planOf } from '../protocol/credit-product.ts'
import { money } from '../protocol/language.ts'
import { metaOf, modelOf, type Terms } from './model.ts'
import { type Order, productCodeOf } from './order.ts'
import { openPaymentOf, type Placed, requireValue, sessionOf } from './order-context.ts'
import { textsFor } from './shopper-texts.ts'

/** What builds an answer to the shopper. `at`: epoch milliseconds. */
type Answer<Action> = (order: Order, terms: Terms, at: number) => Action

type ActionTable<Action extends { readonly action: string }> = {
  readonly [Name in Action['action']]: Answer<Extract<Action, { readonly action: Name }>>
}

/**
 * Where the shopper goes at the end: the merchant's `return_url`, with the product's code in place
 * of `SQ_PRODUCT_CODE`. Interface §2.2.
 */
export const returnUrlOf = (order: Order): string =>
  order.placed.returnUrl.replaceAll('SQ_PRODUCT_CODE', encodeURIComponent(productCodeOf(order)))

const errorMessages = (order: Order, terms: Terms): readonly string[] => {
  const { failure = requireValue(order.context.failure, 'failure') } = checkoutMeta(order, terms)
  return [textsFor(order).failures[failure]]
}

const checkoutMeta = ({ state }: Order, terms: Terms) => metaOf('checkout', state, modelOf(terms))

const countdown = ({ context }: Order, at: number): number =>
  Math.max(0, Math.ceil((context.screening.deadlineAt - Math.max(at, context.updatedAt)) / 1000))

// Both endpoints answer these actions with the same attributes.
const SHARED_ACTIONS = {
  require_validate_otp: () => ({ action: 'require_validate_otp' }),
  wait_for_id_verification: (order, terms) => {
    const status = requireValue(checkoutMeta(order, terms).idStatus, 'ID check')
    return {
      action: 'wait_for_id_verification',
      session_url: terms.links.verify(order.placed.orderRef, sessionOf(order.context).token),
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
  alt_payment: (order, terms) => {
    const { title, message } = textsFor(order).alternative
    const { agreements, forcedIndex } = requireValue(order.context.alternative, 'alternative')
    return {
      action: 'alt_payment',
      title,
      messages: [message],
      credit_agreements: agreements.map((agreement) =>
        offeredAgreement(order.placed, agreement, modelOf(terms).products),
      ),
      forced_credit_agreement_index: forcedIndex,
      errors: {},
    }
  },
  wait_for_confirmation: () => ({ action: 'wait_for_confirmation' }),
  wait_for_on_hold: () => ({ action: 'wait_for_on_hold' }),
  show_on_hold: (order) => ({ action: 'show_on_hold', return_url: returnUrlOf(order) }),
  show_conflict: () => ({ action: 'show_conflict' }),
  show_error: (order, terms) => ({
    action: 'show_error',
    messages: errorMessages(order, terms),
  }),
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
  show_error: (order, terms) => {
    const messages = errorMessages(order, terms)
    return { action: 'show_error', messages, errors: messages }
  },
}

/** True for the name of an action of the interface. */
export const isAction = (name: string): boolean => Object.hasOwn(WAIT_ACTIONS, name)

/**
 * The answer of the wait endpoint and the body of action events. `at`: epoch milliseconds, used
 * only for the countdown.
 */
export const waitAction = (order: Order, terms: Terms, at: number): WaitAction =>
  WAIT_ACTIONS[checkoutMeta(order, terms).wait](order, terms, at)

/**
 * The answer of the identification endpoint to a submission that the order has accepted. `at`: epoch
 * milliseconds, used only for the countdown.
 */
export const identificationAction = (
  order: Order,
  terms: Terms,
  at: number,
): IdentificationAction => {
  const meta = checkoutMeta(order, terms)
  const action = meta.identification === undefined ? meta.wait : meta.identification
  return IDENTIFICATION_ACTIONS[requireValue(action, 'answer to a submission')](order, terms, at)
}

/** A plan and its costs for one order, formatted for shoppers. Contract §4, Replies. */
export const offeredAgreement = (
  placed: Pick<Placed, 'currency' | 'language' | 'total'>,
  agreement: Agreement,
  catalogue: Catalogue = PRODUCTS,
): OfferedAgreement => {
  const plan = planOf(agreement, placed, catalogue)
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
