// Measures what a claim reads in a database with many finished deliveries, from PostgreSQL's own
// explain output. It counts pages and rows, never time, so that the result does not depend on the
// machine.
import pg from 'pg'
import {
  SETTINGS,
  type Statement,
} from '../../../../packages/adapters/src/postgres/connection/connection.ts'
import { CLAIM, CLAIM_GOOD } from '../../../../packages/adapters/src/postgres/sql/claim-jobs.sql.ts'

export type ClaimPlan = {
  /** Pages read, from memory or from disk. */
  readonly pages: number
  /**
   * For the tables that grow: how they were accessed, and the most rows that one access scanned.
   */
  readonly accesses: readonly string[]
  readonly rows: number
  readonly claimCount: number
}

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

type ClaimCapacity = {
  readonly deliveries: number
  readonly notGood: number
  readonly work: number
  readonly perAccount: number
}

const CAPACITY: ClaimCapacity = {
  deliveries: 64,
  notGood: 64,
  work: 64,
  perAccount: 4,
}

/**
 * The effect of a claim at this instant; it is rolled back. `mode` is PostgreSQL's plan_cache_mode.
 */
export const explainClaim = (
  url: string,
  at: number,
  mode: 'force_custom_plan' | 'force_generic_plan',
  { deliveries, notGood, work, perAccount }: ClaimCapacity = CAPACITY,
): Promise<ClaimPlan> =>
  withClient(url, async (client) => {
    await client.query(
      `set plan_cache_mode = ${mode}; prepare claim as ${(notGood > 0 ? CLAIM : CLAIM_GOOD).text}`,
    )
    const now = Date.now()
    const explain = async (): Promise<Node> => {
      await client.query('begin')
      const { rows } = await client.query(
        `explain (analyze, buffers, timing off, format json) execute claim (${at - now}, ${now}, 60000, ${deliveries}, ${notGood}, ${work}, ${perAccount}, 'explained', null)`,
      )
      await client.query('rollback')
      return rows[0]['QUERY PLAN'][0].Plan as Node
    }
    // The first run removes index entries of dead rows.
    await explain()
    const plan = await explain()
    const scans = nodesOf(plan).filter(
      (node) => GROWING.has(node['Relation Name'] ?? '') && node['Node Type'] !== 'ModifyTable',
    )
    return {
      pages: plan['Shared Hit Blocks'] + plan['Shared Read Blocks'],
      accesses: [
        ...new Set(
          scans.map(
            (node) => `${node['Node Type']}${node['Index Name'] ? ` ${node['Index Name']}` : ''}`,
          ),
        ),
      ],
      rows: Math.max(0, ...scans.map(rowsOf)),
      claimCount: plan['Actual Rows'],
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
         insert into plazo.outbox (order_id, revision, lane, queue, merchant, event, work, state, due_at, attempts, made_at)
         select id, 2, 'action', 'event', $1, 'identification_action', '{}'::bytea, 'pending', n, 1, n
         from (select id, row_number() over (order by id) as n from placed) p
         returning order_id, id)
       insert into plazo.attempts (order_id, delivery_id, n, cause, started_at, outcome)
       select order_id, id, 1, 'schedule', 0, 'accepted' from sent`,
      [merchantRef, count],
    )
    // Each takes the same state changes as a real delivery.
    await client.query(
      `update plazo.outbox set state = 'claimed', token = 'x', lease_until = 0 where work = '{}'::bytea and state = 'pending'`,
    )
    await client.query(
      `update plazo.outbox set state = 'delivered', token = null, lease_until = null where token = 'x'`,
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
      ['attempts', 'delivery_id'],
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
