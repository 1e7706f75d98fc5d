// @plazo/adapters/internal/merchant: what plazo's own programs use besides the public names of
// @plazo/adapters/merchant. It may change with each version.

export * from './handlers.ts'
export * from './index.ts'
export * from './receiver.ts'
export * from './webhook.ts'
