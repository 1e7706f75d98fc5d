// Deliveries that were given up are counted by merchant, because one endpoint that is mended saves all
// of them.
import type { Clock, FullStore, OrderCount, Unavailable } from '@plazo/core/ports'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'

const WEEK = 7 * 24 * 3_600_000

export type ExhaustedCount = OrderCount & { readonly merchantRef: string }

/** The merchants with deliveries that were given up in the last week, of the newest `limit`. */
export const readExhausted = (
  { store }: { readonly store: Pick<FullStore, 'deliveries'> },
  clock: Clock,
  limit: number,
): TE.TaskEither<Unavailable, readonly ExhaustedCount[]> =>
  pipe(
    store.deliveries.exhausted(limit),
    TE.map((exhausted) => {
      const recent = exhausted.filter(
        ({ attempts }) => (attempts.at(-1)?.startedAt ?? 0) >= clock.now() - WEEK,
      )
      const isExact = exhausted.length < limit
      const byMerchant = Map.groupBy(recent, ({ merchantRef }) => merchantRef)
      return [...byMerchant].map(([merchantRef, all]) => ({
        merchantRef,
        count: all.length,
        isExact,
      }))
    }),
  )
