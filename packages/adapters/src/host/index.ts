// @plazo/adapters/host: what a host of the core needs besides a store. The dispatcher runs the effects
// of orders, and the table of errors says what a client is told. Nothing here needs Node.
//
// ```ts
// import { sentencesOf, statusOf } from '@plazo/adapters/host'
//
// const error = { _tag: 'Refused', sentences: ['The order is cancelled.'] } as const
// console.log(statusOf(error._tag), { errors: sentencesOf(error) }) // 409 { errors: [ 'The order is cancelled.' ] }
// ```

export type { CapacityLimits } from './capacity.ts'
export { type Dispatcher, type DispatcherParts, startDispatcher } from './dispatcher.ts'
export type { SlowMerchant } from './slow-merchants.ts'
export { sentencesOf, statusOf, type UseCaseError } from './use-case-errors.ts'
