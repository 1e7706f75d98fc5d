// SQLite, as the modules see it that have one text for both databases.
import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Dialect, WriteText } from '../../sql/dialect.ts'
import type { Sealer } from '../../store/seal.ts'
import type { Committer } from '../commit.ts'
import { assertOutsideTransaction, type Database } from '../schema/database.ts'
import { sqliteUnavailable } from '../unavailable.ts'
import type { Statement } from '../writer/writer.ts'
import { isInPage } from './journal.ts'

const statementOf = (write: WriteText): Statement => {
  const values: unknown[] = []
  const text = write((value) => {
    values.push(value)
    return '?'
  })
  return { text, values }
}

export const sqliteDialect = (db: Database, sealer: Sealer, committer: Committer): Dialect => {
  const prepared = new Map<string, ReturnType<Database['prepare']>>()

  const prepare = (text: string, name: string | undefined) => {
    const statement = (name && prepared.get(name)) || db.prepare<unknown[]>(text)
    if (name) prepared.set(name, statement)
    return statement
  }

  const run = <Row>(write: WriteText, name?: string): readonly Row[] => {
    const { text, values } = statementOf(write)
    const statement = prepare(text, name)
    // As in `ask`.
    if (statement.reader) return statement.all(...values) as readonly Row[]
    statement.run(...values)
    return []
  }

  return {
    schema: '',
    query: async (write, name) => run(write, name),
    write: async <Row>(statements: readonly WriteText[]) => {
      assertOutsideTransaction(db)
      // As in `ask`.
      return (await committer.run(statements.map(statementOf))) as readonly Row[]
    },
    transaction: (start) => async () => {
      try {
        assertOutsideTransaction(db)
        const runAll = db.transaction(() => {
          const statements = start()
          let next = statements.next()
          while (!next.done) next = statements.next(run(next.value))
          return next.value
        })
        return runAll.immediate()
      } catch (cause) {
        return E.left(sqliteUnavailable(cause))
      }
    },
    orUnavailable: (ask) => TE.tryCatch(ask, sqliteUnavailable),
    toOrderRef: (text) => text,
    orderRefOf: (text) => text,
    jsonElements: 'json_each',
    bytesOf: (hex) => `unhex(${hex})`,
    isInPage,
    cursor: 'j.id',
    // SQLite does not search an index for a pair that ends with the primary key.
    isInIndex: ({ column, value }, below, oldest, bind) =>
      `o.${column} = ${bind(value)} and o.id < ${below()} and o.id >= ${oldest()}`,
    // Only one transaction writes at a time.
    lockTable: () => 'select 1',
    forUpdate: '',
    takeTurn: 'true',
    sealer,
  }
}
