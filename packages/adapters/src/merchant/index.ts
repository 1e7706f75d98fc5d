// @plazo/adapters/merchant: receives events and IPN at the merchant's side, in any host that uses Request and Response.
export type { MerchantHandlers, ReceiverResponse } from './handlers.ts'
export { cancelled, type IpnAnswer, refused, retryIn, taken, tooLate } from './handlers.ts'
export {
  type IdempotencyStore,
  inMemoryIdempotencyStore,
  type MerchantReceiverOptions,
  merchantReceiver,
} from './receiver.ts'
export type { Subject, Webhook } from './webhook.ts'
