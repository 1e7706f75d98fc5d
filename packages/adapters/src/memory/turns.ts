// Merchants take turns by account: the first delivery of every account runs before the second of any. No account and no
// merchant has more in flight than its limit allows.
import type { ClaimRequest } from '@plazo/core'
import type { KeptEntry } from './kept-entry.ts'

type ShareOf = (entry: Pick<KeptEntry, 'kind' | 'merchantRef'>) => number

const merchantTurn = ({ kind, merchantRef }: Pick<KeptEntry, 'kind' | 'merchantRef'>): string =>
  `merchant ${kind} ${merchantRef}`
const accountTurn = ({ kind, account }: KeptEntry): string => `account ${kind} ${account}`

/** How much each merchant may have in flight: the request's share, or a smaller one under which a delivery is in flight. */
export const sharesIn = (all: Iterable<KeptEntry>, { perMerchant, shares }: ClaimRequest): ShareOf => {
  const smallest = new Map<string, number>()
  for (const entry of all)
    if (entry.state === 'claimed' && entry.share !== null)
      smallest.set(merchantTurn(entry), Math.min(entry.share, smallest.get(merchantTurn(entry)) ?? entry.share))
  return (entry) => {
    const listed = entry.kind === 'work' ? undefined : shares?.[entry.kind].get(entry.merchantRef)
    const granted = listed ?? shares?.others ?? perMerchant
    return Math.min(granted, smallest.get(merchantTurn(entry)) ?? granted)
  }
}

/** The due deliveries for which there is room. `all`: those in flight count against the limits. */
export const inTurn = (
  due: readonly KeptEntry[],
  all: Iterable<KeptEntry>,
  { perMerchant, room }: ClaimRequest,
  shareOf: ShareOf,
): readonly KeptEntry[] => {
  const counts = new Map<string, number>()
  const next = (turn: string): number => {
    const count = (counts.get(turn) ?? 0) + 1
    counts.set(turn, count)
    return count
  }
  for (const entry of all)
    if (entry.state === 'claimed') {
      next(merchantTurn(entry))
      next(accountTurn(entry))
    }
  return due
    .filter((entry) => entry.kind !== 'work' && next(merchantTurn(entry)) <= shareOf(entry))
    .map((entry) => ({ entry, rank: next(accountTurn(entry)) }))
    .filter(({ rank }) => rank <= perMerchant)
    .sort((a, b) => a.rank - b.rank)
    .slice(0, room.deliveries)
    .map(({ entry }) => entry)
}
