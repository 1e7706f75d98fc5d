// Each kind of rows keeps the contract of rows, and a store over rows keeps the store contract: open for
// many operations, opened again for every one, and encrypted.
import { DatabaseSync } from 'node:sqlite'
import {
  type EncryptedOrder,
  encryptedStoreOver,
  erasureOver,
  type OrderKeys,
  type OrderRow,
  type Rows,
  rowsCipher,
  sqliteRows,
  storeOver,
} from '@plazo/adapters/rows'
import { rowsContract } from '@plazo/adapters/rows/contracts'
import type { ShopperErasure } from '@plazo/core/ports'
import { capabilityContract, erasureContract, storeContract } from '@plazo/core/testing/contracts'
import { runner } from '@plazo/core/testing/vitest'
import Sqlite from 'better-sqlite3'
import { pathOfTest } from '../../harness/path-of-test.ts'
import { breakableRows, createJsonRows, MASTER_KEY, reopenedStore } from './fragile-rows.ts'

type OpenedDatabase<Row extends OrderKeys> = {
  readonly rows: Rows<Row>
  readonly close: () => void
}

/** Opens a new database. Each call of the function that it returns opens this one again. */
type CreateDatabase = <Row extends OrderKeys>() => () => OpenedDatabase<Row>

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

const JsonValue: CreateDatabase = <Row extends OrderKeys>() => {
  const rows = createJsonRows<Row>()
  return () => ({ rows, close: () => {} })
}

const DATABASES = {
  'a JSON value': JsonValue,
  'better-sqlite3': BetterSqlite3,
  'node:sqlite': NodeSqlite,
}

const cipher = await rowsCipher(MASTER_KEY)

type Open<Row extends OrderKeys> = (
  rows: Rows<Row>,
  realNow: () => number,
) => {
  readonly store: ReturnType<typeof storeOver>
  readonly erasure: ShopperErasure
}

const openPlain: Open<OrderRow> = (rows, realNow) => ({
  store: storeOver(rows, realNow),
  erasure: erasureOver(rows),
})

const openEncrypted: Open<EncryptedOrder> = (rows, realNow) =>
  encryptedStoreOver(rows, realNow, cipher)

const runContracts = <Row extends OrderKeys>(
  name: string,
  createDatabase: CreateDatabase,
  openStore: Open<Row>,
): void => {
  const open = async () => {
    let now = 1_000_000
    const openDatabase = createDatabase<Row>()
    const first = openDatabase()
    const opened = [first]
    const { rows, failAt } = breakableRows(first.rows)
    return {
      ...openStore(rows, () => now),
      advanceRealTime: (millis: number) => {
        now += millis
      },
      reopen: async () => {
        const database = openDatabase()
        opened.push(database)
        return openStore(database.rows, () => now).store
      },
      failAt,
      isSlow: true,
      close: async () => {
        for (const { close } of opened) close()
      },
    } as const
  }

  storeContract(runner, name, open, { isDurable: true })
  erasureContract(runner, name, open)
  capabilityContract(runner, name, 'arrivalOrder', open)
}

for (const [name, createDatabase] of Object.entries(DATABASES))
  rowsContract(runner, `the rows of ${name}`, async () => {
    const { rows, close } = createDatabase<OrderRow>()()
    return { rows, close: async () => close() }
  })

// A store knows of its database only the rows, and encryption nothing of the database below.
runContracts('a store over the rows of better-sqlite3', BetterSqlite3, openPlain)
runContracts('a store over the encrypted rows of a JSON value', JsonValue, openEncrypted)

storeContract(
  runner,
  'a store over the rows of a JSON value, opened for every operation,',
  async () => {
    let now = 1_000_000
    const openDatabase = JsonValue<OrderRow>()
    return {
      store: reopenedStore(() => {
        const { rows, close } = openDatabase()
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
