// @plazo/core/protocol: everything on the wire, as codecs with their types, and the values that both
// sides of the wire use: products, money, languages, instants and texts.
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

export * from './action.ts'
export {
  type FieldErrors,
  type FormRules,
  formFields,
  type IdentificationBody,
  identificationForm,
  type Person,
  type SubmittedForm,
} from './identification-form.ts'
export { PERSON_FIELDS, type PersonField } from './person-fields.ts'

// Requests of merchants and the answers to them.

export * from './explanation-view.ts'
export {
  ConfirmOrderPayload,
  decodeOrder,
  ipnParameterNames,
  type OrderPayload,
  type OrderReferences,
  PlaceOrderPayload,
  UpdateOrderPayload,
} from './order-payload.ts'
export * from './order-view.ts'
export * from './payment-methods.ts'
export * from './problem.ts'

// Requests to merchants and the answers that they give.

export * from './cancel-answer.ts'
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
} from './webhook-event.ts'

// Answers and callbacks of providers.

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
  type PaymentResult,
  PROVIDER_PORTS,
  type ProviderPort,
  type ProviderUpdate,
  type SavedCard,
  type Screened,
  SessionStatus,
} from './provider-answer.ts'
export * from './provider-callback.ts'

// Shared values, the parts of which codecs are built, and the JSON Schema of a codec.

export { isCountry } from './country.ts'
export {
  type Agreement,
  CATALOGUE,
  type Catalogue,
  type Category,
  type CreditProduct,
  type Plan,
  type Price,
  planOf,
} from './credit-product.ts'
export {
  type CurrencyTerms,
  decimalText,
  PRICED_CURRENCIES,
} from './currency.ts'
export {
  description,
  type JsonSchema,
  type Reflector,
  reflector,
  type SchemaOf,
  schemaName,
} from './json-schema.ts'
export {
  LANGUAGES,
  type Language,
  languageOf,
  Money,
  money,
  orderLanguage,
} from './language.ts'
export {
  absentOr,
  Count,
  exactObject,
  INSTANT_FORMAT,
  Instant,
  InstantInput,
  instantOf,
  isJsonObject,
  isNestedTooDeeply,
  listOf,
  NonEmptyText,
  namedObject,
  objectOf,
  oneOf,
  optional,
  orNull,
  PositiveMinorAmount,
  refined,
  Text,
  textOf,
  WebUrl,
} from './scalars.ts'
export {
  comparableName,
  cutText,
  isSeen,
  normalizeText,
  numberAsSeen,
} from './text-as-seen.ts'
