// @plazo/adapters/postgres: stores everything in one PostgreSQL database that any number of processes share.
export type { Storage } from '../rows/home.ts'
export { isReadOnly, isUnreachable } from './away.ts'
export { type Inspection as PostgresInspection, inspectPostgres } from './inspection.ts'
export { type OpenPostgresOptions, openPostgres } from './open-postgres.ts'
