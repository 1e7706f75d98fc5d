// Rows next to your program's tables, opened with better-sqlite3 or node:sqlite.
import { UnavailableError } from '@plazo/core/internal'
import type { Rows } from './rows.ts'
import { type RunSql, sqlRows } from './sql-rows.ts'

/** What rows use of an open database. Both names say whether a transaction is open. */
export type SqliteDatabase = {
  exec(sql: string): unknown
  prepare(sql: string): { all(...values: unknown[]): unknown[]; run(...values: unknown[]): unknown }
} & ({ readonly inTransaction: boolean } | { readonly isTransaction: boolean })

/**
 * Rows in SQLite, by better-sqlite3 or `node:sqlite`. `within`: the rows inside a transaction that
 * your program has open. Its rollback also undoes what was written. Meanwhile the rows themselves are
 * neither read nor written, because a job that they gave out could not be undone. Nothing else in the
 * database is begun, ended or changed.
 */
export const sqliteRows = (db: SqliteDatabase): Rows & { readonly within: Rows } => {
  const isOpen = () => ('inTransaction' in db ? db.inTransaction : db.isTransaction)
  const transactionIn = (isWithin: boolean, begin: string, commit: string, undo: string) => {
    const message = `Your program has ${isWithin ? 'no' : 'a'} transaction open on the database.`
    return <A>(run: () => A): A => {
      if (isOpen() !== isWithin) throw new UnavailableError({ code: 'file_locked', message })
      db.exec(begin)
      try {
        const result = run()
        db.exec(commit)
        return result
      } catch (cause) {
        // If the disk was full, SQLite has already undone the whole transaction.
        if (isOpen()) db.exec(undo)
        throw cause
      }
    }
  }
  const run: RunSql = (sql, ...values) => {
    const statement = db.prepare(sql)
    if (sql.startsWith('select')) return statement.all(...values) as ReturnType<RunSql>
    statement.run(...values)
    return []
  }
  const transaction = transactionIn(false, 'begin immediate', 'commit', 'rollback')
  const [point, release] = ['savepoint plazo', 'release plazo']
  const savepoint = transactionIn(true, point, release, `rollback to plazo; ${release}`)
  const rows = { ...transaction(() => sqlRows(run)), transaction }
  return { ...rows, within: { ...rows, transaction: savepoint, isGuest: true } }
}
