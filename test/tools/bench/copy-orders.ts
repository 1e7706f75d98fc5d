// Creates a great number of orders quickly: a server makes some complete ones, and SQL copies their
// rows under new uuids. A copy cannot be decrypted, because its data key belongs to another order.
// It only has to exist.
import { execFileSync } from 'node:child_process'
import pg from 'pg'
import { openDatabase } from '../../../packages/adapters/src/sqlite/schema/database.ts'
import { queryPostgres } from '../../harness/postgres.ts'
import { plazoHost, watchOrders } from './orders.ts'
import { waitUntilDrained } from './plazo.ts'
import type { Running } from './processes.ts'

const WARM = 500
const TIMES = { measured: 0, eventCount: 100, openMax: 50 }

/**
 * SQLite's rows are numbered: copy k of an order has a number that is higher by k times the highest
 * one.
 */
const copyInSqlite = (path: string, target: number): void => {
  const db = openDatabase(path)
  const one = (sql: string): number => Number(db.prepare(sql).pluck().get())
  db.pragma('synchronous = OFF')
  db.pragma('cache_size = -4194304')
  const seeds = one('select count(*) from orders')
  const orderStep = one('select max(id) from orders')
  const entryStep = one('select coalesce(max(id), 0) from outbox')
  const lineStep = one('select max(id) from journal')
  const newUuid =
    "lower(hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4' || substr(hex(randomblob(2)), 2) || '-a' || substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6)))"
  const expressionFor = (table: string, column: string): string => {
    if (column === 'order_ref') return newUuid
    if (column === 'order_id' || (table === 'orders' && column === 'id'))
      return `${column} + $k * ${orderStep}`
    if (column === 'last_line' || column === 'previous' || (table === 'journal' && column === 'id'))
      return `${column} + $k * ${lineStep}`
    if (column === 'delivery_id' || (table === 'outbox' && column === 'id'))
      return `${column} + $k * ${entryStep}`
    return column
  }
  const columnsOf = (table: string): readonly string[] =>
    db.prepare<[], string>(`select name from pragma_table_info('${table}')`).pluck().all()
  const tables = db
    .prepare<[], string>(`select name from sqlite_master where type = 'table'`)
    .pluck()
    .all()
  const copies = tables
    .filter((table) => !table.startsWith('sqlite_') && table !== 'records')
    .map((table) => ({ table, columns: columnsOf(table) }))
    .filter(
      ({ table, columns }) =>
        table === 'orders' || columns.some((name) => /^(order|delivery)_id$/.test(name)),
    )
    .map(({ table, columns }) => {
      db.exec(`create temp table seed_${table} as select * from ${table}`)
      const expressions = columns.map((column) => expressionFor(table, column))
      return db.prepare(
        `insert into ${table} (${columns.join(', ')}) select ${expressions.join(', ')} from temp.seed_${table}`,
      )
    })
  const copyAll = db.transaction((k: number) => {
    for (const copy of copies) copy.run({ k })
  })
  for (let k = 1; (k + 1) * seeds <= target + seeds - 1; k++) copyAll(k)
  db.exec('analyze')
  db.pragma('wal_checkpoint(truncate)')
  db.close()
}

const TOGETHER = 20_000

/**
 * PostgreSQL's rows are numbered by order: copies of an order have numbers that are higher by
 * multiples of the highest one. A job keeps its number, because it stands together with the order's.
 */
const copyInPostgres = async (url: string, target: number): Promise<void> => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const rowsOf = async (sql: string): Promise<readonly Record<string, string>[]> =>
    (await client.query(sql)).rows
  await client.query('set synchronous_commit = off')
  const [seed] = await rowsOf('select count(*) as seeds, max(id) as step from plazo.orders')
  const [seeds, step] = [Number(seed?.seeds), Number(seed?.step)]
  const rows = await rowsOf(
    `select table_name as name, string_agg(column_name, ',' order by ordinal_position) as columns
     from information_schema.columns where table_schema = 'plazo' group by table_name`,
  )
  const tables = rows.filter(
    ({ name = '', columns = '' }) =>
      name === 'orders' ||
      (columns.split(',').includes('order_id') && name !== 'records' && name !== 'held_references'),
  )
  for (const { name } of tables)
    await client.query(`create temp table seed_${name} as select * from plazo.${name}`)
  const expressionFor = (table: string | undefined, column: string): string => {
    if (column === 'order_ref') return 'gen_random_uuid()'
    return column === 'order_id' || (table === 'orders' && column === 'id')
      ? `${column} + k * ${step}`
      : column
  }
  const each = Math.max(1, Math.floor(TOGETHER / seeds))
  const copiesMax = Math.ceil(target / seeds) - 1
  for (let first = 1; first <= copiesMax; first += each) {
    await client.query('begin')
    for (const { name, columns = '' } of tables)
      await client.query(
        `insert into plazo.${name} (${columns}) overriding system value
         select ${columns.split(',').map((column) => expressionFor(name, column))}
         from seed_${name}, generate_series(${first}, ${Math.min(copiesMax, first + each - 1)}) k`,
      )
    await client.query('commit')
  }
  await client.query(`select setval('plazo.orders_id_seq', max(id)) from plazo.orders`)
  await client.query('vacuum analyze')
  await client.query('checkpoint')
  await client.end()
}

/** 0 in a database that is still empty. */
export const countIn = async (
  url: string,
  rows: 'orders' | `outbox where ${string}`,
): Promise<number> => {
  if (url.startsWith('sqlite:')) {
    const db = openDatabase(url.slice('sqlite:'.length))
    const tables = Number(
      db.prepare(`select count(*) from sqlite_master where name = 'orders'`).pluck().get(),
    )
    const count =
      tables === 0 ? 0 : Number(db.prepare(`select count(*) from ${rows}`).pluck().get())
    db.close()
    return count
  }
  const [schema] = await queryPostgres(
    url,
    `select to_regclass('plazo.orders') is not null as is_there`,
  )
  const [counted] = schema?.is_there
    ? await queryPostgres(url, `select count(*) as n from plazo.${rows}`)
    : []
  return Number(counted?.n ?? 0)
}

/** Adds finished orders with all their data until there are at least this many. */
export const fillWithOrders = async (
  url: string,
  target: number,
  sink: Running,
  folder: string,
): Promise<void> => {
  const count = await countIn(url, 'orders')
  if (count >= target) return
  if (count === 0) {
    const host = await plazoHost([url], sink)
    try {
      await watchOrders(host, folder, WARM, {
        ...TIMES,
        eventCount: Math.min(TIMES.eventCount, target),
      })
      // Pending jobs would be copied too.
      for (const port of host.ports) await waitUntilDrained(port)
    } finally {
      await host.stop()
    }
  }
  if (url.startsWith('sqlite:')) copyInSqlite(url.slice('sqlite:'.length), target)
  else await copyInPostgres(url, target)
  // Otherwise the next measurement would wait until these gigabytes are flushed.
  execFileSync('sync')
}
