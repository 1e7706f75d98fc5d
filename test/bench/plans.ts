// Counts table scans: it checks the plans of all statements that a store runs during an operation.

import pg from 'pg'
import { openDatabase } from '../../packages/adapters/src/sqlite/schema/database.ts'
import { type OpenedStore, openStoreAt } from './open-store.ts'

type Act = (home: OpenedStore) => Promise<void>

// These hold one row.
const COUNTS = new Set(['key_changes', 'merchant_changes'])

const NAMED = /(?:with(?:\s+recursive)?|,)\s*(\w+)\s*(?:\([^()]*\))?\s+as\s+(?:not\s+)?(?:materialized\s+)?\(/gi

const sqliteScans = async (url: string, act: Act): Promise<number> => {
  const database = openDatabase(url.slice('sqlite:'.length))
  const prepare = database.prepare.bind(database)
  const ran = new Set<string>()
  let isWatching = false
  const watchStatement = (sql: string) => {
    const statement = prepare(sql)
    for (const verb of ['run', 'get', 'all', 'iterate'] as const) {
      const act = statement[verb].bind(statement) as (...given: unknown[]) => unknown
      Object.assign(statement, {
        [verb]: (...given: unknown[]) => {
          if (isWatching) ran.add(sql)
          return act(...given)
        },
      })
    }
    return statement
  }
  const home = await openStoreAt(url, Object.assign(database, { prepare: watchStatement }))
  try {
    isWatching = true
    await act(home)
    isWatching = false
    // A scan of a partial index is allowed: it contains only the rows that are needed.
    const partial = new Set(
      prepare<[], string>(`select name from sqlite_master where type = 'index' and sql like '%where%'`).pluck().all(),
    )
    const isScan = (detail: string, own: ReadonlySet<string>): boolean => {
      const [, what = '', index] = /^SCAN (\w+)(?: USING (?:COVERING )?INDEX (\w+))?/.exec(detail) ?? []
      return (
        what !== '' &&
        what !== 'CONSTANT' &&
        !COUNTS.has(what) &&
        !own.has(what) &&
        !(index !== undefined && partial.has(index))
      )
    }
    return [...ran].flatMap((sql) => {
      const own = new Set([...sql.matchAll(NAMED)].map(([, name = '']) => name))
      const nothing = Array<null>(sql.split('?').length - 1).fill(null)
      const plan = prepare<unknown[], { readonly detail: string }>(`explain query plan ${sql}`).all(...nothing)
      return plan.filter(({ detail }) => isScan(detail, own))
    }).length
  } finally {
    await home.close()
  }
}

type Plan = { readonly 'Node Type': string; readonly 'Relation Name'?: string; readonly Plans?: readonly Plan[] }
type Query = { readonly text: string; readonly values?: readonly unknown[] }

// The other tables have a few rows.
const GROWING = new Set(['orders', 'snapshots', 'placements', 'journal', 'outbox', 'attempts', 'data_keys'])

const scansIn = (plan: Plan): number =>
  (plan['Node Type'] === 'Seq Scan' && GROWING.has(plan['Relation Name'] ?? '') ? 1 : 0) +
  (plan.Plans ?? []).reduce((sum, inner) => sum + scansIn(inner), 0)

const postgresScans = async (url: string, act: Act, isSmall: boolean): Promise<number> => {
  const ran = new Map<string, Query>()
  const prototype = pg.Client.prototype as { query: (...given: unknown[]) => unknown }
  const { query } = prototype
  const home = await openStoreAt(url)
  prototype.query = function (this: unknown, ...given: unknown[]) {
    const [first, values] = given
    const asked = (typeof first === 'string' ? { text: first, values } : first) as Query
    if (/^\s*(with|select|insert|update|delete)/i.test(asked.text ?? '')) ran.set(asked.text, asked)
    return query.apply(this, given)
  }
  try {
    await act(home)
  } finally {
    prototype.query = query
    await home.close()
  }
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  // With few rows the planner prefers a scan, even if there is an index.
  if (isSmall) await client.query('set enable_seqscan = off')
  let scans = 0
  for (const { text, values = [] } of ran.values()) {
    const { rows } = await client.query(`explain (format json) ${text}`, [...values])
    scans += scansIn((rows[0]['QUERY PLAN'] as readonly { readonly Plan: Plan }[])[0]?.Plan ?? { 'Node Type': '' })
  }
  await client.end()
  return scans
}

/** `isSmall`: the tables have only few rows. */
export const scansOf = (url: string, act: Act, isSmall: boolean): Promise<number> =>
  url.startsWith('sqlite:') ? sqliteScans(url, act) : postgresScans(url, act, isSmall)
