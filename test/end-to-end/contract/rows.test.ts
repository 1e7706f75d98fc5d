// The contract of durability notices a store that commits a completion in two transactions.
import { storeOver } from '@plazo/adapters/rows'
import type { Store } from '@plazo/core/ports'
import { expectCompletionWhole, openShop } from '@plazo/core/testing/contracts'
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { breakableRows, createJsonRows } from './fragile-rows.ts'

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
      const { rows, failAt } = breakableRows(createJsonRows())
      const reopen = async () => split(storeOver(rows).store)
      const shop = openShop(await reopen())
      await expect(expectCompletionWhole(expect, shop, { reopen, failAt })).rejects.toThrow(
        /expected|Expected/,
      )
    })
})
