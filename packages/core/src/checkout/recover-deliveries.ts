// Resends all deliveries that a merchant has not accepted since an instant. Works page by page, so that no transaction keeps
// others waiting for long.
import * as E from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { Unavailable } from '../ports/unavailable.ts'
import type { Host } from './host.ts'

export type Recovery = {
  readonly merchantRef: string
  /** Epoch milliseconds, domain time. */
  readonly since: number
  /** How many deliveries one transaction examines. */
  readonly limit?: number
  /** Called after every page with the number so far. The next page starts when its promise resolves. */
  readonly onProgress?: (count: number) => Promise<void>
}

const PAGE_SIZE = 200

/** Returns the number of deliveries that are resent. */
export const recoverDeliveries =
  ({ store, clock }: Pick<Host, 'store' | 'clock'>) =>
  ({ merchantRef, since, limit = PAGE_SIZE, onProgress }: Recovery): TaskEither<Unavailable, number> =>
  async () => {
    const at = clock.now()
    let count = 0
    for (let after: number | null = 0; after !== null; ) {
      const page: E.Either<Unavailable, { readonly count: number; readonly next: number | null }> =
        await store.deliveries.recover({ merchantRef, since, at, after, limit })()
      if (E.isLeft(page)) return page
      count += page.right.count
      after = page.right.next
      await onProgress?.(count)
    }
    return E.right(count)
  }
