// A database that answers reads and refuses writes, because its disk is full or a table is locked. A
// load balancer must notice it, the log must report it once, and the server recovers by itself.
// Contract §7.
import { statSync } from 'node:fs'
import { newKeyEntry } from '@plazo/adapters/internal/encryption'
import { openSqlite } from '@plazo/adapters/sqlite'
import { serve } from '@plazo/server'
import Sqlite from 'better-sqlite3'
import pg from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { composeInMode, configFrom } from '../harness/config.ts'
import { pathOfTest } from '../harness/path-of-test.ts'
import { freshDatabase } from '../harness/postgres-storage.ts'
import { basic, DEMO, orderBody } from '../harness/shop.ts'
import { waitUntil } from '../harness/time.ts'

// Fails like PostgreSQL when a table cannot grow. All other writes succeed.
const FILL_DISK = `
  create function plazo.no_space() returns trigger language plpgsql as $$
    begin raise exception 'could not extend file: No space left on device' using errcode = '53100'; end $$;
  create trigger no_space before insert on plazo.orders for each row execute function plazo.no_space()`
const FREE_DISK =
  'drop trigger if exists no_space on plazo.orders; drop function if exists plazo.no_space'

const KEY = newKeyEntry()

const servingAt = async (url: string, hooks: Parameters<typeof serve>[2] = {}) => {
  const config = configFrom({ DATABASE_URL: url, SECRET_KEY: KEY, PORT: '0' })
  const events: string[] = []
  const serving = await serve(config, (event) => void events.push(event), {
    ...hooks,
    compose: composeInMode,
  })
  const headers = {
    authorization: basic(DEMO.username, DEMO.password),
    'content-type': 'application/json',
  }
  const body = JSON.stringify(orderBody({}, serving.baseUrl))
  return {
    stop: serving.stop,
    place: async () =>
      (await fetch(`${serving.baseUrl}/orders`, { method: 'POST', headers, body })).status,
    ready: async () => (await fetch(`${serving.baseUrl}/readyz`)).status,
    outages: () => events.filter((event) => /^(un)?available$/.test(event)),
  }
}

const onSqlite = async () => {
  let isFull = false
  const server = await servingAt(`sqlite:${pathOfTest('plazo.db')}`, {
    onCommit: (moment) => {
      if (isFull && moment === 'before')
        throw new Sqlite.SqliteError('database or disk is full', 'SQLITE_FULL')
    },
  })
  onTestFinished(() => server.stop())
  const setFull = async (next: boolean): Promise<void> => {
    isFull = next
  }
  return { server, setFull }
}

const onPostgres = async () => {
  const database = await freshDatabase()
  const server = await servingAt(database.url)
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  onTestFinished(async () => {
    await client.query(FREE_DISK)
    await client.end()
    await server.stop()
    await database.drop()
  })
  const setFull = async (isFull: boolean): Promise<void> => {
    await client.query(isFull ? FILL_DISK : FREE_DISK)
  }
  return { server, setFull, client }
}

it.each([
  ['SQLite', onSqlite],
  ['PostgreSQL', onPostgres],
])(
  'a server on %s is not ready while the disk is full, logs it once, and is ready once there is space',
  async (_, open) => {
    const { server, setFull } = await open()
    const { place, ready, outages } = server
    expect([await place(), await ready()]).toEqual([204, 200])
    await setFull(true)
    for (let times = 0; times < 5; times++)
      expect([await place(), await ready()]).toEqual([503, 503])
    expect(outages()).toEqual(['unavailable'])
    await setFull(false)
    await waitUntil(async () => (await ready()) === 200)
    await waitUntil(() => outages().length === 2)
    expect([await place(), outages()]).toEqual([204, ['unavailable', 'available']])
  },
)

describe('a server', () => {
  it('is not ready while no server starts jobs', async () => {
    const storage = openSqlite(pathOfTest('plazo.db'))
    let isHeld = false
    const lease = async () => (isHeld ? storage.lease() : null)
    const server = await servingAt('sqlite::memory:', { storage: { ...storage, lease } })
    expect(await server.ready()).toBe(503)
    isHeld = true
    expect(await server.ready()).toBe(200)
    await server.stop()
  })

  it('on SQLite writes only one page when it starts again, the mark of its file', async () => {
    const path = pathOfTest('plazo.db')
    await (await servingAt(`sqlite:${path}`)).stop()
    const repeated = await servingAt(`sqlite:${path}`)
    expect(await repeated.ready()).toBe(200)
    expect(statSync(`${path}-wal`).size).toBe(32 + 24 + 4_096)
    await repeated.stop()
  })
})
