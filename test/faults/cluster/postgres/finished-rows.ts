// Measures what statements read in a database with many finished deliveries, from PostgreSQL's own
// explain output. It counts pages and rows, never time, so that the result does not depend on the
// machine.
import pg from 'pg'
import {
  SETTINGS,
  type Statement,
} from '../../../../packages/adapters/src/postgres/connection/connection.ts'

type Node = {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Index Name'?: string
  readonly 'Index Cond'?: string
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly 'Rows Removed by Filter'?: number
  readonly 'Rows Removed by Index Recheck'?: number
  readonly 'Shared Hit Blocks': number
  readonly 'Shared Read Blocks': number
  readonly Plans?: readonly Node[]
}

const GROWING = new Set(['outbox', 'attempts', 'orders', 'data_keys'])

const nodesOf = (node: Node): readonly Node[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)]

const rowsOf = (node: Node): number =>
  (node['Actual Rows'] +
    (node['Rows Removed by Filter'] ?? 0) +
    (node['Rows Removed by Index Recheck'] ?? 0)) *
  node['Actual Loops']

const withClient = async <A>(url: string, run: (client: pg.Client) => Promise<A>): Promise<A> => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(SETTINGS)
  await client.query('set statement_timeout = 0')
  try {
    return await run(client)
  } finally {
    await client.end()
  }
}

/** The most rows that a read-only statement scans in any one place, and the pages that it reads. */
export const explainRead = (
  url: string,
  { text }: Statement,
  values: readonly unknown[],
): Promise<{ readonly rows: number; readonly pages: number }> =>
  withClient(url, async (client) => {
    const explain = async (): Promise<Node> => {
      const { rows } = await client.query(
        `explain (analyze, buffers, timing off, format json) ${text}`,
        [...values],
      )
      return rows[0]['QUERY PLAN'][0].Plan as Node
    }
    // The first run removes index entries of dead rows.
    await explain()
    const plan = await explain()
    return {
      rows: Math.max(...nodesOf(plan).map(rowsOf)),
      pages: plan['Shared Hit Blocks'] + plan['Shared Read Blocks'],
    }
  })

const OF_ORDERS = new Set([
  ...GROWING,
  'snapshots',
  'placements',
  'journal',
  'held_references',
  'operator_tasks',
])

/**
 * The tables of orders that a statement about few orders would scan completely, with a generic plan
 * made now.
 */
export const listTablesScanned = (url: string, { text }: Statement): Promise<readonly string[]> =>
  withClient(url, async (client) => {
    await client.query(`set plan_cache_mode = force_generic_plan; prepare planned as ${text}`)
    const values = [...new Set(text.match(/\$\d+/g))].map(() => 'null')
    const { rows } = await client.query(
      `explain (format json) execute planned (${values.join(', ')})`,
    )
    return nodesOf(rows[0]['QUERY PLAN'][0].Plan as Node)
      .filter((node) => node['Node Type'] !== 'ModifyTable' && node['Index Cond'] === undefined)
      .flatMap((node) => node['Relation Name'] ?? [])
      .filter((table) => OF_ORDERS.has(table))
  })

/**
 * Adds finished deliveries of the merchant. Each was tried once and delivered, and each has its own
 * order.
 */
export const addFinished = (url: string, merchantRef: string, count: number): Promise<void> =>
  withClient(url, async (client) => {
    await client.query(
      `with made as materialized (
         select gen_random_uuid() as order_ref from generate_series(1, $2::integer)),
       placed as (
         insert into plazo.orders (order_ref, merchant_ref, revision, checkout, placed_at, changed_at)
         select order_ref, $1, 2, 'confirmed', 0, 0 from made returning id),
       keys as (
         insert into plazo.data_keys (order_id, key_id, tag, ciphertext) select id, 'none', id, ''::bytea from placed),
       sent as (
         insert into plazo.outbox (
           order_id, n, revision, lane, queue, merchant, account, event, work, state, due_at, attempts, revoked, made_at)
         select id, 1, 2, 'action', 'event', $1, $1, 'identification_action', '{}'::bytea, 'pending', n, 1, false, n
         from (select id, row_number() over (order by id) as n from placed) p
         returning order_id)
       insert into plazo.attempts (order_id, job, n, cause, started_at, outcome)
       select order_id, 1, 1, 'schedule', 0, 'accepted' from sent`,
      [merchantRef, count],
    )
    // Each was due, as a real delivery is.
    await client.query(
      `update plazo.outbox set state = 'delivered' where work = '{}'::bytea and state = 'pending'`,
    )
  })

/** Does what autovacuum does in time. Until then an index still leads to dead rows. */
export const vacuum = (url: string): Promise<void> =>
  withClient(url, async (client) => {
    await client.query('vacuum analyze')
  })

/**
 * Makes the planner assume that the tables are empty, as after emptying them. It corrects this only
 * at the next vacuum.
 */
export const pretendEmpty = async (url: string): Promise<void> => {
  await addFinished(url, 'nobody', 5_000)
  await withClient(url, async (client) => {
    const last = [
      ['outbox', 'id'],
      ['orders', 'id'],
      ['attempts', 'order_id'],
      ['data_keys', 'tag'],
    ] as const
    // The last row keeps PostgreSQL from truncating the pages before it.
    for (const [table, number] of last)
      await client.query(
        `delete from plazo.${table} where ${number} < (select max(${number}) from plazo.${table})`,
      )
    await client.query('vacuum analyze')
    for (const [table] of last) await client.query(`delete from plazo.${table}`)
  })
}
