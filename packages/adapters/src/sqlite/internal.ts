// @plazo/adapters/internal/sqlite: what plazo's own programs use besides the public names of
// @plazo/adapters/sqlite. It may change with each version.

export type { KeyUsage } from '../encryption/master-keys.ts'
export type { KeyRotation } from '../sql/key-rotation.ts'
export type { SchemaInspection } from '../sql/schema-fingerprint.ts'
export type { Storage } from '../sql/storage.ts'
export type { LeaseHolder } from '../store/lease.ts'
export * from './encryption/master-keys.ts'
export * from './index.ts'
export * from './open-storage.ts'
export * from './queries/inspection.ts'
export * from './schema/backup.ts'
export * from './schema/database.ts'
export * from './wal/file-check.ts'
export * from './wal/write-ahead-log.ts'
