// The table of rows in a SQLite database of any kind, next to those of its host. A row is one JSON
// text. Only what it is found by is in columns, so that the rows need no migrations.
import type { OrderRow, Rows } from './rows.ts'

type SqlRow = Readonly<Record<string, unknown>>

/** Runs one statement in the host's database. Returns rows only for a `select`. */
export type RunSql = (sql: string, ...values: (string | number | null)[]) => readonly SqlRow[]

const SCHEMA = [
  'table if not exists plazo_orders (id integer primary key, ref text not null unique, held_by text, due_at integer, stuck integer not null, row text not null)',
  'index if not exists plazo_orders_held on plazo_orders (held_by)',
  'index if not exists plazo_orders_due on plazo_orders (due_at)',
  'index if not exists plazo_orders_stuck on plazo_orders (id) where stuck = 1',
]

// In a JSON text half of a surrogate pair is written as ASCII. SQLite itself would replace it.
const keyOf = (...parts: readonly (string | null)[]): string => JSON.stringify(parts)
const parseRow = ({ row }: SqlRow): OrderRow => JSON.parse(String(row))

/** Makes its table if it is missing. */
export const sqlRows = (run: RunSql): Omit<Rows, 'transaction'> => {
  for (const object of SCHEMA) run(`create ${object}`)
  const select = (condition: string, ...values: (string | number)[]): readonly OrderRow[] =>
    run(`select row from plazo_orders where ${condition} order by id`, ...values).map(parseRow)
  return {
    read: (by) => {
      if ('id' in by) return select('id = ?', by.id)[0]
      return 'ref' in by
        ? select('ref = ?', by.ref)[0]
        : select('held_by = ?', keyOf(by.merchantRef, by.reference))[0]
    },
    lastId: () => Number(run('select max(id) as id from plazo_orders')[0]?.id ?? 0),
    list: (which) => (which === 'stuck' ? select('stuck = 1') : select('due_at <= ?', which.until)),
    put: (row) => {
      const { id, ref, merchantRef, reference, dueAt, isStuck } = row
      const heldBy = reference === null ? null : keyOf(merchantRef, reference)
      const values = [id, ref, heldBy, dueAt, Number(isStuck), JSON.stringify(row)]
      run('insert or replace into plazo_orders values (?, ?, ?, ?, ?, ?)', ...values)
    },
  }
}
