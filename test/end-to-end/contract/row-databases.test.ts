// Each kind of rows keeps the contract of a base: open for many operations, opened again for every one,
// and encrypted. The store above them is the one of stores.test.ts.
import { DatabaseSync } from 'node:sqlite'
import { type Rows, rowsCipher, sqliteRows, storeOver } from '@plazo/adapters/rows'
import { baseContract, erasureContract } from '@plazo/core/testing/contracts'
import { runner } from '@plazo/core/testing/vitest'
import Sqlite from 'better-sqlite3'
import { pathOfTest } from '../../harness/path-of-test.ts'
import { breakableRows, createJsonRows, MASTER_KEY, reopenedStore } from './fragile-rows.ts'

type OpenedDatabase = { readonly rows: Rows; readonly close: () => void }

/** Opens a new database. Each call of the function that it returns opens this one again. */
type CreateDatabase = () => () => OpenedDatabase

// TypeScript 5.9 finds this type of statement too.
type SqliteIn59 = Omit<Sqlite.Database, 'prepare'> & {
  prepare(sql: string): Sqlite.Statement<[object]>
}

const BetterSqlite3: CreateDatabase = () => {
  const path = pathOfTest('rows.db')
  return () => {
    const database = new Sqlite(path) as SqliteIn59
    database.pragma('synchronous = off')
    return { rows: sqliteRows(database), close: () => void database.close() }
  }
}

const NodeSqlite: CreateDatabase = () => {
  const path = pathOfTest('rows.db')
  return () => {
    const database = new DatabaseSync(path)
    database.exec('pragma synchronous = off')
    return { rows: sqliteRows(database), close: () => database.close() }
  }
}

const JsonValue: CreateDatabase = () => {
  const rows = createJsonRows()
  return () => ({ rows, close: () => {} })
}

const cipher = await rowsCipher(MASTER_KEY)

const runContracts = (
  name: string,
  createDatabase: CreateDatabase,
  given?: typeof cipher,
): void => {
  const open = async () => {
    const openDatabase = createDatabase()
    const first = openDatabase()
    const opened = [first]
    const { rows, failAt } = breakableRows(first.rows)
    return {
      ...storeOver(rows, given),
      reopen: async () => {
        const database = openDatabase()
        opened.push(database)
        return storeOver(database.rows, given).store
      },
      failAt,
      isSlow: true,
      close: async () => {
        for (const { close } of opened) close()
      },
    } as const
  }

  baseContract(runner, name, open, { isDurable: true })
  if (given !== undefined) erasureContract(runner, name, open)
}

// A store knows of its database only the rows, and encryption nothing of the database below.
runContracts('a store over the rows of better-sqlite3', BetterSqlite3)
runContracts('a store over the rows of node:sqlite', NodeSqlite)
runContracts('a store over the encrypted rows of a JSON value', JsonValue, cipher)

baseContract(
  runner,
  'a store over the rows of a JSON value, opened for every operation,',
  async () => ({ store: reopenedStore(createJsonRows()), isSlow: true, close: async () => {} }),
)
