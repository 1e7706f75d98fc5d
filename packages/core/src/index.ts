// A program places orders with these names and leads them to their end. They are in the order in
// which a reader needs them. The parts that a host implements are in `@plazo/core/ports`, the codecs
// of the wire in `@plazo/core/protocol`, the statechart in `@plazo/core/machine`.
//
// ```ts
// import { memoryStore } from '@plazo/adapters/memory'
// import { systemClock, systemIds } from '@plazo/adapters/system'
// import { DEFAULT_RULES, placeOrder, wireNames } from '@plazo/core'
//
// const page = (...path: readonly string[]) => `https://pay.example/${path.join('/')}`
// const links = { wait: page, pay: page, payWithCard: page, verify: page, cancellationRequest: page }
// const terms = { rules: DEFAULT_RULES, links, names: wireNames('Acme', 'acme_state') }
// const host = { store: memoryStore(), clock: systemClock, ids: systemIds, terms }
// const shop = { ref: 'shop', name: 'A shop', username: 'shop', passwordHash: '', signatureSecret: '' }
// const offer = { country: 'ES', currency: 'EUR', products: ['i1'], optionalFields: [], sendActionEvents: false }
// const merchant = { id: 'shop', return_url: 'https://shop.example/thanks' }
// const cart = { currency: 'EUR', order_total_with_tax: 9900, items: [{ total_with_tax: 9900 }] }
// console.log(await placeOrder(host, () => null)({ ...shop, ...offer }, { order: { merchant, cart } })())
// ```

// The host itself: its addresses, limits and names on the wire.

export type { Caller, FullHost, Host, Refused } from './checkout/host.ts'
export type { Terms } from './order/model.ts'
export {
  DEFAULT_RULES,
  type Links,
  type WireNames,
  wireNames,
} from './order/terms.ts'

// For the merchant: their orders, their confirmations and updates, and the views they get.

export { listDeliveries, recoverDeliveries } from './checkout/merchant/deliveries.ts'
export { explainOrder, explanationView } from './checkout/merchant/explain-order.ts'
export {
  historyLine,
  historyLineIn,
  orderView,
  orderViewIn,
  readHistory,
} from './checkout/merchant/order-history.ts'
export { confirmOrder, updateOrder } from './checkout/merchant/order-updates.ts'
export { placeOrder } from './checkout/merchant/place-order.ts'
export { sendExample } from './checkout/merchant/send-example.ts'
export { paymentMethods } from './checkout/merchant/show-payment-methods.ts'

// For the shopper: their frontend, and the pages that it opens.

export {
  checkoutMetadata,
  checkoutSummary,
  type Legal,
  productForOrder,
} from './checkout/shopper/show-checkout.ts'
export { awaitOutcome, submitIdentification } from './checkout/shopper/submit-identification.ts'

// For the operator.

export { eraseShopperData, previewErasure } from './checkout/operator/erase-shopper.ts'
export { findOrders } from './checkout/operator/find-orders.ts'
export { applyDecision, tryDecision } from './checkout/operator/order-decisions.ts'

// Runs due effects, all at once or job by job, and records what providers report by themselves.

export { completeJob, type EffectResult } from './checkout/worker/complete-job.ts'
export {
  type DueEffectHandlers,
  type EffectHandlers,
  executeEffect,
  runDueEffects,
} from './checkout/worker/execute-effect.ts'
export {
  type PaymentUpdate,
  paymentWith,
  recordPayment,
  recordProviderCallback,
  recordVerification,
} from './checkout/worker/record-provider-result.ts'

// An order as a value: its data, the events it accepts, its step, and its answers.

export { identificationAction, waitAction } from './order/next-action.ts'
export type { Order, OrderEvent } from './order/order.ts'
export { NEW_CONTEXT, type OrderContext } from './order/order-context.ts'
export { initialStep, type JournalLine, type Step, step } from './order/step.ts'
