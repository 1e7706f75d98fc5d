// @plazo/adapters/internal/http: what plazo's own programs use besides the public names of
// @plazo/adapters/http. It may change with each version.

export * from './client/attempt-activity.ts'
export * from './client/merchant-gateway.ts'
export * from './client/outbound-proxy.ts'
export * from './client/signed-requests.ts'
export * from './client/threaded-gateway.ts'
export * from './guard/address-ranges.ts'
export * from './guard/ssrf-guard.ts'
export * from './index.ts'
export * from './signature.ts'
