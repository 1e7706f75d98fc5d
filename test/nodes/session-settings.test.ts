// What a session is given at connecting, by plazo and by whoever runs it.
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openConnection } from '../../packages/adapters/src/postgres/connection.ts'
import { type FreshDatabase, freshDatabase } from '../support/postgres-database.ts'

let database: FreshDatabase
beforeEach(async () => {
  database = await freshDatabase()
})
afterEach(() => database.drop())

const OURS = ['statement_timeout', 'idle_in_transaction_session_timeout', 'plan_cache_mode', 'enable_seqscan', 'jit']

const settingsOf = async (query: string): Promise<Readonly<Record<string, string>>> => {
  const connection = openConnection(database.url + query, { connections: 1 })
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
])('options in the URL hold beside plazo’s own, which are the last: %s', async (query) => {
  const [alone, beside] = [await settingsOf(''), await settingsOf(query)]
  expect(beside.work_mem).toBe('8192')
  for (const name of OURS) expect([name, beside[name]]).toEqual([name, alone[name]])
})
