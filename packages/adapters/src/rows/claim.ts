// Which due jobs a worker may start. The SQL stores select the same jobs in one statement; this is
// the rule that they follow. Contract §6, Fairness.
import { type ClaimRequest, type QueueName, queueNameOf } from '@plazo/core/ports'
import type { JobRow, Rows } from './rows.ts'

/** `share`: the reduced share under which the job is claimed, or null. */
export type SelectedJob = { readonly job: JobRow; readonly share: number | null }

type AnyJob = Pick<JobRow, 'effect'>

const queueOf = ({ effect }: AnyJob): QueueName => queueNameOf(effect.payload.kind)
export const isDelivery = (job: AnyJob): boolean => queueOf(job) !== 'work'
const merchantKey = (job: JobRow): string => `merchant ${queueOf(job)} ${job.merchantRef}`
const accountKey = (job: JobRow): string => `account ${queueOf(job)} ${job.account}`

const excludes = ({ effect }: JobRow, other: JobRow): boolean =>
  !other.isResend && effect.excludes === other.effect.lane

/** Deliveries that become due during a pause of their endpoint are due at its end. */
export const dueAtOf = ({ pausedUntil }: Rows, job: JobRow): number => {
  const queue = queueOf(job)
  if (pausedUntil === undefined || queue === 'work') return job.dueAt
  return Math.max(job.dueAt, pausedUntil(job.merchantRef, queue))
}

const groupByOrder = (jobs: readonly JobRow[]) => {
  const byOrder = Map.groupBy(jobs, ({ orderRef }) => orderRef)
  return ({ orderRef }: JobRow): readonly JobRow[] => byOrder.get(orderRef) ?? []
}

/**
 * A job is never in flight together with a job in a lane that it excludes: the earlier one runs
 * first. `siblings`: the jobs of its order. `started`: pending jobs that this claim takes.
 */
const isBlocked = (
  job: JobRow,
  siblings: readonly JobRow[],
  started: ReadonlySet<JobRow> = new Set(),
): boolean =>
  siblings.some((other) => {
    const isInFlight = other.state === 'claimed' || started.has(other)
    if (isInFlight) return excludes(job, other) || excludes(other, job)
    return other.state === 'pending' && excludes(other, job) && other.dueAt <= job.dueAt
  })

/** Numbers the jobs with the same key from 1, in the order of the calls. */
const createTurns = () => {
  const counts = new Map<string, number>()
  return (key: string): number => {
    const turn = (counts.get(key) ?? 0) + 1
    counts.set(key, turn)
    return turn
  }
}

/**
 * How much the job's merchant may have in flight: the request's share, or a smaller one under which
 * a delivery of the merchant is in flight.
 */
const shareOf = (
  job: JobRow,
  inFlight: readonly JobRow[],
  { perMerchant, shares }: ClaimRequest,
): number => {
  const queue = queueOf(job)
  const listed = queue === 'work' ? undefined : shares?.[queue].get(job.merchantRef)
  const others = inFlight.filter((other) => merchantKey(other) === merchantKey(job))
  const reduced = others.flatMap(({ share }) => (share === null ? [] : [share]))
  return Math.min(listed ?? shares?.others ?? perMerchant, ...reduced)
}

/**
 * Deliveries in flight count against the limits of their merchant and their account. Merchants take
 * turns by account: the first delivery of every account runs before the second of any.
 */
const selectDeliveries = (
  due: readonly JobRow[],
  inFlight: readonly JobRow[],
  request: ClaimRequest,
): readonly SelectedJob[] => {
  const { perMerchant, shares, capacity } = request
  const nextTurn = createTurns()
  for (const job of inFlight) {
    nextTurn(merchantKey(job))
    nextTurn(accountKey(job))
  }
  const fullShare = shares?.others ?? perMerchant
  return due
    .map((job) => ({ job, share: shareOf(job, inFlight, request) }))
    .filter(({ job, share }) => nextTurn(merchantKey(job)) <= share)
    .map((each) => ({ ...each, turn: nextTurn(accountKey(each.job)) }))
    .filter(({ turn }) => turn <= perMerchant)
    .sort((a, b) => a.turn - b.turn)
    .slice(0, capacity.deliveries)
    .map(({ job, share }) => ({ job, share: share < fullShare ? share : null }))
}

/**
 * Selects among all jobs, none with an expired lease. Deliveries come first, so that internal work
 * that excludes their lanes waits for them.
 */
export const selectJobs = (rows: Rows, request: ClaimRequest): readonly SelectedJob[] => {
  const jobs = rows.jobs()
  const due = jobs
    .filter((job) => job.state === 'pending' && dueAtOf(rows, job) <= request.at)
    .toSorted((a, b) => a.dueAt - b.dueAt)
  const inFlight = jobs.filter(({ state }) => state === 'claimed')
  const siblingsOf = groupByOrder(jobs)
  const dueDeliveries = due.filter((job) => isDelivery(job) && !isBlocked(job, siblingsOf(job)))
  const deliveries = selectDeliveries(dueDeliveries, inFlight, request)
  const started = new Set(deliveries.map(({ job }) => job))
  const work = due.filter((job) => !isDelivery(job) && !isBlocked(job, siblingsOf(job), started))
  return [
    ...work.slice(0, request.capacity.internal).map((job) => ({ job, share: null })),
    ...deliveries,
  ]
}
