// Tells /readyz and the log of outages whether the database accepts the writes that orders need.
// Reads go on while a disk is full or a table is locked, so only writes can tell. Real writes are
// the evidence as long as there are any. Otherwise a probe decides, because a load balancer sends
// no requests to a server that is not ready. Docs: decisions/0021.
import type { Timers } from '../../system/clock-and-ids.ts'
import { isConflict, isRowError } from '../unavailable.ts'
import { type Connection, type Query, type Statement, statement } from './connection.ts'

/** If one of these succeeds, the database accepts writes. */
const WRITE_STATEMENTS: ReadonlySet<string> = new Set(['orders-place', 'orders-write'])
/**
 * A read, or a claim that finds nothing, proves nothing about writes. But if one of them fails, no
 * order can go on.
 */
const ORDER_STATEMENTS: ReadonlySet<string> = new Set([
  ...WRITE_STATEMENTS,
  'orders-read',
  'outbox-claim',
  'outbox-claim-good',
])
const PROBE_STATEMENTS: ReadonlySet<string> = new Set(['lock-probe', 'write-probe', 'now'])

/** True if orders, or the answer of /readyz, depend on the statement with this name. */
export const isOrderStatement = (name: string): boolean =>
  ORDER_STATEMENTS.has(name) || PROBE_STATEMENTS.has(name)

// In milliseconds. A failure this recent is enough evidence, so no probe is sent.
const RECENT_FAILURE_MILLIS = 2_000
// How long a success counts as evidence: normally, and while a statement takes longer than it
// should.
const SUCCESS_VALID_MILLIS = 10_000
const SUCCESS_VALID_WHILE_SLOW_MILLIS = 1_000
const SLOW_MILLIS = 1_000

// Every insert and update takes this lock. It waits only for a session that keeps all writers from
// the table.
const TABLES = [
  'orders',
  'snapshots',
  'placements',
  'data_keys',
  'held_references',
  'journal',
  'outbox',
  'attempts',
]
const LOCK_TABLES = `
  perform set_config('lock_timeout', '1000', true);
  lock table ${TABLES.map((table) => `plazo.${table}`).join(', ')} in row exclusive mode;`

/**
 * Sent while nothing has failed. It writes nothing, because an idle server's claims already write
 * every second.
 */
const LOCK_PROBE = statement('lock-probe')`do $$ begin ${LOCK_TABLES} end $$`

// Sent after a failure. It inserts an order, takes 1 MiB of new pages and undoes both. Then it
// flushes a commit. An insert alone proves nothing about a full disk, because it may fit into the
// space of deleted rows. With less than 1 MiB, an outage would end only for a moment. The probe
// still succeeds if this user may not create tables or write messages.
const UNDO = 'PZ001'
const WRITE_PROBE = statement('write-probe')`
  do $$
  begin
    ${LOCK_TABLES}
    begin
      insert into plazo.orders (order_ref, merchant_ref, revision, checkout, placed_at, changed_at)
        values (gen_random_uuid(), 'probe', 0, 'probe', 0, 0);
      begin
        execute format('create unlogged table plazo.write_probe_%s (n bigint)', pg_backend_pid());
        execute format('insert into plazo.write_probe_%s select generate_series(1, 29000)', pg_backend_pid());
      exception when others then
        if sqlstate ~ '^(25|53|55|57|58|XX)' then raise; end if;
      end;
      raise exception using errcode = '${UNDO}';
    exception when sqlstate '${UNDO}' then null;
    end;
    begin
      perform pg_logical_emit_message(true, 'plazo', 'probe');
    exception when insufficient_privilege or undefined_function then null;
    end;
  end $$`

export const writeHealth = (
  connection: Connection,
  { monotonicNow }: Pick<Timers, 'monotonicNow'>,
) => {
  /**
   * The last failure, until a later probe succeeds. Some writes succeed on a full disk, so they do
   * not end an outage.
   */
  let failedAt: number | null = null
  let succeededAt = Number.NEGATIVE_INFINITY
  let probing: Promise<boolean> | null = null
  const underway = new Set<{ readonly since: number }>()

  const query: Query = async <Row>(statement: Statement, ...values: readonly unknown[]) => {
    if (!ORDER_STATEMENTS.has(statement.name)) return connection.query<Row>(statement, ...values)
    const attempt = { since: monotonicNow() }
    underway.add(attempt)
    try {
      const rows = await connection.query<Row>(statement, ...values)
      if (WRITE_STATEMENTS.has(statement.name)) succeededAt = monotonicNow()
      return rows
    } catch (cause) {
      // A write that fails because of its own rows, or because of another server's write, is no
      // evidence about the database.
      if (!isRowError(cause) && !isConflict(cause)) failedAt = monotonicNow()
      throw cause
    } finally {
      underway.delete(attempt)
    }
  }

  const probe = async (): Promise<boolean> => {
    const probedAt = monotonicNow()
    try {
      await connection.query(failedAt === null ? LOCK_PROBE : WRITE_PROBE)
      succeededAt = monotonicNow()
      if (failedAt !== null && failedAt < probedAt) failedAt = null
    } catch {
      failedAt = monotonicNow()
    }
    probing = null
    return failedAt === null
  }

  return {
    /**
     * The given connection. It also records the outcome of every statement that orders depend on.
     */
    connection: { ...connection, query } satisfies Connection,
    /**
     * Sends no statement while writes succeed. Never rejects. May take as long as the database
     * takes to refuse a probe.
     */
    takesWrites: async (): Promise<boolean> => {
      const now = monotonicNow()
      if (failedAt !== null && now - failedAt < RECENT_FAILURE_MILLIS) return false
      const isSlow = [...underway].some(({ since }) => now - since > SLOW_MILLIS)
      if (
        failedAt === null &&
        now - succeededAt < (isSlow ? SUCCESS_VALID_WHILE_SLOW_MILLIS : SUCCESS_VALID_MILLIS)
      )
        return true
      // Concurrent callers share one probe.
      probing ??= probe()
      return probing
    },
  }
}
