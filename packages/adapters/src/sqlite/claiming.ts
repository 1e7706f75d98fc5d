// Claims as the dispatcher has them: taken by the writer, and opened here.
import { type ClaimRequest, type Entry, type Store, type Unavailable, unavailable } from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import type { IO } from 'fp-ts/lib/IO.js'
import type { CommitQueue } from './commit-queue.ts'
import type { Settling } from './settling.ts'
import type { Vault } from './vault.ts'
import type { Works } from './works.ts'
import type { ClaimedEntry } from './writer/calls.ts'
import { failureOf } from './writer/committing.ts'

export const claiming = (queue: CommitQueue, works: Works, vault: Vault, park: Settling['park']): Store['claim'] => {
  const taking = (request: IO<ClaimRequest>): Promise<E.Either<Unavailable, readonly ClaimedEntry[]>> =>
    new Promise((resolve) =>
      queue.runSoon({
        about: null,
        plan: () => {
          vault.heed()
          return { name: 'claim', given: request() }
        },
        came: (claimed) => {
          resolve(E.right(claimed as readonly ClaimedEntry[]))
          return true
        },
        failed: (failure) => resolve(unavailable(failure.message)),
      }),
    )

  // What cannot be opened with the right keys never can be: it is parked, and holds up nothing else. Where a master key is
  // missing the settings are at fault: the claim passes on by itself, and opens once they are mended.
  const opening = async (claimed: readonly ClaimedEntry[]): Promise<E.Either<Unavailable, readonly Entry[]>> => {
    const entries: Entry[] = []
    const parked: Promise<unknown>[] = []
    for (const each of claimed) {
      const { id: _, ...entry } = each
      try {
        entries.push({ ...entry, work: works.of(each) })
      } catch (cause) {
        const failure = failureOf(cause)
        if (!failure.isOurs) return unavailable(failure.message)
        parked.push(park(each, failure.message))
      }
    }
    await Promise.all(parked)
    return E.right(entries)
  }

  return (request) => async () => {
    const claimed = await taking(request)
    return E.isLeft(claimed) ? claimed : opening(claimed.right)
  }
}
