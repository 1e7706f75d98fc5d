// Records the statements that a store sends to its database, and runs each again to see which rows
// it reads, and how. So that a test can say what a call reads however large the tables are.
import type Sqlite from 'better-sqlite3'
import pg from 'pg'
import { vi } from 'vitest'
import { SETTINGS } from '../../packages/adapters/src/postgres/connection/connection.ts'
import type { Database } from '../../packages/adapters/src/sqlite/schema/database.ts'

/** What a call has read. */
type Reads = {
  readonly statements: number
  /** Rows and index entries, also those that a condition then left out. SQLite: 0. */
  readonly rows: number
  /** Tables that were read from their beginning, each with the statement. */
  readonly scans: readonly string[]
}

export type RecordReads = (call: () => Promise<unknown>) => Promise<Reads>

type Recorded = { readonly sql: string; readonly values: readonly unknown[] }

const TABLES = 'orders|outbox|attempts|journal|operator_tasks'
const SOURCE = new RegExp(`\\b(?:from|join) (${TABLES})\\b(?: (\\w+))?`, 'g')

/** SQLite does not count rows. It says which tables it would read from their beginning. */
export const recordSqliteReads =
  (db: Database): RecordReads =>
  async (call) => {
    const recorded: Recorded[] = []
    const prototype = Object.getPrototypeOf(db.prepare('select 1')) as Sqlite.Statement
    const spies = (['all', 'get'] as const).map((name) => {
      const original = prototype[name]
      return vi.spyOn(prototype, name).mockImplementation(function (
        this: Sqlite.Statement,
        ...values: unknown[]
      ) {
        recorded.push({ sql: this.source, values })
        return original.apply(this, values)
      } as typeof original)
    })
    try {
      await call()
    } finally {
      for (const spy of spies) spy.mockRestore()
    }
    const scans = recorded.flatMap(({ sql, values }) => {
      const names = [...sql.matchAll(SOURCE)].flatMap(([, table = '', alias]) => [table, alias])
      return db
        .prepare<unknown[], { readonly detail: string }>(`explain query plan ${sql}`)
        .all(...values)
        .filter(({ detail }) => names.some((name) => detail === `SCAN ${name}`))
        .map(({ detail }) => `${detail}: ${sql}`)
    })
    return { statements: recorded.length, rows: 0, scans }
  }

type Node = {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly 'Rows Removed by Filter'?: number
  readonly 'Rows Removed by Index Recheck'?: number
  readonly Plans?: readonly Node[]
}

const nodesOf = (node: Node): readonly Node[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)]

const rowsOf = (node: Node): number =>
  (node['Actual Rows'] +
    (node['Rows Removed by Filter'] ?? 0) +
    (node['Rows Removed by Index Recheck'] ?? 0)) *
  node['Actual Loops']

const literal = (value: unknown): string => {
  if (value === null || value === undefined) return 'null'
  if (!Array.isArray(value)) return pg.escapeLiteral(String(value))
  return pg.escapeLiteral(`{${value.map((each) => each ?? 'null').join(',')}}`)
}

/** `url`: the database of the store, in which the statements run again with plazo's settings. */
export const recordPostgresReads = async (
  url: string,
): Promise<{ readonly record: RecordReads; readonly close: () => Promise<void> }> => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(SETTINGS)
  const query = client.query.bind(client)

  // With the plan that the store's connections have: one for any values.
  const explain = async ({ sql, values }: Recorded): Promise<readonly Node[]> => {
    await query(`prepare recorded as ${sql}`)
    const parameters = values.length === 0 ? '' : `(${values.map(literal).join(', ')})`
    const { rows } = await query(
      `explain (analyze, timing off, format json) execute recorded${parameters}`,
    )
    await query('deallocate recorded')
    return nodesOf(rows[0]['QUERY PLAN'][0].Plan as Node)
  }

  const record: RecordReads = async (call) => {
    const recorded: Recorded[] = []
    const original = pg.Client.prototype.query
    const spy = vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (
      this: pg.Client,
      ...given: unknown[]
    ) {
      const [{ text, values }] = given as [{ text: string; values?: unknown[] }]
      if (values !== undefined) recorded.push({ sql: text, values })
      return (original as (...given: unknown[]) => unknown).apply(this, given)
    } as typeof original)
    try {
      await call()
    } finally {
      spy.mockRestore()
    }
    let rows = 0
    const scans: string[] = []
    for (const each of recorded)
      for (const node of await explain(each)) {
        const table = node['Relation Name']
        if (table === undefined) continue
        rows += rowsOf(node)
        if (node['Node Type'] === 'Seq Scan') scans.push(`${table}: ${each.sql}`)
      }
    return { statements: recorded.length, rows: Math.round(rows), scans }
  }
  return { record, close: () => client.end() }
}
