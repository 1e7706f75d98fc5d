// A PostgreSQL that answers reads and refuses writes, because its disk is full or a table is
// locked. A load balancer must notice it, and the log must report it once.
import { newKeyEntry } from '@plazo/adapters/encryption'
import type { FullStore } from '@plazo/core/ports'
import { type RunningServer, serve } from '@plazo/server'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { composeInMode, configFrom } from '../harness/config.ts'
import { type FreshDatabase, freshDatabase } from '../harness/postgres-storage.ts'
import { basic, DEMO, orderBody } from '../harness/shop.ts'
import { waitUntil } from '../harness/time.ts'

const KEY = newKeyEntry()

// Fails like PostgreSQL when a table cannot grow. All other writes succeed.
const FILL_DISK = `
  create function plazo.no_space() returns trigger language plpgsql as $$
    begin raise exception 'could not extend file: No space left on device' using errcode = '53100'; end $$;
  create trigger no_space before insert on plazo.orders for each row execute function plazo.no_space()`
const FREE_DISK =
  'drop trigger if exists no_space on plazo.orders; drop function if exists plazo.no_space'

let database: FreshDatabase
let operator: pg.Client
beforeEach(async () => {
  database = await freshDatabase()
  operator = new pg.Client({ connectionString: database.url })
  await operator.connect()
})
afterEach(async () => {
  await operator.query(FREE_DISK)
  await operator.end()
  await database.drop()
})

type Server = {
  readonly placed: () => Promise<number>
  readonly ready: () => Promise<number>
  /** Resolves once this many more claims have been made. */
  readonly claims: (count: number) => Promise<void>
  readonly outages: () => readonly string[]
}

const withServer = async (use: (server: Server) => Promise<void>): Promise<void> => {
  const config = configFrom({ DATABASE_URL: database.url, SECRET_KEY: KEY, PORT: '0' })
  let claimed = 0
  const store = (overrides: FullStore): FullStore => ({
    ...overrides,
    claim: (request) => async () => {
      const entries = await overrides.claim(request)()
      claimed += 1
      return entries
    },
  })
  const events: string[] = []
  const serving: RunningServer = await serve(config, (event) => void events.push(event), {
    store,
    compose: composeInMode,
  })
  const merchant = {
    authorization: basic(DEMO.username, DEMO.password),
    'content-type': 'application/json',
  }
  const body = JSON.stringify(orderBody({}, serving.baseUrl))
  try {
    await use({
      placed: async () =>
        (await fetch(`${serving.baseUrl}/orders`, { method: 'POST', headers: merchant, body }))
          .status,
      ready: async () => (await fetch(`${serving.baseUrl}/readyz`)).status,
      claims: async (count) => {
        const expected = claimed + count
        while (claimed < expected) await new Promise((resolve) => setTimeout(resolve, 20))
      },
      outages: () => events.filter((event) => /^(un)?available$/.test(event)),
    })
  } finally {
    await serving.stop()
  }
}

describe('a server on a PostgreSQL that refuses writes', () => {
  it('is not ready while its disk is full, logs it once, and is ready when there is space again', async () => {
    await withServer(async ({ placed, ready, claims, outages }) => {
      expect([await placed(), await ready()]).toEqual([204, 200])
      await operator.query(FILL_DISK)
      for (let times = 0; times < 2; times++) {
        expect([await placed(), await ready()]).toEqual([503, 503])
        await claims(1)
        expect(await ready()).toBe(503)
      }
      expect(outages()).toEqual(['unavailable'])
      await operator.query(FREE_DISK)
      await waitUntil(async () => (await ready()) === 200)
      expect(await placed()).toBe(204)
      await claims(2)
      expect(outages()).toEqual(['unavailable', 'available'])
    })
  })

  it('is not ready while a request still waits for the lock', async () => {
    await withServer(async ({ placed, ready }) => {
      expect(await ready()).toBe(200)
      await operator.query('begin; lock table plazo.orders in access exclusive mode')
      const waiting = placed()
      await waitUntil(async () => (await ready()) === 503)
      await operator.query('rollback')
      expect(await waiting).toBe(204)
      await waitUntil(async () => (await ready()) === 200)
    })
  })
})
