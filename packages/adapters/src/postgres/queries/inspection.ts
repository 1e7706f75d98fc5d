// Inspects a PostgreSQL database for the doctor command. It only reads, and does not even apply
// migrations.
import { errorMessage } from '@plazo/core/internal'
import * as E from 'fp-ts/lib/Either.js'
import type { SchemaInspection } from '../../sql/schema-fingerprint.ts'
import { openConnection, statement } from '../connection/connection.ts'
import { readSchema } from '../schema/migrate.ts'

/** What `inspectPostgres` has read of a database, for `plazo doctor`. */
export type Inspection = {
  /** The version of PostgreSQL. */
  readonly serverVersion: string
  /** Null: the database has no table of plazo. */
  readonly schema: SchemaInspection | null
  /** The settings that are off although a commit needs them to survive a crash. */
  readonly off: readonly string[]
  /** True if the database is a standby or is configured to refuse writes. */
  readonly isReadOnly: boolean
  readonly connections: { readonly used: number; readonly most: number }
}

const STATE = statement('inspection')`
  select current_setting('server_version') as "serverVersion",
    array(select name from pg_settings
      where name in ('fsync', 'full_page_writes') and setting = 'off') as off,
    current_setting('transaction_read_only') = 'on' as "isReadOnly",
    json_build_object(
      'used', (select count(*) from pg_stat_activity where backend_type = 'client backend'),
      'most', current_setting('max_connections')::integer - current_setting('superuser_reserved_connections')::integer
        - coalesce(current_setting('reserved_connections', true), '0')::integer) as connections`

/**
 * Reads the state of a database, and changes nothing. Left: why the database cannot be inspected.
 */
export const inspectPostgres = async (url: string): Promise<E.Either<string, Inspection>> => {
  const connection = openConnection(url, { connections: 1 })
  try {
    const [row] = await connection.query<Omit<Inspection, 'schema'>>(STATE)
    if (row === undefined) return E.left('it does not report its state')
    return E.right({ ...row, schema: await readSchema(connection.query) })
  } catch (cause) {
    return E.left(errorMessage(cause))
  } finally {
    await connection.close()
  }
}
