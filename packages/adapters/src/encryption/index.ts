// @plazo/adapters/encryption: protects personal data, secrets and passwords at rest.

export { type Keyring, newKeyEntry, newKeyring, parseKeyring } from './keyring.ts'
export type { KeyRotation, KeyUsage, ReencryptedPage } from './master-keys.ts'
export { hashPassword, unmatchableHash, verifyPassword } from './password.ts'
