// Tells /readyz and the log of outages whether the database accepts the writes that orders need.
// Reads go on while a disk is full or a table is locked, so only writes can tell. A failed write
// counts until another one succeeds. That one is a probe, because a load balancer sends no requests
// to a server that is not ready.
import { isConflict, isRowError } from '../unavailable.ts'
import { type Connection, type Query, type Statement, statement } from './connection.ts'

const ORDER_STATEMENTS: ReadonlySet<string> = new Set([
  'orders-write',
  'orders-read',
  'jobs-work',
  'jobs-due',
  'jobs-due-of',
  'lease-holder',
  'lock-probe',
  'write-probe',
  'now',
  'notify',
])

/** True if orders, or the answer of /readyz, depend on the statement with this name. */
export const isOrderStatement = (name: string): boolean => ORDER_STATEMENTS.has(name)

// Every insert and update takes this lock. It waits only for a session that keeps all writers from
// the table. A standby would give it too, but reports that it is read-only.
const LOCK_TABLES = `
  if current_setting('transaction_read_only') = 'on' then
    raise exception using errcode = '25006';
  end if;
  perform set_config('lock_timeout', '1000', true);
  lock table plazo.orders, plazo.snapshots, plazo.placements, plazo.data_keys, plazo.held_references,
    plazo.journal, plazo.outbox, plazo.attempts in row exclusive mode;`

/** Sent while nothing has failed. It writes nothing. */
const LOCK_PROBE = statement('lock-probe')`do $$ begin ${LOCK_TABLES} end $$`

// Sent after a failure. It inserts an order of more than 1 MiB, undoes it, and flushes a commit. A
// small order proves nothing about a full disk, because it may fit into the space of deleted rows.
const WRITE_PROBE = statement('write-probe')`
  do $$ begin ${LOCK_TABLES}
    insert into plazo.orders (order_ref, merchant_ref, revision, checkout, placed_at, changed_at)
      select gen_random_uuid(), 'probe', 0, string_agg(md5(n::text), ''), 0, 0 from generate_series(1, 80000) n;
    raise exception using errcode = 'PZ001';
  exception when sqlstate 'PZ001' then null;
  end $$`

export const writeHealth = (connection: Connection) => {
  let hasFailed = false
  let probing: Promise<boolean> | null = null

  const query: Query = async <Row>(statement: Statement, ...values: readonly unknown[]) => {
    try {
      return await connection.query<Row>(statement, ...values)
    } catch (cause) {
      // A write that fails because of its own rows, or because of another server's write, is no
      // evidence about the database.
      if (isOrderStatement(statement.name) && !isRowError(cause) && !isConflict(cause))
        hasFailed = true
      throw cause
    }
  }

  const probe = async (): Promise<boolean> => {
    const statement = hasFailed ? WRITE_PROBE : LOCK_PROBE
    hasFailed = false
    try {
      await query(statement)
    } catch {
      hasFailed = true
    }
    probing = null
    return !hasFailed
  }

  return {
    /** The given connection. It also notes each failure of a statement that orders depend on. */
    connection: { ...connection, query } satisfies Connection,
    /** Never rejects. Concurrent callers share one probe. */
    takesWrites: (): Promise<boolean> => {
      probing ??= probe()
      return probing
    },
  }
}
