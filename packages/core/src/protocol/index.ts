// @plazo/core/protocol: the requests and answers on the wire, as codecs with their types, and the values
// that both sides of the wire use: products, money and languages.
//
// ```ts
// import { decodeOrder, money, reflector, WaitAction } from '@plazo/core/protocol'
//
// console.log(WaitAction.is({ action: 'reject' })) // true
// console.log(money(12_100, 'EUR', 'es').string) // 121,00 €
// console.log(decodeOrder({ order: {} })) // Left: a sentence for each wrong value
// console.log(reflector('#/').schemaOf(WaitAction)) // JSON Schema
// ```

// Requests of frontends and the answers to them.

export {
  CheckoutMetadata,
  CheckoutSummary,
  IdentificationAction,
  LegalFacts,
  WaitAction,
} from './action.ts'
export type { IdentificationBody, SubmittedForm } from './identification-form.ts'
export { PERSON_FIELDS } from './person-fields.ts'

// Requests of merchants and the answers to them.

export { ExplanationView } from './explanation-view.ts'
export {
  ConfirmOrderPayload,
  decodeOrder,
  PlaceOrderPayload,
  UpdateOrderPayload,
} from './order-payload.ts'
export { DeliveryView, History, HistoryLine, OrderView } from './order-view.ts'
export { PaymentMethods } from './payment-methods.ts'
export { Problem } from './problem.ts'

// Requests to merchants and the answers that they give.

export { type CancelAnswer, CancelAnswerBody } from './cancel-answer.ts'
export {
  ActionEvent,
  actionEventBody,
  CancelForm,
  CancelledForm,
  DeniedForm,
  FORM_CONTENT_TYPE,
  ipnBody,
  type LifecycleEvent,
  lifecycleEventBody,
  RiskAssessmentForm,
} from './webhook-event.ts'

// Answers and callbacks of providers.

export { SessionStatus } from './provider-answer.ts'
export { decodeCallback } from './provider-callback.ts'

// Shared values, and the JSON Schema of a codec.

export { CATALOGUE, type CreditProduct, planOf } from './credit-product.ts'
export { reflector } from './json-schema.ts'
export { type Language, Money, money } from './language.ts'
