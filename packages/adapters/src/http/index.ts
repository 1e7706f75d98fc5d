// @plazo/adapters/http: calls merchants over HTTP, with signatures and the address guard.
export type { OnActivity } from './client/attempt-activity.ts'
export type { HttpRequest, HttpResult } from './client/http-request.ts'
export { createKeepAliveAgents } from './client/keep-alive-agents.ts'
export {
  type ClosableMerchantGateway,
  type MerchantGatewayOptions,
  merchantGateway,
  type SendRequest,
} from './client/merchant-gateway.ts'
export { type ThreadedGatewayOptions, threadedGateway } from './client/threaded-gateway.ts'
export {
  type AddressRange,
  type AllowedNetwork,
  type IpAddress,
  ipAddress,
  ipv6Groups,
  parseNetworks,
  parseWebhookAllow,
} from './guard/address-ranges.ts'
export { createDnsPrecheck } from './guard/dns-precheck.ts'
export {
  type AddressGuard,
  type AddressGuardOptions,
  addressGuard,
  type LookupAll,
  portOf,
  type UrlRefusal,
} from './guard/ssrf-guard.ts'
export {
  sign,
  signStandardWebhook,
  verify,
  verifyStandardWebhook,
  type WebhookMessage,
} from './signature.ts'
