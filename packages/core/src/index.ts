// A program places orders with these names and leads them to their end. They are in the order in
// which a reader needs them. The parts that a host implements are in `@plazo/core/ports`, the codecs
// of the wire in `@plazo/core/protocol`, the statechart in `@plazo/core/machine`. Tests check that
// every export is used, and that every type in an exported signature is exported too.
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

export type { Caller, FullHost, Host, Refused, StepError } from './checkout/host.ts'
export {
  DEFAULT_RULES,
  type Links,
  type RandomValues,
  type Rules,
  type StepInput,
  type WireNames,
  wireNames,
} from './order/terms.ts'

// For the merchant: their orders, their confirmations and updates, and the views they get.

export {
  type DeliveryPage,
  deliveryView,
  exampleView,
  listDeliveries,
  previewRecovery,
  type Recovery,
  type RecoveryPreview,
  recoverDeliveries,
} from './checkout/merchant/deliveries.ts'
export { explainOrder, explanationView } from './checkout/merchant/explain-order.ts'
export {
  historyLine,
  historyLineIn,
  type OrderHistory,
  orderView,
  orderViewIn,
  readHistory,
} from './checkout/merchant/order-history.ts'
export { confirmOrder, updateOrder } from './checkout/merchant/order-updates.ts'
export { type CheckUrl, placeOrder } from './checkout/merchant/place-order.ts'
export { type Example, sendExample } from './checkout/merchant/send-example.ts'
export { paymentMethods } from './checkout/merchant/show-payment-methods.ts'

// For the shopper: their frontend, and the pages that it opens.

export {
  type Consent,
  checkoutMetadata,
  checkoutSummary,
  type Legal,
  type ProductNotOffered,
  payButtonText,
  productForOrder,
} from './checkout/shopper/show-checkout.ts'
export {
  awaitOutcome,
  submitIdentification,
} from './checkout/shopper/submit-identification.ts'

// For the operator.

export {
  ERASED_PARTS,
  type ErasedPart,
  type ErasurePreview,
  eraseShopper,
  eraseShopperData,
  previewErasure,
} from './checkout/operator/erase-shopper.ts'
export { type FoundOrders, findOrders } from './checkout/operator/find-orders.ts'
export {
  applyDecision,
  approveOrder,
  cancelOrder,
  rejectOrder,
  requestCancellation,
  tryDecision,
} from './checkout/operator/order-decisions.ts'

// Runs due effects, all at once or job by job, and records what providers report by themselves.

export { completeJob, type EffectResult } from './checkout/worker/complete-job.ts'
export type { DeliveryPayload, WebhookSender } from './checkout/worker/deliver.ts'
export {
  type DueEffectHandlers,
  type EffectHandlers,
  executeEffect,
  runDueEffects,
} from './checkout/worker/execute-effect.ts'
export {
  type PaymentNotFound,
  type PaymentUpdate,
  paymentWith,
  recordPayment,
  recordProviderCallback,
  recordVerification,
  type SessionNotFound,
} from './checkout/worker/record-provider-result.ts'

// An order as a value: its data, the events it accepts, its step, and its answers.

export type { Effect, EffectKind } from './order/effects/effect.ts'
export type { EffectName } from './order/effects/effects.ts'
export { isOver, type Terms } from './order/model.ts'
export { identificationAction, returnUrlOf, waitAction } from './order/next-action.ts'
export {
  agreementOf,
  type DecisionEvent,
  type MerchantEvent,
  type OperatorTask,
  type Order,
  type OrderEvent,
  type OrderState,
  type ReplyEvent,
  type SubmissionEvent,
} from './order/order.ts'
export {
  type Alternative,
  type Carts,
  type FailureReason,
  NEW_CONTEXT,
  type OrderContext,
  type Payment,
  type Placed,
  ScreeningOutcome,
} from './order/order-context.ts'
export { ANY_ORDER, type OrderFilter, type OrderText, STATES_ON_WIRE } from './order/order-facts.ts'
export { paidTotal } from './order/reduction.ts'
export {
  type InternalError,
  initialStep,
  type JournalLine,
  type Step,
  step,
  unchanged,
} from './order/step.ts'
