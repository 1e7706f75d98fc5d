// @plazo/adapters/internal/system: what plazo's own programs use besides the public names of
// @plazo/adapters/system. It may change with each version.

export * from './clock-and-ids.ts'
export * from './index.ts'
