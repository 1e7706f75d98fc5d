// @plazo/adapters/encryption: the master keys that protect data at rest, and the hashes of passwords.
//
// ```ts
// import { hashPassword, parseKeyring } from '@plazo/adapters/encryption'
//
// console.log(await hashPassword('correct horse')) // the `passwordHash` of a merchant
// console.log(parseKeyring(process.env.SECRET_KEY)) // Left: what is wrong with it
// ```

export { parseKeyring } from './keyring.ts'
export { hashPassword } from './password.ts'
