// The tables of rows in a SQLite database of any kind, next to those of its host. A row is one JSON
// text. Only the keys by which it is found are columns, so that the rows need no migrations.
import type { JobRow, OrderKeys, Rows } from './rows.ts'

type SqlRow = Readonly<Record<string, unknown>>

/** Runs one statement in the host's database. Rows may have columns that are not read. */
export type RunSql = {
  readonly read: (sql: string, ...values: readonly (string | number)[]) => readonly SqlRow[]
  readonly write: (sql: string, ...values: readonly (string | number)[]) => void
}

const SCHEMA = [
  'table if not exists plazo_orders (ref text primary key, held_by text, row text not null)',
  'index if not exists plazo_references on plazo_orders (held_by)',
  'table if not exists plazo_jobs (id integer primary key autoincrement, ref text, row text not null)',
  'index if not exists plazo_jobs_of_order on plazo_jobs (ref)',
  'table if not exists plazo_good (endpoint text primary key, is_good integer not null)',
]

// In a JSON text half of a surrogate pair is written as ASCII. SQLite itself would replace it.
const keyOf = (...parts: readonly (string | null)[]): string => JSON.stringify(parts)

/** Makes its tables if they are missing. */
export const sqlRows = <Row extends OrderKeys>(run: RunSql): Omit<Rows<Row>, 'transaction'> => {
  for (const object of SCHEMA) run.write(`create ${object}`)
  const order = (column: string, key: string): Row | undefined =>
    run.read(`select row from plazo_orders where ${column} = ?`, key).map(parseRow<Row>)[0]
  return {
    order: (orderRef) => order('ref', orderRef),
    orderHolding: (merchantRef, reference) => order('held_by', keyOf(merchantRef, reference)),
    putOrder: (row) => {
      const holder = keyOf(row.merchantRef, row.reference)
      const sql = 'insert or replace into plazo_orders values (?, ?, ?)'
      run.write(sql, row.orderRef, holder, JSON.stringify(row))
    },
    jobs: (orderRef) =>
      (orderRef === undefined
        ? run.read('select id, row from plazo_jobs order by id')
        : run.read('select id, row from plazo_jobs where ref = ? order by id', orderRef)
      ).map((each) => ({ ...parseRow<Omit<JobRow, 'id'>>(each), id: Number(each.id) })),
    addJob: (job) =>
      run.write(
        'insert into plazo_jobs (ref, row) values (?, ?)',
        job.orderRef,
        JSON.stringify(job),
      ),
    putJob: (job) =>
      run.write('update plazo_jobs set row = ? where id = ?', JSON.stringify(job), job.id),
    dropJob: ({ id }) => run.write('delete from plazo_jobs where id = ?', id),
    isGood: (...endpoint) =>
      run.read('select 1 from plazo_good where endpoint = ? and is_good = 1', keyOf(...endpoint))
        .length > 0,
    noteGood: (merchantRef, kind, isGood) =>
      run.write(
        'insert or replace into plazo_good values (?, ?)',
        keyOf(merchantRef, kind),
        Number(isGood),
      ),
  }
}

const parseRow = <A>({ row }: SqlRow): A => JSON.parse(String(row))
