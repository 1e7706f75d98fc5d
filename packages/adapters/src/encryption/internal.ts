// @plazo/adapters/internal/encryption: what plazo's own programs use besides the public names of
// @plazo/adapters/encryption. It may change with each version.

export * from './index.ts'
export * from './keyring.ts'
export * from './password.ts'
