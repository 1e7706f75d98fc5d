// @plazo/adapters/http: how merchants are called.
export { type AddressGuard, type AddressGuardOptions, addressGuard } from './address-guard.ts'
export { type AddressRange, addressRange } from './address-ranges.ts'
export type { LookupAll } from './guarded-lookup.ts'
export { type IpAddress, ipAddress } from './ip-address.ts'
export { type ClosableMerchantGateway, type MerchantGatewayOptions, merchantGateway } from './merchant-gateway.ts'
export { sign, signStandardWebhook, verify, verifyStandardWebhook, type WebhookMessage } from './signature.ts'
export { type AllowedNetwork, parseWebhookAllow } from './webhook-allow.ts'
