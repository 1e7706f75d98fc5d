// A store over rows keeps the store contract; a store that commits a completion in two transactions
// does not.
import { memoryRows } from '@plazo/adapters/memory'
import { type OrderRow, storeOver } from '@plazo/adapters/rows'
import { rowsContract } from '@plazo/adapters/rows/contracts'
import type { FullStore, Store } from '@plazo/core/ports'
import {
  capabilityContract,
  expectCompletionWhole,
  lanesOf,
  openShop,
  storeContract,
} from '@plazo/core/testing/contracts'
import { runner } from '@plazo/core/testing/vitest'
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { breakableRows, createJsonRows } from './fragile-rows.ts'

const realNow = () => 1_000_000

rowsContract(runner, 'rows in memory', async () => ({ rows: memoryRows(), close: async () => {} }))

storeContract(runner, 'a store over rows in memory', async () => {
  let now = 1_000_000
  return {
    store: storeOver(memoryRows(), () => now),
    advanceRealTime: (millis) => {
      now += millis
    },
    close: async () => {},
  }
})

for (const capability of ['fairness', 'arrivalOrder'] as const)
  capabilityContract(runner, 'a store over rows in memory', capability, async () => ({
    store: storeOver(memoryRows(), realNow),
    advanceRealTime: () => {},
    close: async () => {},
  }))

describe('a store over rows that do not know which merchants are good', () => {
  it('treats each as good, so that only the limit of their account applies', async () => {
    const shop = openShop(storeOver(createJsonRows(), realNow) as Store as FullStore)
    for (let count = 0; count < 3; count++) await shop.placeAndSubmit()
    const request = { deliveries: 9, notGood: 0, perAccount: 2 }
    expect(lanesOf(await shop.claimDeliveries(request))).toEqual(['action', 'action'])
    expect(await shop.claimDeliveries(request)).toEqual([])
  })
})

/** Each order of the two transactions loses something if the process ends between them. */
const splitStores = {
  'the step before the completion': (store: Store): Store => ({
    ...store,
    complete:
      (job, { decide, ...completion }) =>
      async () => {
        const decided = decide && (await store.step(job.orderRef, decide)())
        if (decided !== undefined && E.isLeft(decided)) return E.right('stuck')
        return store.complete(job, completion)()
      },
  }),
  'the completion before the step': (store: Store): Store => ({
    ...store,
    complete:
      (job, { decide, ...completion }) =>
      async () => {
        const completed = await store.complete(job, completion)()
        if (decide !== undefined && E.isRight(completed) && completed.right !== 'lost')
          await store.step(job.orderRef, decide)()
        return completed
      },
  }),
}

describe('a store that commits a completion and its step in two transactions', () => {
  for (const [title, split] of Object.entries(splitStores))
    it(`fails the contract if it commits ${title}`, async () => {
      const { rows, failAt } = breakableRows<OrderRow>(createJsonRows())
      const reopen = async () => split(storeOver(rows, realNow))
      const shop = openShop((await reopen()) as Store as FullStore)
      await expect(expectCompletionWhole(expect, shop, { reopen, failAt })).rejects.toThrow(
        /expected|Expected/,
      )
    })
})
