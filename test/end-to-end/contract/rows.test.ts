// The contract of durability notices a store that commits a completion in two transactions, or a job
// without its step.
import { storeOver } from '@plazo/adapters/rows'
import { expectCompletionWhole, openShop } from '@plazo/core/internal/testing'
import type { Job, Store } from '@plazo/core/ports'
import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
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

  it('fails the contract if a job without its step is left', async () => {
    const { rows, failAt } = breakableRows(createJsonRows())
    const stray = { key: 'a stray SMS' } as Job
    let isBroken = false
    const reopen = async (): Promise<Store> => {
      const { store } = storeOver(rows)
      const claim: Store['claim'] = (request) =>
        TE.map((jobs: readonly Job[]) => (isBroken ? [...jobs, stray] : jobs))(store.claim(request))
      return { ...store, claim }
    }
    const shop = openShop(await reopen())
    const breaking = (n: number) => {
      isBroken ||= n !== Number.POSITIVE_INFINITY
      failAt(n)
    }
    await expect(expectCompletionWhole(expect, shop, { reopen, failAt: breaking })).rejects.toThrow(
      /to deeply equal/,
    )
  })
})
