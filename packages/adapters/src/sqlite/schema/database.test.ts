import { expect, it } from 'vitest'
import { stablePlan } from './database.ts'

it('stablePlan puts a plus before every parameter, once', () => {
  const inner = stablePlan`select id from orders where order_ref = ?`
  expect(stablePlan`select 1 from outbox where order_id = (${inner}) and lane = ? limit ?`).toBe(
    'select 1 from outbox where order_id = (select id from orders where order_ref = +?) and lane = +? limit +?',
  )
})
