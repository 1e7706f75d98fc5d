import { type Keyring, newKeyring } from '@plazo/adapters/internal/encryption'
import { openPostgres } from '@plazo/adapters/postgres'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { MIGRATIONS } from '../../../../packages/adapters/src/postgres/schema/migrations.ts'
import { queryPostgres } from '../../../harness/postgres.ts'
import { emptyDatabase, type FreshDatabase, KEYRING } from '../../../harness/postgres-storage.ts'

const AT_ONCE = 5

let database: FreshDatabase
beforeEach(async () => {
  database = await emptyDatabase()
})
afterEach(() => database.drop())

const query = (sql: string) => queryPostgres(database.url, sql)

/** Opens the database as several servers do that start at once. Resolves to how each went. */
const openAtOnce = async (...keyrings: readonly Keyring[]): Promise<readonly string[]> => {
  const opening = keyrings.map((keyring) => openPostgres(database.url, { keyring, connections: 2 }))
  const opened = await Promise.allSettled(opening)
  for (const each of opened) if (each.status === 'fulfilled') await each.value.close()
  return opened.map((each) => (each.status === 'fulfilled' ? 'opened' : String(each.reason)))
}

describe('an empty database', () => {
  it('is initialised once by several servers that start at once', async () => {
    const opened = await openAtOnce(...Array(AT_ONCE).fill(KEYRING))
    expect(opened).toEqual(Array(AT_ONCE).fill('opened'))
    expect(await query('select version from plazo.schema_version')).toEqual([
      { version: MIGRATIONS.length },
    ])
    expect(await query('select count(*)::integer as keys from plazo.master_keys')).toEqual([
      { keys: 1 },
    ])
  })

  it('cannot be used by a server with another master key', async () => {
    const opened = await openAtOnce(newKeyring(), newKeyring())
    expect(opened.filter((each) => each === 'opened')).toHaveLength(1)
    expect(opened.find((each) => each !== 'opened')).toMatch(/SECRET_KEY/)
  })
})

describe('a database without its last migration', () => {
  const ALL = MIGRATIONS.map(({ sql }) => sql).join(';')
  const RAISE = `update plazo.schema_version set version = ${MIGRATIONS.length}`

  beforeEach(() =>
    query(`
      create schema plazo;
      create table plazo.schema_version (only_one boolean primary key check (only_one), version integer not null);
      insert into plazo.schema_version values (true, 0)`),
  )

  it('makes a server wait while another one migrates it, for as long as that takes', async () => {
    const migrating = new pg.Client({ connectionString: database.url })
    await migrating.connect()
    await migrating.query(`begin; select pg_advisory_xact_lock(hashtext('plazo.schema_version'))`)
    const opening = openPostgres(database.url, { keyring: KEYRING, silenceTimeout: 300 })
    const atTheDoor = `select from pg_locks where locktype = 'advisory' and not granted`
    while ((await query(atTheDoor)).length === 0)
      await new Promise((resolve) => setImmediate(resolve))
    // The migration stays silent for several times as long as the database may otherwise take to
    // answer.
    await migrating.query('select pg_sleep(1.5)')
    await migrating.query(`${ALL}; ${RAISE}; commit`)
    await (await opening).close()
    await migrating.end()
    expect(await query('select version from plazo.schema_version')).toEqual([
      { version: MIGRATIONS.length },
    ])
  })
})

describe('a database of a later plazo', () => {
  it('is refused and left unchanged', async () => {
    await (await openPostgres(database.url, { keyring: KEYRING })).close()
    const later = MIGRATIONS.length + 7
    await query(`update plazo.schema_version set version = ${later}`)
    await expect(openPostgres(database.url, { keyring: KEYRING })).rejects.toThrow(
      `The database has version ${later}; this plazo supports versions up to ${MIGRATIONS.length}. Use the version of plazo that wrote it, or a later one.`,
    )
    expect(await query('select version from plazo.schema_version')).toEqual([{ version: later }])
  })
})
