// Claims jobs for the dispatcher. The writer, which may run in another thread, claims them; their payloads are decrypted here.
import { type ClaimRequest, type Entry, type Store, type Unavailable, unavailable } from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import type { IO } from 'fp-ts/lib/IO.js'
import { writingShares } from '../rows/listed-shares.ts'
import { passingBy } from '../sealing/passing-by.ts'
import type { CommitQueue } from './commit-queue.ts'
import type { Settling } from './settling.ts'
import type { Vault } from './vault.ts'
import type { Works } from './works.ts'
import type { ClaimedEntry } from './writer/calls.ts'
import { failureOf } from './writer/committing.ts'

type Claimed = { readonly request: ClaimRequest; readonly entries: readonly ClaimedEntry[] }

export const claiming = (
  queue: CommitQueue,
  works: Works,
  vault: Vault,
  { park, release }: Pick<Settling, 'park' | 'release'>,
): Store['claim'] => {
  const passing = passingBy(vault.sealer.keyIds)
  const written = writingShares()

  const taking = (ask: IO<ClaimRequest>): Promise<E.Either<Unavailable, Claimed>> =>
    new Promise((resolve) => {
      let request: ClaimRequest
      queue.runSoon({
        about: null,
        plan: () => {
          vault.heed()
          request = ask()
          const { shares } = request
          const listed = shares && { others: shares.others, event: written(shares.event), ipn: written(shares.ipn) }
          return {
            name: 'claim',
            given: { ...request, shares: listed ?? null, keyIds: passing.keysFor(request) },
          }
        },
        came: (entries) => {
          resolve(E.right({ request, entries: entries as readonly ClaimedEntry[] }))
          return true
        },
        failed: (failure) => resolve(unavailable(failure.message)),
      })
    })

  // A payload that does not decrypt with the right keys never will. Its job becomes stuck, so that it holds up nothing else. If
  // a master key is missing, the settings are wrong, and the job is released.
  const opening = async ({ request, entries: claimed }: Claimed): Promise<readonly Entry[]> => {
    const entries: Entry[] = []
    const parked: Promise<unknown>[] = []
    const unopened: ClaimedEntry[] = []
    for (const each of claimed) {
      const { id: _, ...entry } = each
      try {
        entries.push({ ...entry, work: works.of(each) })
      } catch (cause) {
        const { message, isOurs } = failureOf(cause)
        if (isOurs) parked.push(park(each, message))
        else {
          unopened.push(each)
          passing.begin(request, message)
        }
      }
    }
    // If a job cannot be released now, its lease expires.
    await Promise.all([...parked, release(unopened, 'unbegun')()])
    return entries
  }

  return (ask) => async () => {
    const untold = passing.takeUntold()
    if (untold !== null) return unavailable(untold)
    const claimed = await taking(ask)
    return E.isLeft(claimed) ? claimed : E.right(await opening(claimed.right))
  }
}
