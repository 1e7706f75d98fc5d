// Rows in the SQLite database of your program, next to your own tables: opened with better-sqlite3,
// with node:sqlite, or with Bun's bun:sqlite.
import { UnavailableError } from '@plazo/core/ports'
import type { OrderKeys, OrderRow, Rows } from './rows.ts'
import { type RunSql, sqlRows } from './sql-rows.ts'

/** What rows use of an open database. Both names say whether a transaction is open. */
export type SqliteDatabase = {
  exec(sql: string): unknown
  prepare(sql: string): {
    all(...values: (string | number)[]): unknown[]
    run(...values: (string | number)[]): unknown
  }
} & ({ readonly inTransaction: boolean } | { readonly isTransaction: boolean })

const refuse = (message: string): never => {
  throw new UnavailableError({ code: 'file_locked', message })
}

/**
 * `within`: the rows inside a transaction that your program has open. Its rollback also undoes what
 * was written. The rows themselves refuse to be read or written meanwhile, because a job that they
 * gave out could not be undone. Never begins, ends or changes anything else in the database.
 */
export const sqliteRows = <Row extends OrderKeys = OrderRow>(
  db: SqliteDatabase,
): Rows<Row> & { readonly within: Rows<Row> } => {
  const isOpen = () => ('inTransaction' in db ? db.inTransaction : db.isTransaction)
  const runBetween =
    (begin: string, commit: string, rollback: string, assertAllowed: () => void) =>
    <A>(run: () => A): A => {
      assertAllowed()
      db.exec(begin)
      try {
        const result = run()
        db.exec(commit)
        return result
      } catch (cause) {
        // SQLite has already undone all of it if the disk was full.
        if (isOpen()) db.exec(rollback)
        throw cause
      }
    }
  const begin = runBetween('begin immediate', 'commit', 'rollback', () => {
    if (isOpen()) refuse('Your program has a transaction open. End it, and try again.')
  })
  const undo = 'rollback to plazo; release plazo'
  const savepoint = runBetween('savepoint plazo', 'release plazo', undo, () => {
    if (!isOpen()) refuse('No transaction is open. Begin one before you call plazo within it.')
  })
  const run: RunSql = {
    read: (sql, ...values) => db.prepare(sql).all(...values) as ReturnType<RunSql['read']>,
    write: (sql, ...values) => void db.prepare(sql).run(...values),
  }
  const rows = begin(() => sqlRows<Row>(run))
  return { ...rows, transaction: begin, within: { ...rows, transaction: savepoint } }
}
