import { expect, it } from 'vitest'
import { assertNodeRunsSqlite, stablePlan } from './database.ts'

it('stablePlan puts a plus before every parameter, once', () => {
  const inner = stablePlan`select id from orders where order_ref = ?`
  expect(stablePlan`select 1 from outbox where order_id = (${inner}) and lane = ? limit ?`).toBe(
    'select 1 from outbox where order_id = (select id from orders where order_ref = +?) and lane = +? limit +?',
  )
})

it.each(['20.20.2', '18.0.0', '21.7.3'])(
  'Node %s gets a sentence before better-sqlite3 is loaded',
  (node) => {
    expect(() => assertNodeRunsSqlite(node)).toThrow(
      `better-sqlite3 needs Node 22 or later; this is ${node}.`,
    )
  },
)

it.each(['22.0.0', '24.21.0'])('Node %s may open databases', (node) => {
  expect(() => assertNodeRunsSqlite(node)).not.toThrow()
})
