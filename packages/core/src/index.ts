// The public names of @plazo/core: everything a host needs to run checkouts. They are in the order
// in which a reader needs them, and `*` exports all of a file. Tests check that every export is
// used, and that every type in an exported signature is exported too.

// The host itself: its addresses, limits and names on the wire.

export type { Caller, FullHost, Host, Refused, StepError } from './checkout/host.ts'
export {
  DEFAULT_RULES,
  type Links,
  type RandomValues,
  type Rules,
  type StepInput,
  type Terms,
  type WireNames,
  wireNames,
} from './order/terms.ts'

// The ports, which a host must implement.

export * from './ports/clock-and-ids.ts'
export * from './ports/deliveries.ts'
export * from './ports/job-queue.ts'
export * from './ports/merchant-gateway.ts'
export * from './ports/merchants.ts'
export * from './ports/order-store.ts'
export * from './ports/providers.ts'
export * from './ports/store.ts'
export * from './ports/unavailable.ts'

// For the merchant: their orders, their confirmations and updates, and the views they get.

export {
  type DeliveryPage,
  deliveryView,
  type EncodedDeliveriesOptions,
  type EncodedDelivery,
  type EncodedPage,
  exampleView,
  listDeliveries,
  listEncodedDeliveries,
  type Recovery,
  recoverDeliveries,
} from './checkout/merchant/deliveries.ts'
export * from './checkout/merchant/fork-order.ts'
export {
  historyLine,
  type OrderHistory,
  orderView,
  orderViewIn,
  readHistory,
} from './checkout/merchant/order-history.ts'
export * from './checkout/merchant/order-updates.ts'
export { type CheckUrl, placeOrder } from './checkout/merchant/place-order.ts'
export * from './checkout/merchant/send-example.ts'
export * from './checkout/merchant/show-payment-methods.ts'

// For the shopper: their frontend, and the pages that it opens.

export * from './checkout/shopper/show-checkout.ts'
export * from './checkout/shopper/submit-identification.ts'

// For the operator.

export * from './checkout/operator/find-orders.ts'
export * from './checkout/operator/order-decisions.ts'

// Runs due effects, all at once or job by job, and records what providers report by themselves.

export { completeJob, type EffectResult } from './checkout/worker/complete-job.ts'
export type { DeliveryPayload, WebhookSender } from './checkout/worker/deliver.ts'
export * from './checkout/worker/execute-effect.ts'
export * from './checkout/worker/record-provider-result.ts'
export {
  ACCEPTED_STATUSES,
  type Attempt,
  type AttemptError,
  type CancelVerdict,
  classifyCancelResponse,
  type EventName,
  type HttpResponse,
  NO_ANSWER_REASONS,
  type NoAnswerReason,
  type Outcome,
  RESPONSES_SHOWN,
  type Report,
  redirectDetail,
  type Trigger,
} from './delivery/attempt.ts'
export { WEEK } from './delivery/schedule.ts'

// An order as a value: its data, the events it accepts, and its answers.

export type { CopyRequest } from './order/copy-order.ts'
export {
  type CardOwner,
  type DoEffect,
  deliveryEventName,
  type Effect,
  type EffectKind,
  type EffectPayload,
  effectKey,
  effectKeyParts,
  hasNoPersonalData,
  type Lane,
  laneOfKey,
  type MerchantRequest,
  type QueueName,
  queueNameOf,
} from './order/effects/effect.ts'
export type { EffectName } from './order/effects/effects.ts'
export * from './order/error-message.ts'
export { identificationAction, returnUrlOf, waitAction } from './order/next-action.ts'
export {
  agreementOf,
  type DecisionEvent,
  heldReference,
  INBOX_KINDS,
  type InboxKind,
  isOver,
  type MerchantEvent,
  type OperatorTask,
  type Order,
  type OrderEvent,
  type OrderState,
  operatorTaskOf,
  REGIONS,
  type Region,
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
export {
  type InternalError,
  initialStep,
  isUnchanged,
  type JournalLine,
  machineInput,
  type OrderMachine,
  operatorTaskChange,
  type Step,
  step,
  unchanged,
} from './order/step.ts'

// The statechart, and an order's state in it.

export {
  machineValue,
  metaOf,
  nameOnWire,
  orderMachine,
  restingStates,
  stateOnWire,
} from './order/machine/order-machine.ts'
export type { MachineContext, MachineEvent, StateMeta } from './order/machine/order-setup.ts'

// Runs any XState machine of a stated subset, faster than XState. For an order with a changed
// statechart, and for others.

export * from './statechart/compile.ts'

// The stored form of an order.

export * from './order/snapshot.ts'

// On the wire: requests of frontends and the answers to them.

export * from './protocol/action.ts'
export {
  type FormRules,
  formFields,
  identificationForm,
  PERSON_FIELDS,
  type Person,
  type PersonField,
} from './protocol/identification-form.ts'

// On the wire: requests of merchants and the answers to them.

export {
  ConfirmOrderPayload,
  decodeOrder,
  ipnParameterNames,
  type OrderPayload,
  type OrderReferences,
  PlaceOrderPayload,
  UpdateOrderPayload,
} from './protocol/order-payload.ts'
export * from './protocol/order-view.ts'
export * from './protocol/payment-methods.ts'
export * from './protocol/problem.ts'

// On the wire: requests to merchants and the answers that they give.

export * from './protocol/cancel-answer.ts'
export {
  ActionEvent,
  actionEventBody,
  CancelForm,
  CancelledForm,
  DeniedForm,
  FORM_CONTENT_TYPE,
  type IpnState,
  ipnBody,
  ipnForm,
  type LifecycleEvent,
  type LifecycleEventName,
  lifecycleEventBody,
  RiskAssessmentForm,
  RiskLevel,
} from './protocol/webhook-event.ts'

// On the wire: answers and callbacks of providers.

export * from './protocol/provider-answer.ts'

// On the wire: the sandbox and the health check.

export * from './protocol/sandbox.ts'
export * from './protocol/sandbox-webhooks.ts'

// Shared values: products, money, languages, instants and texts; and the JSON Schema of a codec.

export { isCountry, suggestCountry } from './protocol/country.ts'
export {
  type Agreement,
  CATALOGUE,
  type Category,
  type CreditProduct,
  type Plan,
  type Price,
  planOf,
} from './protocol/credit-product.ts'
export {
  type CurrencyTerms,
  currencyTerms,
  isCurrency,
  PRICED_CURRENCIES,
  suggestCurrency,
} from './protocol/currency.ts'
export {
  type JsonSchema,
  type Reflector,
  reflector,
  type SchemaOf,
} from './protocol/json-schema.ts'
export {
  LANGUAGES,
  type Language,
  languageOf,
  Money,
  money,
  orderLanguage,
} from './protocol/language.ts'
export {
  INSTANT_FORMAT,
  instantOf,
  isJsonObject,
  isNestedTooDeeply,
  orNull,
} from './protocol/scalars.ts'
export {
  comparableName,
  cutText,
  cutToBytes,
  isSeen,
  normalizeText,
  numberAsSeen,
} from './protocol/text-as-seen.ts'
