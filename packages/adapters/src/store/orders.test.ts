// An order that is read while this process forgets or changes it must neither be missing nor outdated
// afterwards.
import { expect, it } from 'vitest'
import { orderFixture } from '../../../core/src/testing/harness/order-fixture.ts'
import type { Asked, OrderRow } from './base.ts'
import { createOrders, type StoredOrder } from './orders.ts'

const REF = 'order-1'

const rowOf = (version: number): OrderRow<string, string> => ({
  ref: REF,
  id: 1,
  version,
  revision: version,
  key: 'key',
  placed: '',
  snapshot: '',
  jobCount: 0,
  jobs: [],
})

const openOrders = async () => {
  let answer: (asked: readonly Asked[]) => readonly (OrderRow<string, string> | Asked)[] = () => [
    rowOf(1),
  ]
  const orders = createOrders(
    { readOrders: async (asked) => answer(asked) },
    { order: () => orderFixture().order(), work: () => ({ kind: 'timer', timer: '' }) },
    true,
  )
  const stored = (await orders.read([REF])).get(REF) as StoredOrder<string>
  return {
    orders,
    stored,
    versionWhile: async (act: () => void): Promise<number | undefined> => {
      answer = (asked) => {
        act()
        return asked
      }
      return (await orders.read([REF])).get(REF)?.row.version
    },
  }
}

it('an unchanged order is found if all orders are forgotten meanwhile, and stays forgotten', async () => {
  const { orders, versionWhile } = await openOrders()
  expect(await versionWhile(orders.clear)).toBe(1)
  expect(orders.guess(REF)).toBeUndefined()
})

it('an order is found if it is changed meanwhile, and the change is known', async () => {
  const { orders, stored, versionWhile } = await openOrders()
  const changed = { ...stored, row: { ...stored.row, version: 2 } }
  expect(await versionWhile(() => orders.remember(changed))).toBe(1)
  expect(orders.guess(REF)?.row.version).toBe(2)
})
