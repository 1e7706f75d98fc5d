// @plazo/adapters/postgres: stores everything in one PostgreSQL database that any number of processes share.
export type { SchemaInspection } from '../sql/schema-fingerprint.ts'
export type { Storage } from '../sql/storage.ts'
export { type OpenPostgresOptions, openPostgres } from './open-storage.ts'
export { type Inspection as PostgresInspection, inspectPostgres } from './queries/inspection.ts'
export { isReadOnly, isUnreachable, postgresUnavailable } from './unavailable.ts'
