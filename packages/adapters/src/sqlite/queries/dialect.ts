// Runs the statements that both SQL stores share.
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Dialect } from '../../sql/dialect.ts'
import type { Database } from '../schema/database.ts'
import { sqliteUnavailable } from '../unavailable.ts'

export const sqliteDialect = (db: Database): Dialect => ({
  schema: '',
  query: async (write) => {
    const values: unknown[] = []
    const sql = write((value) => {
      values.push(value)
      return '?'
    })
    return db.prepare<unknown[], never>(sql).all(...values)
  },
  orUnavailable: (run) => TE.tryCatch(run, sqliteUnavailable),
  toOrderRef: (text) => text,
})
