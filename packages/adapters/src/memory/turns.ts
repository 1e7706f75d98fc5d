// Merchants take turns: rank one of everybody before rank two of anybody, and never more of one than may be in flight.
import type { ClaimRequest } from '@plazo/core'
import type { KeptEntry } from './kept-entry.ts'

const turnOf = ({ kind, merchantRef }: KeptEntry): string => `${kind} ${merchantRef}`

/** The deliveries among what is due that there is room for. `all`: what is in flight counts. */
export const inTurn = (
  due: readonly KeptEntry[],
  all: Iterable<KeptEntry>,
  { perMerchant, room }: ClaimRequest,
): readonly KeptEntry[] => {
  const ranks = new Map<string, number>()
  const nextRank = (entry: KeptEntry): number => {
    const rank = (ranks.get(turnOf(entry)) ?? 0) + 1
    ranks.set(turnOf(entry), rank)
    return rank
  }
  for (const entry of all) if (entry.state === 'claimed') nextRank(entry)
  return due
    .filter(({ kind }) => kind !== 'work')
    .map((entry) => ({ entry, rank: nextRank(entry) }))
    .filter(({ rank }) => rank <= perMerchant)
    .sort((a, b) => a.rank - b.rank)
    .slice(0, room.deliveries)
    .map(({ entry }) => entry)
}
