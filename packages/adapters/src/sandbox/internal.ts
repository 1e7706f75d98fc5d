// @plazo/adapters/internal/sandbox: what plazo's own programs use besides the public names of
// @plazo/adapters/sandbox. It may change with each version.

export * from './card-form.ts'
export * from './index.ts'
export * from './providers.ts'
export * from './test-clock.ts'
export * from './triggers.ts'
