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
  /** Rows and index entries, also those that a condition then left out. */
  readonly rows: number
  /** Tables that were read from their beginning, each with the statement. */
  readonly scans: readonly string[]
}

export type RecordReads = (call: () => Promise<unknown>) => Promise<Reads>

type Recorded = { readonly sql: string; readonly values: readonly unknown[] }

const TABLES = 'orders|outbox|attempts|journal|operator_tasks|endpoints'

// Tables without a rowid. They are an index themselves, so reading them in its sequence is no scan.
const KEYS: Readonly<Record<string, string>> = { endpoints: 'merchant' }

const TABLE = `(${TABLES})`
const ALIAS = '(?:(?! (?:where|order|limit|indexed|join|on|group|union)\\b)( \\w+))?'
const SOURCE = new RegExp(
  `\\bfrom ${TABLE}\\b${ALIAS}(?: join ${TABLE} (\\w+) on)?(\\s+indexed by \\w+)?(\\s+where\\b)?`,
  'g',
)

/**
 * The statement with a function that is called for each row that an index or a table leads to. As the
 * first condition, it is called before another one leaves the row out.
 */
const withCounter = (sql: string): string =>
  sql
    .replaceAll(SOURCE, (_, table, alias = '', joined, other, hint = '', where) => {
      const count = `count_row(${alias.trim() || table}.${KEYS[table] ?? 'rowid'})`
      return joined === undefined
        ? `from ${table}${alias}${hint} where ${count}${where === undefined ? '' : ' and'}`
        : `from ${table}${alias} join ${joined} ${other} on ${count} and count_row(${other}.rowid) and`
    })
    .replaceAll(/ t\s+join orders o on /g, ' t join orders o on count_row(o.rowid) and ')

export const recordSqliteReads = (db: Database): RecordReads => {
  let rows = 0
  db.function('count_row', { deterministic: false }, (_key: unknown) => {
    rows += 1
    return 1
  })
  return async (call) => {
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
    rows = 0
    for (const { sql, values } of recorded) db.prepare(withCounter(sql)).all(...values)
    const scans = recorded.flatMap(({ sql, values }) => {
      const names = [...sql.matchAll(SOURCE)].flatMap(([, table = '', alias = table]) =>
        table in KEYS ? [] : [alias.trim()],
      )
      return db
        .prepare<unknown[], { readonly detail: string }>(`explain query plan ${sql}`)
        .all(...values)
        .filter(({ detail }) => names.some((name) => detail === `SCAN ${name}`))
        .map(({ detail }) => `${detail}: ${sql}`)
    })
    return { statements: recorded.length, rows, scans }
  }
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
  return pg.escapeLiteral(Array.isArray(value) ? `{${value.join(',')}}` : String(value))
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
