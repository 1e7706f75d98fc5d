// @plazo/adapters/encryption: protects personal data, secrets and passwords at rest.
export type { KeyRotation, KeyUsage, ReencryptedPage } from './key-rotation.ts'
export { type Keyring, newKeyEntry, newKeyring, parseKeyring } from './keyring.ts'
export { hashPassword, unmatchableHash, verifyPassword } from './password.ts'
