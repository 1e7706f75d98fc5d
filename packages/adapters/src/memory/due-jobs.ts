// Merchants take turns by account: the first delivery of every account runs before the second of any. No account and no
// merchant has more in flight than its limit allows.
import type { ClaimRequest } from '@plazo/core'
import type { MemoryJob } from './job-table.ts'

type ShareOf = (job: Pick<MemoryJob, 'queue' | 'merchantRef'>) => number

const merchantKey = ({ queue, merchantRef }: Pick<MemoryJob, 'queue' | 'merchantRef'>): string =>
  `merchant ${queue} ${merchantRef}`
const accountKey = ({ queue, account }: MemoryJob): string => `account ${queue} ${account}`

/** How much each merchant may have in flight: the request's share, or a smaller one under which a delivery is in flight. */
export const createShareLookup = (inFlight: readonly MemoryJob[], { perMerchant, shares }: ClaimRequest): ShareOf => {
  const smallest = new Map<string, number>()
  for (const job of inFlight)
    if (job.share !== null)
      smallest.set(merchantKey(job), Math.min(job.share, smallest.get(merchantKey(job)) ?? job.share))
  return (job) => {
    const listed = job.queue === 'work' ? undefined : shares?.[job.queue].get(job.merchantRef)
    const granted = listed ?? shares?.others ?? perMerchant
    return Math.min(granted, smallest.get(merchantKey(job)) ?? granted)
  }
}

/** The due deliveries for which there is room. Those in flight count against the limits. */
export const takeTurns = (
  dueJobs: readonly MemoryJob[],
  inFlight: readonly MemoryJob[],
  { perMerchant, capacity }: ClaimRequest,
  shareOf: ShareOf,
): readonly MemoryJob[] => {
  if (dueJobs.length === 0) return []
  const counts = new Map<string, number>()
  const next = (turn: string): number => {
    const count = (counts.get(turn) ?? 0) + 1
    counts.set(turn, count)
    return count
  }
  for (const job of inFlight) {
    next(merchantKey(job))
    next(accountKey(job))
  }
  return dueJobs
    .filter((job) => next(merchantKey(job)) <= shareOf(job))
    .map((job) => ({ job, rank: next(accountKey(job)) }))
    .filter(({ rank }) => rank <= perMerchant)
    .sort((a, b) => a.rank - b.rank)
    .slice(0, capacity.deliveries)
    .map(({ job }) => job)
}
