// A PostgreSQL database as a doctor sees it: read, and changed in nothing; not even brought up to date.
import { messageOf } from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import { openConnection, type Statement } from './connection.ts'
import { versionOf } from './migrate.ts'
import { MIGRATIONS } from './migrations.ts'

export type Inspection = {
  /** PostgreSQL's own. */
  readonly serverVersion: string
  /** The last migration applied, null where none ever was, and the last one there is. */
  readonly version: number | null
  readonly latest: number
  /** Of what a commit needs to outlast a crash: the settings that are off. */
  readonly off: readonly string[]
  /** It is a standby, or was made to refuse writes. */
  readonly isReadOnly: boolean
  readonly connections: { readonly used: number; readonly most: number }
  /** Its own time, and this computer's at that instant; epoch milliseconds. */
  readonly now: number
  readonly realNow: number
}

const DURABLE = ['fsync', 'full_page_writes', 'synchronous_commit'] as const

type Row = { readonly [setting in (typeof DURABLE)[number]]: string } & {
  readonly server_version: string
  readonly is_read_only: string
  readonly used: number
  readonly most: number
  readonly now: number
}

const STATE: Statement = {
  name: 'inspection',
  text: `
    select ${['server_version', ...DURABLE].map((name) => `current_setting('${name}') as ${name}`).join(', ')},
      current_setting('transaction_read_only') as is_read_only,
      (select count(*)::integer from pg_stat_activity where backend_type = 'client backend') as used,
      current_setting('max_connections')::integer - current_setting('superuser_reserved_connections')::integer
        - coalesce(current_setting('reserved_connections', true), '0')::integer as most,
      (extract(epoch from clock_timestamp()) * 1000)::double precision as now`,
}

/** Left: why it cannot be looked at. */
export const inspectPostgres = async (
  url: string,
  realNow: () => number = Date.now,
): Promise<E.Either<string, Inspection>> => {
  const connection = openConnection(url, { connections: 1 })
  try {
    const version = await versionOf(connection)
    const sent = realNow()
    const [row] = await connection.query<Row>(STATE)
    if (row === undefined) return E.left('it says nothing of itself')
    return E.right({
      serverVersion: row.server_version,
      version,
      latest: MIGRATIONS.length,
      off: DURABLE.filter((name) => row[name] === 'off'),
      isReadOnly: row.is_read_only === 'on',
      connections: { used: row.used, most: row.most },
      now: row.now,
      realNow: (sent + realNow()) / 2,
    })
  } catch (cause) {
    return E.left(messageOf(cause))
  } finally {
    await connection.close()
  }
}
