// Where an order is, whom it awaits, and what happens next by itself. Everything is derived from the
// statechart, the journal, the pending jobs and the retry schedule. It has no rules of its own that
// could contradict them, and test/faults/explanation checks it as a prediction.
import { ATTEMPT_MILLIS } from '../delivery/schedule.ts'
import { kindInLane } from '../order/effects/effect.ts'
import { forEachRegion, modelOf, type Terms } from '../order/model.ts'
import type { Order, OrderEvent, Region } from '../order/order.ts'
import type { JournalLine } from '../order/step.ts'
import type { Delivery } from '../ports/deliveries.ts'
import type { PendingJob } from '../ports/store.ts'
import { changesAhead, type Job, type Now } from './changes-ahead.ts'
import { type Consequences, consequencesOf, trialWith } from './trial.ts'
import { type Awaited, type Since, waitsOf } from './waits.ts'

/** Where an order is in each region, whom it awaits, and what happens next by itself. */
export type Explanation = {
  /** When the order reached its states; epoch milliseconds. Null: the journal does not tell any more. */
  readonly since: Since
  /** Empty only if the order is over. */
  readonly awaits: readonly Awaited[]
  /** What happens next if everybody stays silent. Null: nothing ever will. */
  readonly byItself: Happening | null
  /**
   * What each timer and each given-up request would do to the order as it is now, the next first,
   * without those that an earlier one revokes.
   */
  readonly ahead: readonly Happening[]
}

/**
 * An event that comes without anybody's act: a timer, a retry or the end of an attempt. `at` is
 * domain time, epoch milliseconds.
 */
export type Happening = Consequences & {
  readonly event: OrderEvent['type']
  /** The key of the job that brings it. */
  readonly job: string
  readonly at: number
  /** An attempt in flight decides: it happens at the attempt's end, which is `at` at the latest. */
  readonly isLatest: boolean
}

/** At most this many lines of a journal are read. */
export const LINES_READ = 1_000

/** All that an explanation is made of. `at`: epoch milliseconds. */
export type ExplanationFacts = Now & {
  readonly order: Order
  /** The first `LINES_READ` lines, oldest first; empty if they were deleted as old. */
  readonly journal: readonly JournalLine[]
  readonly jobs: readonly PendingJob[]
  /** The order's unfinished deliveries, with their attempts. */
  readonly deliveries: readonly Delivery[]
  /** Another order of the merchant holds this order's `order_ref_1`. */
  readonly referenceIsTaken: boolean
}

/**
 * Explains an order from facts, without a store. `terms`: those with which the host steps the
 * order.
 */
export const explainWith =
  (terms: Terms) =>
  (facts: ExplanationFacts): Explanation => {
    const { order, journal } = facts
    const model = modelOf(terms)
    const trial = trialWith(terms, facts.referenceIsTaken)
    const jobs = facts.jobs.map((job) => jobWith(facts, job))
    const changes = changesAhead(trial, order, jobs, facts, model)
    const since = forEachRegion((region) => sinceWhen(order, journal, region))
    const ahead = changes.map(({ event, job, at, isLatest, step }) => ({
      event: event.type,
      job: job.key,
      at,
      isLatest,
      ...consequencesOf(order, step),
    }))
    const awaits = waitsOf({ ...facts, jobs, since, model }, changes)
    return { since, awaits, byItself: ahead[0] ?? null, ahead }
  }

const jobWith = ({ order, at }: ExplanationFacts, job: PendingJob): Job => {
  const kind = kindInLane(order.placed, job.lane)
  // An attempt of a job that is due may be in flight, and nobody knows since when.
  const earliest = Math.max(job.dueAt, job.firstAt ?? 0, at - ATTEMPT_MILLIS)
  return { ...job, kind, startedAt: job.state === 'pending' && job.dueAt <= at ? earliest : null }
}

/** When the order reached its state. The lines tell only if they reach up to it. */
const sinceWhen = (
  { state }: Order,
  journal: readonly JournalLine[],
  region: Region,
): number | null => {
  if (journal.at(-1)?.to[region] !== state[region]) return null
  const move = journal.findLast(({ from, to }) => from[region] !== to[region])
  return (move ?? journal.find(({ seq }) => seq === 1))?.at ?? null
}
