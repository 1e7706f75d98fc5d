// A line keeps few jobs in memory, and asks the database for more while others of the line run.
import { openShop } from '@plazo/core/internal/testing'
import { expect, it } from 'vitest'
import { memoryStore } from '../memory/store.ts'

it('a merchant’s backlog is claimed without a pause, however many of its jobs run', async () => {
  const shop = openShop(memoryStore())
  for (let order = 0; order < 96; order++) await shop.placeAndSubmit()
  const claimed: string[] = []
  for (let claim = 0; claim < 6; claim++) {
    const jobs = await shop.claimDeliveries({ deliveries: 16 })
    claimed.push(...jobs.map(({ key }) => key))
  }
  expect(new Set(claimed).size).toBe(96)
})
