export type { Home } from '../rows/home.ts'
export { isAway } from './away.ts'
export { type Inspection as PostgresInspection, inspectPostgres } from './inspection.ts'
export { type OpenPostgresOptions, openPostgres } from './open-postgres.ts'
