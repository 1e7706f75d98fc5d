// @plazo/core: everything a host needs to run checkouts. Values and unions cross this edge; ports speak fp-ts.
// Sorted in the order in which a reader meets them; `*` exports all of a file. Tests check that every export is used, and
// that every type in an exported signature is exported too.

// The host itself: its addresses, limits and names on the wire.

export type { Caller, Host, Refused } from './checkout/host.ts'
export { DEFAULT_RULES, type Links, type RandomValues, type Rules, type StepInput, type Terms } from './order/terms.ts'
export * from './protocol/wire-names.ts'

// The ports, which a host must implement.

export * from './ports/clock.ts'
export * from './ports/conclusion.ts'
export * from './ports/deciders.ts'
export * from './ports/deliveries.ts'
export * from './ports/forgetting.ts'
export * from './ports/ids.ts'
export * from './ports/merchant-gateway.ts'
export * from './ports/merchants.ts'
export * from './ports/orders.ts'
export * from './ports/retention.ts'
export * from './ports/store.ts'
export * from './ports/unavailable.ts'

// For the merchant: their orders, their confirmations and updates, and the views they get.

export { confirmOrder } from './checkout/confirm-order.ts'
export {
  type DeliveryPage,
  type EncodedDeliveriesOptions,
  type EncodedDelivery,
  type EncodedPage,
  listDeliveries,
  listEncodedDeliveries,
} from './checkout/list-deliveries.ts'
export { type CheckUrl, placeOrder } from './checkout/place-order.ts'
export { type OrderHistory, readHistory } from './checkout/read-history.ts'
export { type Recovery, recoverDeliveries } from './checkout/recover-deliveries.ts'
export { EXAMPLES, type Example, sendExample } from './checkout/send-example.ts'
export { deliveryView, exampleView } from './checkout/show-delivery.ts'
export { historyLine, orderView } from './checkout/show-order.ts'
export { paymentMethods } from './checkout/show-payment-methods.ts'
export { updateOrder } from './checkout/update-order.ts'

// For the shopper: their frontend, and the pages that it opens.

export { awaitOutcome } from './checkout/await-outcome.ts'
export { type PaymentNotFound, type PaymentUpdate, paymentWith, recordPayment } from './checkout/record-payment.ts'
export { recordVerification, type SessionNotFound } from './checkout/record-verification.ts'
export { type Consent, checkoutMetadata, type ProductNotOffered, productForOrder } from './checkout/show-metadata.ts'
export { submitIdentification } from './checkout/submit-identification.ts'

// For the operator.

export { cancelOrder, requestCancellation } from './checkout/cancel-order.ts'
export { applyDecision, type DecisionError, isDecisionAllowed } from './checkout/decision.ts'
export { findOrders, listOrders, type OrderFilter, STATES_ON_WIRE } from './checkout/find-orders.ts'
export { eraseShopperData } from './checkout/forget-shopper.ts'
export { approveOrder, rejectOrder } from './checkout/review-order.ts'

// Runs due effects, all at once or entry by entry, and records what providers report by themselves.

export { type EffectHandlers, executeEffect } from './checkout/carry-out.ts'
export { type DueEffectHandlers, runDueEffects } from './checkout/carry-out-due.ts'
export type { DeliveryWork, WebhookSender } from './checkout/deliver.ts'
export { recordProviderCallback } from './checkout/record-news.ts'
export type { EffectResult } from './checkout/result.ts'
export { completeJob } from './checkout/settle-entry.ts'
export {
  ACCEPTED_STATUSES,
  type CancelVerdict,
  classifyCancelResponse,
  type EventName,
  type HttpResponse,
} from './delivery/acceptance.ts'
export { type Attempt, type Outcome, RESPONSES_SHOWN, type Report, type Trigger } from './delivery/attempt.ts'
export { WEEK } from './delivery/schedule.ts'

// An order as a value: its data, the events it accepts, and its answers.

export { agreementOf } from './order/agreement.ts'
export {
  type CardOwner,
  type Effect,
  type EffectKind,
  type EffectPayload,
  effectKey,
  effectKeyParts,
  type Lane,
  laneOfKey,
  type MerchantRequest,
} from './order/effect.ts'
export { eraseShopper } from './order/forgotten.ts'
export { identificationAction, waitAction } from './order/next-action.ts'
export { heldReference, isOver, type Order } from './order/order.ts'
export {
  type Alternative,
  type FailureReason,
  NEW_CONTEXT,
  type OrderContext,
  type Payment,
  type Placed,
  type SavedCard,
  ScreeningOutcome,
} from './order/order-context.ts'
export type { DecisionEvent, MerchantEvent, OrderEvent, ReplyEvent, SubmissionEvent } from './order/order-event.ts'
export {
  type InternalError,
  initialStep,
  isUnchanged,
  type JournalLine,
  type Step,
  step,
  unchanged,
} from './order/step.ts'
export { errorMessage } from './order/thrown.ts'
export { type OperatorTask, operatorTaskOf } from './order/waiting.ts'

// The statechart, and an order's state in it.

export { machineInput } from './order/machine-input.ts'
export { orderMachine } from './order/order-machine.ts'
export type { MachineContext, MachineEvent, StateMeta } from './order/order-setup.ts'
export {
  machineValue,
  metaOf,
  nameOnWire,
  type OrderState,
  REGIONS,
  type Region,
  restingStates,
  stateOnWire,
} from './order/order-state.ts'

// The stored form of an order.

export * from './order/snapshot.ts'

// On the wire: requests of frontends and the answers to them.

export {
  IdentificationAction,
  type IdentificationActionName,
  type IdVerificationStatus,
  type OfferedAgreement,
  type ReusableCard,
  WaitAction,
  type WaitActionName,
} from './protocol/action.ts'
export * from './protocol/checkout-metadata.ts'
export {
  type FormRules,
  formFields,
  identificationForm,
  PERSON_FIELDS,
  type Person,
  type PersonField,
} from './protocol/identification-form.ts'

// On the wire: requests of merchants and the answers to them.

export * from './protocol/credentials.ts'
export {
  type AttemptView,
  DeliveryStateName,
  DeliveryView,
  ExamplePayload,
  ExampleView,
  PAGE_LIMIT_MAX,
  PageLimit,
  RecoverPayload,
  RecoveryView,
  ResendView,
} from './protocol/delivery-view.ts'
export { ConfirmOrderPayload, PlaceOrderPayload, UpdateOrderPayload } from './protocol/order-codecs.ts'
export { decodeOrder, ipnParameterNames, type OrderPayload, type OrderReferences } from './protocol/order-payload.ts'
export * from './protocol/order-view.ts'
export { type PaymentMethod, PaymentMethods, type PaymentOption } from './protocol/payment-methods.ts'
export * from './protocol/problem.ts'

// On the wire: requests to merchants and the answers that they give.

export * from './protocol/action-event.ts'
export {
  type CancelAnswer,
  CancelAnswerBody,
  decodeCancelAnswer,
  isJsonObject,
  parseAnswer,
  RETRY_IN_MINUTES_MAX,
} from './protocol/cancel-answer.ts'
export { FORM_CONTENT_TYPE } from './protocol/form-encoding.ts'
export * from './protocol/ipn.ts'
export {
  CancelForm,
  CancelledForm,
  DeniedForm,
  type LifecycleEvent,
  type LifecycleEventName,
  lifecycleEventBody,
  RiskAssessmentForm,
  RiskLevel,
} from './protocol/lifecycle-event.ts'

// On the wire: answers and callbacks of providers.

export {
  cardOnWire,
  type Decode,
  decodeAdvice,
  decodeCards,
  decodeDone,
  decodePage,
  decodeRetryIn,
  decodeRiskLevel,
  decodeScreening,
  decodeSessionStatus,
  type PageProtocol,
  type ProviderCard,
  type Screened,
  SessionStatus,
} from './protocol/provider-answer.ts'
export * from './protocol/provider-callback.ts'

// On the wire: the sandbox and the health check.

export * from './protocol/card-form.ts'
export * from './protocol/health.ts'
export * from './protocol/sandbox.ts'

// Shared values: products, money, languages, instants and texts; and the JSON Schema of a codec.

export type { JsonSchema, SchemaOf } from './protocol/annotation.ts'
export { CATALOGUE, type Category, type CreditProduct, type ProductText } from './protocol/catalogue.ts'
export { normalizeText } from './protocol/composed.ts'
export { type Agreement, type Plan, planOf } from './protocol/credit-product.ts'
export { INSTANT_FORMAT, instantOf } from './protocol/instant.ts'
export { type Reflector, reflector } from './protocol/json-schema.ts'
export { LANGUAGES, type Language, languageOf } from './protocol/language.ts'
export { type Money, money } from './protocol/money.ts'
export { isNestedTooDeeply, orNull } from './protocol/scalars.ts'
