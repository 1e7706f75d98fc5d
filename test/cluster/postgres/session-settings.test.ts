// The settings of a database session: those that plazo sets, and those that the operator sets.
import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openConnection } from '../../../packages/adapters/src/postgres/connection/connection.ts'
import { type FreshDatabase, freshDatabase } from '../../harness/postgres-database.ts'

let database: FreshDatabase
beforeEach(async () => {
  database = await freshDatabase()
})
afterEach(() => database.drop())

const OURS = ['statement_timeout', 'idle_in_transaction_session_timeout', 'plan_cache_mode', 'enable_seqscan', 'jit']

const settingsOf = async (url: string): Promise<Readonly<Record<string, string>>> => {
  const connection = openConnection(url, { connections: 1 })
  const rows = await connection.query<{ readonly name: string; readonly setting: string }>({
    name: 'settings',
    text: 'select name, setting from pg_settings',
  })
  await connection.close()
  return Object.fromEntries(rows.map(({ name, setting }) => [name, setting]))
}

it.each([
  '?options=-c%20work_mem%3D8192%20-c%20statement_timeout%3D0',
  '?options=-c work_mem=8192 -c jit=on&sslmode=disable',
  '?sslmode=disable&options=-c+work_mem=8192+-c+enable_seqscan=on',
])('options in the URL apply together with plazo’s own, which take precedence: %s', async (query) => {
  const [alone, sharedConnection] = [await settingsOf(database.url), await settingsOf(database.url + query)]
  expect(sharedConnection.work_mem).toBe('8192')
  for (const name of OURS) expect([name, sharedConnection[name]]).toEqual([name, alone[name]])
})

type Pooler = { readonly url: string; readonly close: () => Promise<unknown> }

/** Refuses connections with startup options, as PgBouncer does. */
const poolerBefore = async (databaseUrl: string): Promise<Pooler> => {
  const there = new URL(databaseUrl)
  const server = createServer((client) => {
    client.on('error', () => {})
    client.once('data', (startup) => {
      if (startup.includes('\0options\0')) {
        client.destroy()
        return
      }
      const behind = connect(Number(there.port), there.hostname)
      behind.on('error', () => client.destroy())
      behind.write(startup)
      client.pipe(behind).pipe(client)
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const url = new URL(databaseUrl)
  url.port = String((server.address() as AddressInfo).port)
  return { url: url.href, close: () => once(server.close(), 'close') }
}

it('a session has plazo’s settings behind a pooler that refuses options at connecting', async () => {
  const pooler = await poolerBefore(database.url)
  const [alone, behind] = [await settingsOf(database.url), await settingsOf(pooler.url)]
  for (const name of OURS) expect([name, behind[name]]).toEqual([name, alone[name]])
  await pooler.close()
})
