// @plazo/adapters/encryption: protects personal data, secrets and passwords at rest.
//
// ```ts
// import { hashPassword, newKeyEntry, parseKeyring, verifyPassword } from '@plazo/adapters/encryption'
//
// const hash = await hashPassword('correct horse')
// console.log(await verifyPassword('correct horse', hash)) // true
// console.log(parseKeyring(`${newKeyEntry()},${newKeyEntry()}`)._tag) // Right: two master keys
// ```

export { type Keyring, newKeyEntry, newKeyring, parseKeyring } from './keyring.ts'
export { hashPassword, unmatchableHash, verifyPassword } from './password.ts'
