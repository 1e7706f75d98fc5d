// Nodes that claim at the same moment must see each other's claims. Otherwise an account could have
// more deliveries in flight than it may.
import { setTimeout as pause } from 'node:timers/promises'
import { openShop, type StoreShop } from '@plazo/core/testing/contracts'
import { expect, it, onTestFinished } from 'vitest'
import { queryPostgres } from '../../../harness/postgres.ts'
import { openPostgresTestStorage } from '../../../harness/postgres-storage.ts'

const NODES = 3
const ORDERS = 60
const PER_ACCOUNT = 4

it('three nodes that claim and complete at once never have more in flight than an account may have', async () => {
  const first = await openPostgresTestStorage()
  const rest = await Promise.all(
    Array.from({ length: NODES - 1 }, () => openPostgresTestStorage({ url: first.url })),
  )
  onTestFinished(async () => {
    for (const storage of [...rest, first]) await storage.close()
  })
  const placing = openShop(first.store)
  for (let n = 0; n < ORDERS; n++) await placing.placeAndSubmit()

  let completed = 0
  const claimUntilDone = async (shop: StoreShop): Promise<void> => {
    while (completed < ORDERS) {
      const jobs = await shop.claimDeliveries({ perAccount: PER_ACCOUNT })
      await pause(1)
      await Promise.all(jobs.map((job) => shop.completeClaim(job, null)))
      completed += jobs.length
    }
  }
  let most = 0
  const countUntilDone = async (): Promise<void> => {
    while (completed < ORDERS) {
      const [row] = await queryPostgres(
        first.url,
        `select count(*) from plazo.outbox where state = 'claimed' and queue = 'event'`,
      )
      most = Math.max(most, Number(row?.count))
    }
  }
  const shops = [first, ...rest].map(({ store }) => openShop(store))
  await Promise.all([countUntilDone(), ...shops.map(claimUntilDone)])
  expect(most).toBeLessThanOrEqual(PER_ACCOUNT)
  expect(completed).toBe(ORDERS)
})
