// @plazo/adapters/http: calls merchants over HTTP, with signatures and the address guard.

export type { OnActivity } from './client/attempt-activity.ts'
export type { HttpRequest } from './client/http-request.ts'
export { createKeepAliveAgents } from './client/keep-alive-agents.ts'
export {
  type ClosableMerchantGateway,
  type MerchantGatewayOptions,
  merchantGateway,
  type SendRequest,
} from './client/merchant-gateway.ts'
export type { HttpResult } from './client/read-response.ts'
export { type ThreadedGatewayOptions, threadedGateway } from './client/threaded-gateway.ts'
export {
  type AddressRange,
  type IpAddress,
  ipAddress,
  ipv6Groups,
} from './guard/address-ranges.ts'
export { type AllowedNetwork, parseNetworks, parseWebhookAllow } from './guard/allowlist.ts'
export { createDnsPrecheck, type DnsPrecheck } from './guard/dns-precheck.ts'
export type { LookupAll } from './guard/safe-lookup.ts'
export {
  type AddressGuard,
  type AddressGuardOptions,
  addressGuard,
  MUST_NOT_BE_CALLED,
  portOf,
} from './guard/ssrf-guard.ts'
export {
  decodeUtf8,
  sign,
  signStandardWebhook,
  verify,
  verifyStandardWebhook,
  type WebhookMessage,
} from './signature.ts'
