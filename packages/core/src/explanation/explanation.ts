// Why an order stands where it stands, and what happens next. Everything is derived from the
// statechart, the journal, the pending jobs and the retry schedule. It has no rules of its own that
// could contradict them, and test/faults/explanation checks each part as a prediction.
import { ATTEMPT_MILLIS } from '../delivery/schedule.ts'
import { kindInLane } from '../order/effects/effect.ts'
import { modelOf, type Terms } from '../order/model.ts'
import type { Order, OrderEvent, Region } from '../order/order.ts'
import type { JournalLine } from '../order/step.ts'
import type { Delivery } from '../ports/deliveries.ts'
import type { PendingJob } from '../ports/store.ts'
import { causesOf } from './causes.ts'
import { changesAhead, type Job, type Now } from './changes-ahead.ts'
import { type Choice, choicesOf } from './choices.ts'
import { type Outcome, outcomeOf, trialWith } from './trial.ts'
import { type Awaited, waitsOf } from './waits.ts'

/**
 * Where an order stands in each region, whom it awaits, what comes by itself, and who may do what.
 */
export type Explanation = {
  readonly where: { readonly [region in Region]: Whereabouts }
  /** Empty only if the order is over. */
  readonly awaits: readonly Awaited[]
  /** What happens next if everybody stays silent. Null: nothing ever will. */
  readonly byItself: Happening | null
  /** All that happens then, the next first. */
  readonly ahead: readonly Happening[]
  /** All that anybody may do now. What is not listed is refused or changes nothing. */
  readonly may: readonly Choice[]
}

type Whereabouts = {
  readonly state: string
  /** Epoch milliseconds; null: the journal does not tell any more. */
  readonly since: number | null
  /**
   * The numbers of the journal lines that lead here: without any one of them the order would be
   * elsewhere. Empty in the initial state, and without a journal.
   */
  readonly because: readonly number[]
}

/**
 * An event that comes without anybody's act: a timer, a retry or the end of an attempt. `at` is
 * domain time, epoch milliseconds.
 */
export type Happening = Outcome & {
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
    const { order, journal, at } = facts
    const model = modelOf(terms)
    const trial = trialWith(terms, facts.referenceIsTaken)
    const jobs = facts.jobs.map((job) => jobWith(facts, job))
    const changes = changesAhead(trial, { order, jobs, at, model })
    const causes = causesOf(terms)(order, journal)
    const whereabouts = (region: Region): Whereabouts => ({
      state: order.state[region],
      since: sinceWhen(order, journal, region),
      because: causes[region],
    })
    const where = {
      checkout: whereabouts('checkout'),
      risk: whereabouts('risk'),
      cancellation: whereabouts('cancellation'),
    }
    const ahead = changes.map(({ event, job, at: happensAt, isLatest, before, step }) => ({
      event: event.type,
      job,
      at: happensAt,
      isLatest,
      ...outcomeOf(before, step),
    }))
    return {
      where,
      awaits: waitsOf({ ...facts, jobs, where, model }, changes),
      byItself: ahead[0] ?? null,
      ahead,
      may: choicesOf(trial, order, at, model),
    }
  }

const jobWith = ({ order, at }: ExplanationFacts, job: PendingJob): Job => {
  const kind = kindInLane(order.placed, job.lane)
  // Nobody knows when an attempt in flight started. It was claimed once it was due.
  const earliest = Math.max(job.dueAt, job.firstAt ?? 0, at - ATTEMPT_MILLIS)
  return { ...job, kind, startedAt: job.state === 'claimed' ? earliest : null }
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
