// A connection plans a statement once, perhaps while the database is empty. A commit must find its jobs
// by their order even then: by their number alone, it would read one job of every order.
import pg from 'pg'
import { afterAll, expect, it } from 'vitest'
import { SETTINGS } from '../../../../packages/adapters/src/postgres/connection/connection.ts'
import { COMMIT } from '../../../../packages/adapters/src/postgres/sql/commit.sql.ts'
import { openPostgresTestStorage } from '../../../harness/postgres-storage.ts'

const home = await openPostgresTestStorage()
const client = new pg.Client({ connectionString: home.url })
await client.connect()
afterAll(async () => {
  await client.end()
  await home.close()
})

it('a commit looks jobs up by their order, also in the plan for an empty database', async () => {
  await client.query(SETTINGS)
  await client.query(`prepare written as ${COMMIT.text}`)
  const values = [...Array(7).fill(`'[]'`), 'null'].join(', ')
  const { rows } = await client.query(`explain execute written(${values})`)
  const plan = rows.map((row) => row['QUERY PLAN'])
  const lookups = plan.flatMap((line, n) => (/ on outbox b_\d/.test(line) && plan[n + 1]) || [])
  const conditions = lookups.filter((line) => line.includes('Index Cond'))
  expect(conditions).toHaveLength(2)
  for (const condition of conditions) expect(condition).toContain('order_id = ANY')
})
