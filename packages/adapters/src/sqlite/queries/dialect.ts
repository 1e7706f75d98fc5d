// SQLite, as the modules see it that have one text for both databases.
import { UnavailableError } from '@plazo/core/ports'
import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Dialect, WriteText } from '../../sql/dialect.ts'
import type { DataKeys } from '../encryption/data-keys.ts'
import { assertOutsideTransaction, type Database } from '../schema/database.ts'
import { runOrUnavailable, sqliteUnavailable } from '../unavailable.ts'
import type { RunCommand } from '../writer/commands.ts'
import { isInPage } from './journal.ts'

const statementOf = (write: WriteText) => {
  const values: unknown[] = []
  const text = write((value) => {
    values.push(value)
    return '?'
  })
  return { text, values }
}

export const sqliteDialect = (
  db: Database,
  runCommand: RunCommand,
  dataKeys: DataKeys,
): Dialect => {
  const run = <Row>(write: WriteText): readonly Row[] => {
    const { text, values } = statementOf(write)
    const statement = db.prepare<unknown[], Row>(text)
    if (statement.reader) return statement.all(...values)
    statement.run(...values)
    return []
  }

  return {
    schema: '',
    query: async (write) => run(write),
    write: async <Row>(statements: readonly WriteText[]) => {
      const rows = await runCommand('write', statements.map(statementOf))()
      if (E.isLeft(rows)) throw new UnavailableError(rows.left)
      // As in `ask`.
      return rows.right as readonly Row[]
    },
    transaction: (start) =>
      runOrUnavailable(() => {
        assertOutsideTransaction(db)
        const runAll = db.transaction(() => {
          const statements = start()
          let next = statements.next()
          while (!next.done) next = statements.next(run(next.value))
          return next.value
        })
        return runAll.immediate()
      }),
    orUnavailable: (ask) => TE.tryCatch(ask, sqliteUnavailable),
    toOrderRef: (text) => text,
    orderRefOf: (text) => text,
    jsonElements: 'json_each',
    bytesOf: (hex) => `unhex(${hex})`,
    jobKey: (id) => id,
    isInPage,
    // Only one transaction writes at a time.
    lockTable: () => 'select 1',
    forUpdate: '',
    takeTurn: 'true',
    cipher: dataKeys.cipher,
    cachedKey: () => undefined,
    keyOf: (_orderRef, { order_id }) => dataKeys.currentKey(order_id),
    decrypt: (_orderRef, { order_id }, aad, blob) => dataKeys.decrypt(order_id, aad, blob),
  }
}
