// @plazo/server/internal: routes as values, pages, streams and words of the server, for other programs of
// plazo such as the sandbox. They may change with each version.
//
// ```ts
// import { invalidValue } from '@plazo/server/internal'
//
// console.log(invalidValue('product', 'x9', 'one of fp1, pp3').detail)
// ```

export { AT, ORDER_REF, person, TOKEN } from '../api/docs/openapi/examples.ts'
export { referencePages } from '../api/docs/routes.ts'
export {
  type Guide,
  type GuideStep,
  MACHINE_MAP,
  STATE_CARDS,
} from '../api/machine/machine-data.ts'
export { findOrderPath, type PathLine } from '../api/machine/order-path.ts'
export { StateRunProgress } from '../api/machine/run-progress.ts'
export {
  followLines,
  LinesView,
  readLines,
} from '../api/orders/order-lines.ts'
export { framedPage } from '../api/providers/page.ts'
export { findPayment, paymentError } from '../api/providers/routes.ts'
export { CARD_TEXTS, type CardTexts } from '../api/providers/script/card-texts.ts'
export { answersOf } from '../host/app.ts'
export type { Compose, RunningServer } from '../host/serve.ts'
export { openStorage, type ServerStorage } from '../host/storage.ts'
export { answerOrThrow } from '../host/stores.ts'
export { anyOrder, orderOfMerchant } from '../http/access.ts'
export type { SocketLimits } from '../http/limits/connections.ts'
export type {
  ClientAddress,
  MinuteLimit,
  RateLimit,
  RateLimits,
} from '../http/limits/rate-limits.ts'
export { mountable, mountRoutes } from '../http/mount-routes.ts'
export { readBrowserFile } from '../http/page/browser-files.ts'
export {
  type Markup,
  type Page,
  type PageFrame,
  rootFrom,
  sendPage,
} from '../http/page/page.ts'
export {
  countdown,
  euros,
  orderName,
  readableInstant,
  STUCK_TEXT,
} from '../http/page/script/formats.ts'
export {
  eventNames,
  eventNote,
  eventWords,
  jobWords,
  providerWords,
} from '../http/page/script/words.ts'
export {
  HandlerError,
  problem,
  problemText,
  refused,
  showThrown,
  wantsPage,
} from '../http/problem.ts'
export {
  acceptedLanguage,
  bodyBytes,
  decode,
  formBody,
  invalidValue,
  textThatWasRead,
  UUID,
} from '../http/request.ts'
export {
  type Access,
  accessBy,
  answer,
  type Body,
  bodyOf,
  EVENT_STREAM,
  form,
  HTML,
  json,
  jsonAnswer,
  jsonBodyOf,
  openTo,
  query,
  type Route,
  route,
  uuidParam,
  value,
} from '../http/route.ts'
export type { Services } from '../http/services.ts'
export type { ReadAfter } from '../http/stream.ts'
export * from '../index.ts'
export type { Log } from '../log/log.ts'
export { KNOWN_MERCHANT } from '../merchants/known-credentials.ts'
export {
  answersPort,
  type Config,
  linksFrom,
  SANDBOX_OPERATOR_PASSWORD,
} from '../settings/config.ts'
export type { LegalSettings } from '../settings/legal-settings.ts'
export { PLAZO } from '../settings/own-commands.ts'
export type { Mode } from '../settings/policy.ts'
