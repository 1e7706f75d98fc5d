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
 * PostgreSQL's rows are keyed only by the order's uuid: each table is joined with the uuids of the
 * copies.
 */
const copyInPostgres = async (url: string, target: number): Promise<void> => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const rowsOf = async (sql: string): Promise<readonly Record<string, string>[]> =>
    (await client.query(sql)).rows
  await client.query('set synchronous_commit = off')
  await client.query('create temp table seeds as select order_ref from plazo.orders')
  const seeds = Number((await rowsOf('select count(*) as n from seeds'))[0]?.n)
  const rows = await rowsOf(
    `select table_name as name, string_agg(column_name, ',' order by ordinal_position) as columns,
       string_agg(case when is_identity = 'YES' then column_name end, ',') as numbered
     from information_schema.columns where table_schema = 'plazo' group by table_name`,
  )
  const tables = rows.filter(
    ({ name = '', columns = '' }) =>
      columns.split(',').includes('order_ref') && name !== 'records' && name !== 'held_references',
  )
  for (const { name } of tables)
    await client.query(`create temp table seed_${name} as select * from plazo.${name}`)
  const each = Math.max(1, Math.floor(TOGETHER / seeds))
  for (let count = seeds; count < target; count += each * seeds) {
    const copies = Math.min(each, Math.ceil((target - count) / seeds))
    await client.query('begin')
    await client.query(
      `create temp table copies on commit drop as
       select order_ref as seed, gen_random_uuid() as copy from seeds cross join generate_series(1, ${copies})`,
    )
    for (const { name, columns = '', numbered } of tables) {
      // An order gets a new number. A job keeps its number, together with its order's uuid, because
      // its attempts refer to it.
      const columnsToCopy = columns
        .split(',')
        .filter((column) => name === 'outbox' || column !== numbered)
      const values = columnsToCopy.map((column) =>
        column === 'order_ref' ? 'copy' : `t.${column}`,
      )
      await client.query(
        `insert into plazo.${name} (${columnsToCopy.join(', ')}) overriding system value
         select ${values.join(', ')} from seed_${name} t join copies on t.order_ref = seed`,
      )
    }
    await client.query('commit')
  }
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
