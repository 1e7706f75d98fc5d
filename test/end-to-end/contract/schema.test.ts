// The version of a database promises its tables. Neither store trusts the number alone: two
// versions of plazo may give the same number to different tables.
import { readFileSync } from 'node:fs'
import { openSqlite } from '@plazo/adapters/sqlite'
import { aRecord } from '@plazo/core/internal/testing'
import Sqlite from 'better-sqlite3'
import pg from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openConnection } from '../../../packages/adapters/src/postgres/connection/connection.ts'
import {
  migrate as migratePostgres,
  readSchema as readPostgresSchema,
} from '../../../packages/adapters/src/postgres/schema/migrate.ts'
import { MIGRATIONS as POSTGRES } from '../../../packages/adapters/src/postgres/schema/migrations.ts'
import type { Migration } from '../../../packages/adapters/src/sql/schema-fingerprint.ts'
import { openDatabase } from '../../../packages/adapters/src/sqlite/schema/database.ts'
import {
  migrate as migrateSqlite,
  readSchema as readSqliteSchema,
} from '../../../packages/adapters/src/sqlite/schema/migrate.ts'
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

const changeSqlite = (path: string, sql: string): void => {
  const db = new Sqlite(path)
  db.exec(sql)
  db.close()
}

const newSqlite = async (): Promise<string> => {
  const path = pathOfTest('plazo.db')
  await openSqlite(path).close()
  return path
}

const readPostgres = async (url: string, migrations: readonly Migration[]) => {
  const connection = openConnection(url)
  const schema = await readPostgresSchema(connection.query, migrations)
  await connection.close()
  return schema
}

describe('the fingerprint of the last migration', () => {
  it('is that of the tables that SQLite then has', () => {
    const db = new Sqlite(':memory:')
    migrateSqlite(db)
    expect(readSqliteSchema(db).fingerprint).toBe(SQLITE.at(-1)?.fingerprint)
    db.close()
  })

  it('is that of the tables that PostgreSQL then has', async () => {
    const url = await emptyPostgres()
    await migratePostgres(url)
    expect((await readPostgres(url, POSTGRES))?.fingerprint).toBe(POSTGRES.at(-1)?.fingerprint)
  })
})

const RENAME = 'rename to waiting'
const OTHER_TABLES =
  /The database has version \d+, but its tables are not those of this plazo’s version \d+: their fingerprint is [0-9a-f]{16} instead of [0-9a-f]{16}\. Another program or another plazo has changed them\./

describe('a SQLite database', () => {
  it('gets the migrations that it lacks, once, and keeps its rows', async () => {
    const path = await newSqlite()
    const db = new Sqlite(path)
    const next = { fingerprint: '', sql: 'alter table key_changes add column note text' }
    migrateSqlite(db, [...SQLITE, next])
    const { version, fingerprint } = readSqliteSchema(db, [...SQLITE, next])
    expect(version).toBe(SQLITE.length + 1)
    expect(() => migrateSqlite(db, [...SQLITE, { ...next, fingerprint }])).not.toThrow()
    expect(db.prepare('select note from key_changes').pluck().all()).toEqual([null])
    db.close()
    expect(() => openSqlite(path)).toThrow(
      `The database has version ${version}; this plazo supports versions up to ${SQLITE.length}.`,
    )
  })

  it('with a table of another name is refused and left unchanged', async () => {
    const path = await newSqlite()
    // A table more is no difference.
    changeSqlite(path, 'create table notes (text text)')
    await openSqlite(path).close()
    changeSqlite(path, `alter table operator_tasks ${RENAME}`)
    const before = readFileSync(path)
    expect(() => openSqlite(path)).toThrow(OTHER_TABLES)
    expect(readFileSync(path)).toEqual(before)
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
  const next = { fingerprint: '', sql: 'alter table plazo.key_changes add column note text' }
  const versionOf = async (url: string): Promise<unknown> =>
    (await queryPostgres(url, 'select version from plazo.schema_version'))[0]?.version

  it('gets the migrations that it lacks, once, and keeps its rows', async () => {
    const url = await emptyPostgres()
    await migratePostgres(url)
    await migratePostgres(url, {}, [...POSTGRES, next])
    const schema = await readPostgres(url, [...POSTGRES, next])
    expect(schema?.version).toBe(POSTGRES.length + 1)
    const fingerprint = schema?.fingerprint ?? ''
    await migratePostgres(url, {}, [...POSTGRES, { ...next, fingerprint }])
    expect(await queryPostgres(url, 'select note from plazo.key_changes')).toEqual([{ note: null }])
  })

  it('with a table of another name is refused before anything is changed', async () => {
    const url = await emptyPostgres()
    await migratePostgres(url)
    await queryPostgres(url, `alter table plazo.operator_tasks ${RENAME}`)
    await expect(migratePostgres(url, {}, [...POSTGRES, next])).rejects.toThrow(OTHER_TABLES)
    expect(await versionOf(url)).toBe(POSTGRES.length)
  })

  it('that a backup reads is migrated once the backup ends, and keeps no other reader waiting until then', async () => {
    const url = await emptyPostgres()
    await migratePostgres(url)
    const backup = new pg.Client({ connectionString: url })
    await backup.connect()
    await backup.query('begin; lock table plazo.key_changes in access share mode')
    const migrated = migratePostgres(url, {}, [...POSTGRES, next])
    await waitUntil(async () => {
      const locks = await queryPostgres(url, 'select 1 from pg_locks where not granted')
      return locks.length > 0
    })
    expect(
      await queryPostgres(url, 'select count(*)::integer as n from plazo.key_changes'),
    ).toEqual([{ n: 1 }])
    await backup.query('commit')
    await migrated
    await backup.end()
    expect(await versionOf(url)).toBe(POSTGRES.length + 1)
  })
})
