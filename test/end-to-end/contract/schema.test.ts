// The version of a database promises its tables. Neither store trusts the number alone: two
// versions of plazo have given the same number to different tables.
import { readFileSync } from 'node:fs'
import { openSqlite } from '@plazo/adapters/sqlite'
import { aRecord } from '@plazo/core/testing/contracts'
import Sqlite from 'better-sqlite3'
import pg from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openConnection } from '../../../packages/adapters/src/postgres/connection/connection.ts'
import {
  migrate,
  readSchema as readPostgresSchema,
} from '../../../packages/adapters/src/postgres/schema/migrate.ts'
import { MIGRATIONS as POSTGRES } from '../../../packages/adapters/src/postgres/schema/migrations.ts'
import {
  openDatabase,
  readSchema as readSqliteSchema,
} from '../../../packages/adapters/src/sqlite/schema/database.ts'
import { MIGRATIONS as SQLITE } from '../../../packages/adapters/src/sqlite/schema/migrations.ts'
import { pathOfTest } from '../../harness/path-of-test.ts'
import { queryPostgres } from '../../harness/postgres.ts'
import { emptyDatabase } from '../../harness/postgres-storage.ts'
import { waitUntil } from '../../harness/time.ts'

const emptyPostgres = async (): Promise<string> => {
  const database = await emptyDatabase()
  onTestFinished(database.drop)
  return database.url
}

/**
 * A database to which only the first `count` migrations were applied, as an earlier version leaves
 * it.
 */
const sqliteAt = (count: number): string => {
  const path = pathOfTest('plazo.db')
  const db = new Sqlite(path)
  for (const { sql } of SQLITE.slice(0, count)) db.exec(sql)
  db.pragma(`user_version = ${count}`)
  db.close()
  return path
}

const postgresAt = async (count: number): Promise<string> => {
  const url = await emptyPostgres()
  await queryPostgres(
    url,
    `create schema plazo;
     create table plazo.schema_version (only_one boolean primary key check (only_one), version integer not null);
     insert into plazo.schema_version values (true, ${count});
     ${POSTGRES.slice(0, count)
       .map(({ sql }) => sql)
       .join(';')}`,
  )
  return url
}

const changeSqlite = (path: string, sql: string): void => {
  const db = new Sqlite(path)
  db.exec(sql)
  db.close()
}

describe('the fingerprint of each migration', () => {
  it('is that of the tables that SQLite then has', () => {
    const fingerprints = SQLITE.map((_, n) => {
      const db = new Sqlite(sqliteAt(n + 1))
      const { fingerprint } = readSqliteSchema(db)
      db.close()
      return fingerprint
    })
    expect(fingerprints).toEqual(SQLITE.map(({ fingerprint }) => fingerprint))
  })

  it('is that of the tables that PostgreSQL then has', async () => {
    const fingerprints = await Promise.all(
      POSTGRES.map(async (_, n) => {
        const connection = openConnection(await postgresAt(n + 1))
        const schema = await readPostgresSchema(connection.query)
        await connection.close()
        return schema?.fingerprint
      }),
    )
    expect(fingerprints).toEqual(POSTGRES.map(({ fingerprint }) => fingerprint))
  })
})

// The name that the table of an older baseline had, under the same version.
const RENAME = 'alter table operator_tasks rename to waiting'
const OTHER_TABLES =
  /The database has version 1, but its tables are not those of this plazo’s version 1: their fingerprint is [0-9a-f]{16} instead of [0-9a-f]{16}\. Another plazo wrote it, probably an older one\./
const OTHER_NUMBERS =
  /The database has version \d+ but no fingerprint: an older plazo wrote it, which numbered its versions differently\. Of today’s versions, this plazo supports versions up to \d+\./
const CHANGED = /their fingerprint is \w+ instead of \w+\. Another program has changed them\./

describe('a SQLite database', () => {
  it('of another plazo is refused and left unchanged', () => {
    const path = sqliteAt(1)
    changeSqlite(path, RENAME)
    const before = readFileSync(path)
    expect(() => openSqlite(path)).toThrow(OTHER_TABLES)
    expect(readFileSync(path)).toEqual(before)
  })

  it('of an older plazo with a higher number is not said to be later', () => {
    const path = sqliteAt(1)
    changeSqlite(path, `pragma user_version = ${SQLITE.length + 1}`)
    expect(() => openSqlite(path)).toThrow(OTHER_NUMBERS)
  })

  it('that another program has changed is refused, but more indexes and tables are not a change', async () => {
    const path = pathOfTest('plazo.db')
    await openSqlite(path).close()
    changeSqlite(
      path,
      'create index by_hand on orders (merchant_ref); create table notes (text text)',
    )
    await openSqlite(path).close()
    changeSqlite(path, RENAME)
    expect(() => openSqlite(path)).toThrow(CHANGED)
  })

  it('is opened by each further thread of its server, even if a later plazo has migrated it meanwhile', async () => {
    const path = pathOfTest('plazo.db')
    const home = openSqlite(path, { threadAfterJobs: 0 })
    changeSqlite(path, 'pragma user_version = 999')
    expect(() => openDatabase(path)).toThrow('version 999')
    expect(await home.records.add(aRecord())()).toMatchObject({ _tag: 'Right' })
    await home.close()
  })
})

describe('a PostgreSQL database', () => {
  it.each([
    [
      'with a table of another name',
      'alter table plazo.operator_tasks rename to waiting',
      OTHER_TABLES,
    ],
    [
      'with a higher number',
      `update plazo.schema_version set version = ${POSTGRES.length + 1}`,
      OTHER_NUMBERS,
    ],
  ])('of another plazo, %s, is refused before anything is changed', async (_, sql, sentence) => {
    const url = await postgresAt(1)
    await queryPostgres(url, sql)
    const [before] = await queryPostgres(url, 'select * from plazo.schema_version')
    await expect(migrate(url)).rejects.toThrow(sentence)
    await expect(migrate(url)).rejects.toThrow(
      'Use the plazo that wrote it, or give this one a new database.',
    )
    expect(await queryPostgres(url, 'select * from plazo.schema_version')).toEqual([before])
  })

  it('that a backup reads is migrated once the backup ends, and keeps no other reader waiting until then', async () => {
    const url = await postgresAt(1)
    const backup = new pg.Client({ connectionString: url })
    await backup.connect()
    await backup.query('begin; lock table plazo.schema_version in access share mode')
    const migrated = migrate(url)
    await waitUntil(async () => {
      const locks = await queryPostgres(url, 'select 1 from pg_locks where not granted')
      return locks.length > 0
    })
    expect(await queryPostgres(url, 'select version from plazo.schema_version')).toEqual([
      { version: 1 },
    ])
    await backup.query('commit')
    await migrated
    await backup.end()
    expect(await queryPostgres(url, 'select version from plazo.schema_version')).toEqual([
      { version: POSTGRES.length },
    ])
  })
})
