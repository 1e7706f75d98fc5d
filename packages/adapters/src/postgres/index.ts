export { type OpenPostgresOptions, openPostgres, type PostgresHome } from './open-postgres.ts'
