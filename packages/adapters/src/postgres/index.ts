// @plazo/adapters/postgres: one PostgreSQL database stores all of plazo's data, so that any number of
// processes share it.
//
// ```ts
// import { parseKeyring } from '@plazo/adapters/encryption'
// import { openPostgres } from '@plazo/adapters/postgres'
//
// const keyring = parseKeyring(process.env.SECRET_KEY)
// if (keyring._tag === 'Left') throw new Error(`SECRET_KEY is ${keyring.left}.`)
// const url = process.env.DATABASE_URL ?? 'postgres://localhost/plazo'
// const storage = await openPostgres(url, { keyring: keyring.right })
// console.log(await storage.store.takesWrites())
// await storage.close()
// ```

export type { KeyUsage } from '../encryption/master-keys.ts'
export type { KeyRotation } from '../sql/key-rotation.ts'
export type { SchemaInspection } from '../sql/schema-fingerprint.ts'
export type { Storage } from '../sql/storage.ts'
export type { LeaseHolder } from '../store/lease.ts'
export type { ClientWithin } from './connection/connection.ts'
export { type OpenPostgresOptions, openPostgres, type PostgresStorage } from './open-storage.ts'
export { type Inspection as PostgresInspection, inspectPostgres } from './queries/inspection.ts'
export { isReadOnly, isUnreachable, postgresUnavailable } from './unavailable.ts'
