// Each kind of rows keeps the contract of rows, and a store over them keeps the store contract: open
// for many operations, and opened again for every one.
import { DatabaseSync } from 'node:sqlite'
import { type OrderRow, type Rows, sqliteRows, storeOver } from '@plazo/adapters/rows'
import { rowsContract } from '@plazo/adapters/rows/contracts'
import { capabilityContract, type OpenedStore, storeContract } from '@plazo/core/testing/contracts'
import { runner } from '@plazo/core/testing/vitest'
import Sqlite from 'better-sqlite3'
import { describe } from 'vitest'
import { pathOfTest } from '../../harness/path-of-test.ts'
import { breakableRows, createJsonRows, reopenedStore } from './fragile-rows.ts'

type OpenedDatabase = { readonly rows: Rows; readonly close: () => void }

/** Opens a new database. Each call of the function that it returns opens this one again. */
type CreateDatabase = () => () => OpenedDatabase

const BetterSqlite3: CreateDatabase = () => {
  const path = pathOfTest('rows.db')
  return () => {
    const database = new Sqlite(path)
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
  const rows = createJsonRows<OrderRow>()
  return () => ({ rows, close: () => {} })
}

const DATABASES = {
  'a JSON value': JsonValue,
  'better-sqlite3': BetterSqlite3,
  'node:sqlite': NodeSqlite,
}

for (const [name, createDatabase] of Object.entries(DATABASES))
  describe(name, () => {
    rowsContract(runner, `the rows of ${name}`, async () => {
      const { rows, close } = createDatabase()()
      return { rows, close: async () => close() }
    })

    const openStore = async (): Promise<OpenedStore> => {
      let now = 1_000_000
      const open = createDatabase()
      const first = open()
      const opened = [first]
      const { rows, failAt } = breakableRows(first.rows)
      return {
        store: storeOver(rows, () => now),
        advanceRealTime: (millis) => {
          now += millis
        },
        reopen: async () => {
          const again = open()
          opened.push(again)
          return storeOver(again.rows, () => now)
        },
        failAt,
        isSlow: true,
        close: async () => {
          for (const { close } of opened) close()
        },
      }
    }

    storeContract(runner, `a store over the rows of ${name}`, openStore, { isDurable: true })
    if (name !== 'a JSON value')
      capabilityContract(runner, `a store over the rows of ${name}`, 'fairness', openStore)

    storeContract(
      runner,
      `a store over the rows of ${name}, opened for every operation,`,
      async () => {
        let now = 1_000_000
        const open = createDatabase()
        return {
          store: reopenedStore(() => {
            const { rows, close } = open()
            return { store: storeOver(rows, () => now), close }
          }),
          advanceRealTime: (millis) => {
            now += millis
          },
          isSlow: true,
          close: async () => {},
        }
      },
    )
  })
