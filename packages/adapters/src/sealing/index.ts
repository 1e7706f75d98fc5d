// @plazo/adapters/sealing: what is secret at rest: personal data, secrets, and passwords.
export type { KeyKeeping, KeyUse, Resealed } from './key-keeping.ts'
export { type Keyring, newKeyEntry, newKeyring, parseKeyring } from './keyring.ts'
export { hashPassword, verifyPassword } from './password.ts'
