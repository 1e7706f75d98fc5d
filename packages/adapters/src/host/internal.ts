// @plazo/adapters/internal/host: what plazo's own programs use besides the public names of
// @plazo/adapters/host. It may change with each version.

export * from './capacity.ts'
export * from './dispatcher.ts'
export * from './index.ts'
export * from './open-checkout.ts'
export * from './use-case-errors.ts'
