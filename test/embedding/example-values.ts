// The examples of doc comments are short, because they take these values as given. The compiler checks
// the examples with them (packages.test.ts); nothing runs.
import type { openSqlite } from '@plazo/adapters/sqlite'
import type {
  DeliveryFilter,
  EffectHandlers,
  EffectPayload,
  FullHost,
  Job,
  Legal,
  Merchant,
  MerchantGateway,
  Order,
  OrderModel,
  orderMachine,
  Providers,
  RandomValues,
  Step,
  SubmittedForm,
  sendExample,
  Terms,
} from '@plazo/core/internal'
import type { InputFrom } from 'xstate'

export { addressGuard } from '@plazo/adapters/http'
export { pipe } from 'fp-ts/lib/function.js'
export * as TE from 'fp-ts/lib/TaskEither.js'
export { getShortestPaths } from 'xstate/graph'

export declare const input: InputFrom<typeof orderMachine>
export declare const host: FullHost
export declare const terms: Terms
export declare const model: OrderModel
export declare const merchant: Merchant
export declare const order: Order
export declare const orderRef: string
export declare const id: string
export declare const token: string
export declare const since: number
export declare const at: number
export declare const random: RandomValues
export declare const body: unknown
export declare const form: SubmittedForm & object
export declare const filter: DeliveryFilter
export declare const placing: Step
export declare const storage: ReturnType<typeof openSqlite>
export declare const legal: Legal
export declare const sender: Parameters<typeof sendExample>[0]
export declare const handlers: EffectHandlers
export declare const providers: Providers
export declare const gateway: MerchantGateway
export declare const job: Job
export declare const payload: EffectPayload
