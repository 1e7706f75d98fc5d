// Sends again whatever a merchant has not accepted since an instant, page by page: no page keeps others waiting for long.
import * as E from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { Unavailable } from '../ports/unavailable.ts'
import type { Host } from './host.ts'

export type Recovery = {
  readonly merchantRef: string
  /** Epoch milliseconds, domain time. */
  readonly since: number
  /** How many deliveries one transaction looks at. */
  readonly limit?: number
  /** Told after every page how many there are so far; the next one waits for its answer. */
  readonly onProgress?: (count: number) => Promise<void>
}

const PAGE = 200

/** Answers with how many are sent again. */
export const recoverDeliveries =
  ({ store, clock }: Pick<Host, 'store' | 'clock'>) =>
  ({ merchantRef, since, limit = PAGE, onProgress }: Recovery): TaskEither<Unavailable, number> =>
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
