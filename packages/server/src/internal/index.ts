// @plazo/server/internal: the parts of the server of which other programs of plazo are made: routes as
// values, pages, streams and words. They may change with each version.
//
// ```ts
// import { invalidValue } from '@plazo/server/internal'
//
// console.log(invalidValue('product', 'x9', 'one of fp1, pp3').detail)
// ```

export { type AppAccess, answersOf } from '../app.ts'
export { answerOrThrow, awaitStorage } from '../boot/stores.ts'
export { PLAZO } from '../command-line/own-commands.ts'
export { AT, ORDER_REF, person, TOKEN } from '../docs/openapi/examples.ts'
export { referencePages } from '../docs/routes.ts'
export { anyOrder, orderOfMerchant } from '../http/access.ts'
export { PageError, showSentences, showThrown, value, wantsPage } from '../http/answers.ts'
export { bodyBytes, formBody, textThatWasRead } from '../http/body.ts'
export { mountRoutes } from '../http/mount-routes.ts'
export {
  type Markup,
  type Page,
  type PageFrame,
  rootFrom,
  SHOPPER_STYLE,
  sendPage,
} from '../http/page/page.ts'
export {
  countdown,
  euros,
  orderName,
  readableInstant,
  STUCK_TEXT,
  VALID_SIGNATURE_TEXT,
} from '../http/page/script/formats.ts'
export {
  eventNames,
  eventNote,
  eventWords,
  providerWords,
  upcomingWords,
} from '../http/page/script/words.ts'
export { linksFromRoot, mountable } from '../http/prefix.ts'
export {
  type KnownError,
  problem,
  problemText,
  type RequestError,
  requestError,
} from '../http/problem.ts'
export { acceptedLanguage, decode, invalidValue, UUID, uuidParam } from '../http/request.ts'
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
} from '../http/route.ts'
export type { Services } from '../http/services.ts'
export { respondStream } from '../http/stream.ts'
export {
  type EventStreams,
  eventStreams,
  type LiveEvent,
  type LiveSource,
} from '../live/event-stream.ts'
export {
  followLines,
  LinesView,
  linesView,
  newestLines,
  withNewestLines,
} from '../live/order-lines.ts'
export { type Guide, type GuideStep, MACHINE_MAP, STATE_CARDS } from '../machine/machine-data.ts'
export { findOrderPath, type PathLine } from '../machine/order-path.ts'
export { StateRunProgress } from '../machine/run-progress.ts'
export { KNOWN_MERCHANT } from '../merchants/known-credentials.ts'
export { framedPage } from '../providers/page.ts'
export { findPayment, paymentError } from '../providers/routes.ts'
export { CARD_TEXTS, type CardTexts } from '../providers/script/card-texts.ts'
export { answersPort, SANDBOX_OPERATOR_PASSWORD } from '../settings/config.ts'
export type { LegalSettings } from '../settings/legal-settings.ts'
