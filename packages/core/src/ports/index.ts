// @plazo/core/ports: a host must bring a store, providers, a gateway and a clock. An implementation of
// a store or a gateway also needs the stored form of an order, the keys of effects, and the verdict on
// an attempt.
//
// ```ts
// import { type Providers, reply } from '@plazo/core/ports'
// import * as TE from 'fp-ts/lib/TaskEither.js'
//
// /** Approves orders up to 1,000.00. An operator reviews the others. */
// export const screening: Providers['screening'] = {
//   screen: ({ payload: { total } }) =>
//     TE.right(reply({ outcome: total > 100_000 ? 'review' : 'approved', alternative: null })),
// }
// console.log(reply('low_risk'))
// ```

// The ports.

export * from './clock-and-ids.ts'
export * from './deliveries.ts'
export * from './endpoints.ts'
export * from './job-queue.ts'
export * from './merchant-gateway.ts'
export * from './merchants.ts'
export * from './order-lists.ts'
export * from './order-store.ts'
export * from './providers.ts'
export * from './records.ts'
export * from './store.ts'
export * from './unavailable.ts'

// The rows of a store: orders, their journal, and the effects of a step as jobs.

export {
  type CardOwner,
  type DoEffect,
  type EffectPayload,
  effectKey,
  effectKeyParts,
  hasNoPersonalData,
  type Lane,
  laneOfKey,
  type MerchantRequest,
  type QueueName,
  queueNameOf,
} from '../order/effects/effect.ts'
export { describeThrown, errorMessage, type ThrownError } from '../order/error-message.ts'
export {
  heldReference,
  modelOf,
  type OrderModel,
  type RestingState,
} from '../order/model.ts'
export { OPERATOR_TASKS } from '../order/order.ts'
export {
  DEFAULT_STATES,
  hasSameDetails,
  lastingStates,
  matchesFilter,
  type OrderFacts,
  operatorTaskChange,
  orderFacts,
  searchedText,
  uuidBeginning,
} from '../order/order-facts.ts'
export * from '../order/snapshot.ts'
export { isUnchanged } from '../order/step.ts'

// The report of a gateway on an attempt, and its consequences for the delivery.

export {
  ACCEPTED_STATUSES,
  type Attempt,
  type AttemptError,
  type AttemptRequest,
  type CancelVerdict,
  classifyCancelResponse,
  type EventName,
  type HttpResponse,
  type NoAnswerReason,
  type Outcome,
  RESPONSES_SHOWN,
  type Report,
  type Trigger,
} from '../delivery/attempt.ts'
export {
  addressOf,
  type EndpointKind,
  isGoodAttempt,
  SLOW_AFTER_MILLIS,
} from '../delivery/endpoint.ts'
export { ATTEMPT_MILLIS, WEEK } from '../delivery/schedule.ts'
export {
  type AttemptEnd,
  applyEffects,
  endAttempt,
  findStarted,
  isExcluded,
  isWaiting,
  NO_JOBS,
  nextAttempt,
  type OrderJob,
  type OrderJobs,
  requestResend,
  retryStuck,
  type StartedAttempt,
  stopRevoked,
} from './order-jobs.ts'
