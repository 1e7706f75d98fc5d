// @plazo/core/ports: a host must bring a store, providers, a gateway and a clock. A gateway of one's own
// also needs the verdict on an attempt. Stores are written over the rows of `@plazo/adapters/rows`.
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

export {
  ACCEPTED_STATUSES,
  type AttemptRequest,
  classifyCancelResponse,
  type EventName,
  type HttpResponse,
  type Outcome,
  type Report,
} from '../delivery/attempt.ts'
export { describeThrown } from '../order/error-message.ts'
export type { Clock, Ids } from './clock-and-ids.ts'
export type { CompletionResult, Job } from './job-queue.ts'
export type { MerchantGateway } from './merchant-gateway.ts'
export type { Merchant, Merchants } from './merchants.ts'
export {
  type HostProviders,
  type Identity,
  type PayloadOf,
  type Payments,
  type ProviderCall,
  type ProviderError,
  type ProviderReply,
  type ProviderRequest,
  type Providers,
  type Risk,
  reply,
  retryLater,
  type Screening,
  type SessionUpdate,
  type Sms,
  toProviders,
} from './providers.ts'
export type { NewRecord, RecordFilter, Records, StoredRecord } from './records.ts'
export type { FullStore, Store } from './store.ts'
export { type OrderNotFound, type Unavailable, unavailable } from './store-errors.ts'
