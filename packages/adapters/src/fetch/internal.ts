// @plazo/adapters/internal/fetch: what plazo's own programs use besides the public names of
// @plazo/adapters/fetch. It may change with each version.

export * from './fetch-gateway.ts'
export * from './index.ts'
