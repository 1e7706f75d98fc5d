// Which due jobs a worker may start. The SQL stores select the same jobs in one statement; this is
// the rule that they follow. Contract §6, Fairness.
import { type ClaimRequest, type QueueName, queueNameOf } from '@plazo/core/ports'
import type { JobRow, StoreRows } from './rows.ts'

/** `isGood`: only of deliveries; as in `Job`. */
export type SelectedJob = { readonly job: JobRow; readonly isGood?: boolean }

type AnyJob = Pick<JobRow, 'effect'>

export const queueOf = ({ effect }: AnyJob): QueueName => queueNameOf(effect.payload.kind)
export const isDelivery = (job: AnyJob): boolean => queueOf(job) !== 'work'
const merchantKey = (job: JobRow): string => `merchant ${queueOf(job)} ${job.merchantRef}`

const excludes = ({ effect }: JobRow, other: JobRow): boolean =>
  !other.isResend && effect.excludes === other.effect.lane

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
 * Those in flight count against the limits. The first delivery of every account runs before the second
 * of any, good and other merchants counted apart. `ClaimRequest` states the rule.
 */
const selectDeliveries = (
  due: readonly JobRow[],
  inFlight: readonly JobRow[],
  { perAccount, capacity }: ClaimRequest,
  isGood: (job: JobRow) => boolean,
): readonly SelectedJob[] => {
  const nextTurn = createTurns()
  const accountKey = (job: JobRow): string =>
    `account ${queueOf(job)} ${isGood(job)} ${job.account}`
  for (const job of inFlight) {
    nextTurn(merchantKey(job))
    nextTurn(accountKey(job))
  }
  let placesLeft = capacity.notGood
  return due
    .map((job) => ({ job, isGood: isGood(job) }))
    .filter((each) => each.isGood || nextTurn(merchantKey(each.job)) === 1)
    .map((each) => ({ ...each, turn: nextTurn(accountKey(each.job)) }))
    .filter((each) => !each.isGood || perAccount === null || each.turn <= perAccount)
    .sort((a, b) => a.turn - b.turn)
    .filter((each) => each.isGood || placesLeft-- > 0)
    .slice(0, capacity.deliveries)
}

/**
 * Selects among all jobs, none with an expired lease. Deliveries come first, so that internal work
 * that excludes their lanes waits for them.
 */
export const selectJobs = (rows: StoreRows, request: ClaimRequest): readonly SelectedJob[] => {
  const jobs = rows.jobs()
  const knowsGood = rows.isGood ?? (() => true)
  const isGood = (job: JobRow): boolean => {
    const queue = queueOf(job)
    return request.perAccount === null || queue === 'work' || knowsGood(job.merchantRef, queue)
  }
  const due = jobs
    .filter((job) => job.state === 'pending' && job.dueAt <= request.at)
    .toSorted((a, b) => a.dueAt - b.dueAt)
  const inFlight = jobs.filter(({ state }) => state === 'claimed')
  const siblingsOf = groupByOrder(jobs)
  const dueDeliveries = due.filter((job) => isDelivery(job) && !isBlocked(job, siblingsOf(job)))
  const deliveries = selectDeliveries(dueDeliveries, inFlight, request, isGood)
  const started = new Set(deliveries.map(({ job }) => job))
  const work = due.filter((job) => !isDelivery(job) && !isBlocked(job, siblingsOf(job), started))
  return [...work.slice(0, request.capacity.internal).map((job) => ({ job })), ...deliveries]
}
