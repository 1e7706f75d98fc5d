export { isAway } from './away.ts'
export { type Inspection as PostgresInspection, inspectPostgres } from './inspection.ts'
export { type OpenPostgresOptions, openPostgres, type PostgresHome } from './open-postgres.ts'
