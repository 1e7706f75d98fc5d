// @plazo/adapters/merchant: the merchant's side of events and IPN, for any host that speaks Request and Response.
export { type Answered, type AnswerMemory, answersInMemory } from './answer-memory.ts'
export { cancelled, type IpnAnswer, refused, retryIn, taken, tooLate } from './answers.ts'
export type { MerchantHandlers } from './handlers.ts'
export { type MerchantReceiverOptions, merchantReceiver } from './receiver.ts'
export type { Subject, Webhook } from './webhook.ts'
