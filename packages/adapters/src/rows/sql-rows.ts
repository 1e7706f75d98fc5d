// The tables of rows in a SQLite database of any kind, next to those of its host. A row is one JSON
// text. Only the keys by which it is found are columns, so that the rows need no migrations.
import type { JobRow, OrderKeys, Rows } from './rows.ts'

type SqlRow = Readonly<Record<string, unknown>>

/** Runs one statement in the host's database. Returns rows only for a `select`. */
export type RunSql = (sql: string, ...values: (string | number)[]) => readonly SqlRow[]

const SCHEMA = [
  'table if not exists plazo_orders (ref text primary key, held_by text, row text not null)',
  'index if not exists plazo_references on plazo_orders (held_by)',
  'table if not exists plazo_jobs (id integer primary key autoincrement, ref text, row text)',
  'index if not exists plazo_jobs_of_order on plazo_jobs (ref)',
]

// In a JSON text half of a surrogate pair is written as ASCII. SQLite itself would replace it.
const keyOf = (...parts: readonly (string | null)[]): string => JSON.stringify(parts)
const parseRow = <A>({ row }: SqlRow): A => JSON.parse(String(row))

/** Makes its tables if they are missing. */
export const sqlRows = <Row extends OrderKeys>(run: RunSql): Omit<Rows<Row>, 'transaction'> => {
  for (const object of SCHEMA) run(`create ${object}`)
  return {
    order: (orderRef) =>
      run('select row from plazo_orders where ref = ?', orderRef).map(parseRow<Row>)[0],
    orderHolding: (...holder) => {
      const [row] = run('select ref from plazo_orders where held_by = ?', keyOf(...holder))
      return row && String(row.ref)
    },
    putOrder: (row) => {
      const values = [row.orderRef, keyOf(row.merchantRef, row.reference), JSON.stringify(row)]
      run('insert or replace into plazo_orders values (?, ?, ?)', ...values)
    },
    jobs: (orderRef) =>
      (orderRef === undefined
        ? run('select id, row from plazo_jobs order by id')
        : run('select id, row from plazo_jobs where ref = ? order by id', orderRef)
      ).map((row) => ({ ...parseRow<Omit<JobRow, 'id'>>(row), id: Number(row.id) })),
    addJob: (job) =>
      void run('insert into plazo_jobs values (null, ?, ?)', job.orderRef, JSON.stringify(job)),
    putJob: (job) =>
      void run('update plazo_jobs set row = ? where id = ?', JSON.stringify(job), job.id),
    dropJob: ({ id }) => void run('delete from plazo_jobs where id = ?', id),
  }
}
