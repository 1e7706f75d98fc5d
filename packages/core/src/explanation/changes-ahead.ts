// What would change an order if everybody stays silent: a timer fires, an attempt fails, or a request
// is given up. Each is tried on a copy of the order as it is now, and the earliest is what happens next.
import { ATTEMPT_MILLIS, failureEvents, nextAttemptAt, SCHEDULES } from '../delivery/schedule.ts'
import {
  type EffectKind,
  effectKeyParts,
  IPN_DEADLINE,
  laneExcludedBy,
  timerEvent,
} from '../order/effects/effect.ts'
import { timerLane, timerOf } from '../order/effects/effects.ts'
import { type OrderModel, type RestingState, restingStateOf } from '../order/model.ts'
import { type Order, type OrderEvent, REGIONS } from '../order/order.ts'
import type { Step } from '../order/step.ts'
import type { PendingJob } from '../ports/store.ts'
import { hasEffectOn, type Trial } from './trial.ts'

export type Job = Omit<PendingJob, 'attempts'> & {
  readonly kind: EffectKind
  /** When the attempt in flight started; null if none is. */
  readonly startedAt: number | null
}

/** A step that happens by itself, unless an earlier one prevents it. */
export type Change = {
  readonly event: OrderEvent
  readonly job: Job
  readonly step: Step
  readonly at: number
  /** An attempt in flight decides when it happens: at its end, and that is `at` at the latest. */
  readonly isLatest: boolean
}

/** The present instant. */
export type Now = { readonly at: number }

/** When the job starts its next attempt, if nothing in its lane is before it. */
export const nextStartOf = (job: Job, now: Now): number =>
  job.startedAt === null ? Math.max(job.dueAt, now.at) : now.at

/** When the job is tried once more, after an attempt has failed at once. Null: never. */
const retryOf = ({ key, kind, firstAt, expiresAt }: Job, startedAt: number) => {
  const failed = { key, kind, firstAt: firstAt ?? startedAt, startedAt, endedAt: startedAt }
  const retryAt = nextAttemptAt({ ...failed, retryAfterMillis: null, jitter: 0 })
  return retryAt === null || (expiresAt !== null && retryAt >= expiresAt) ? null : retryAt
}

/**
 * `count`: the number of attempts that are still to start. `endsAt`: when the last of them fails.
 * Null: there is no last one.
 */
export const attemptsAhead = (job: Job, now: Now) => {
  if (SCHEDULES[job.kind].isEndless && job.expiresAt === null) return { count: null, endsAt: null }
  const firstAt = job.firstAt ?? nextStartOf(job, now)
  let endsAt = nextStartOf(job, now)
  let count = job.startedAt === null ? 1 : 0
  for (let retryAt = retryOf({ ...job, firstAt }, job.startedAt ?? endsAt); retryAt !== null; ) {
    endsAt = nextStartOf({ ...job, dueAt: retryAt, startedAt: null }, now)
    count += 1
    retryAt = retryOf({ ...job, firstAt }, endsAt)
  }
  return { count, endsAt }
}

/**
 * The name of the timer that the order has armed in this lane, which has only the name of the delay.
 * Undefined: none of its states arms one there.
 */
const armedTimer = ({ state }: Order, lane: string, model: OrderModel): string | undefined =>
  REGIONS.flatMap((region) => timersOf(restingStateOf(region, state, model).node)).find(
    (timer) => timerLane(timer) === lane,
  )

/** The timers of a state and of those around it, innermost first. */
const timersOf = ({ after, parent }: RestingState['node']): readonly string[] => [
  ...after.map(({ eventType }) => timerOf(eventType)),
  ...(parent === undefined ? [] : timersOf(parent)),
]

type Failure = Pick<Change, 'job' | 'event' | 'at'>

/** The events of a job that nobody answers: that of its next attempt, and that of the last. */
const failuresOf = (order: Order, job: Job, now: Now, model: OrderModel): readonly Failure[] => {
  const at = nextStartOf(job, now)
  if (job.kind === 'timer') {
    const timer = job.lane === 'ipn' ? IPN_DEADLINE : armedTimer(order, job.lane, model)
    return timer === undefined ? [] : [{ job, event: timerEvent(job.key, timer), at }]
  }
  const { repeated, last } = failureEvents(job.key)
  const { endsAt } = attemptsAhead(job, now)
  const isLast = retryOf(job, job.startedAt ?? at) === null
  return [
    ...(repeated === null || isLast ? [] : [{ job, event: repeated, at }]),
    ...(last === null || endsAt === null ? [] : [{ job, event: last, at: endsAt }]),
  ]
}

// Attempts in flight end first. A timer that is due no later than what it excludes goes before it.
const turnOf = ({ job, at }: Failure, now: Now): readonly number[] => [
  job.startedAt !== null && at === now.at ? 0 : 1,
  at,
  job.dueAt,
  laneExcludedBy(job.lane) === null ? 1 : 0,
]

const compareTurns = (one: readonly number[], other: readonly number[]): number => {
  const index = one.findIndex((value, position) => value !== other[position])
  return index < 0 ? 0 : (one[index] ?? 0) - (other[index] ?? 0)
}

export const isRevokedBy = (job: Job, { step }: Change): boolean =>
  step.effects.some(({ type, lane }) => type === 'revoke' && lane === job.lane)

/**
 * The next change, and after it those that it does not revoke, as if it had not happened. An event
 * that changes nothing only ends its wait.
 */
export const changesAhead = (
  trial: Trial,
  order: Order,
  jobs: readonly Job[],
  now: Now,
  model: OrderModel,
): readonly Change[] => {
  const lanesInFlight = jobs.filter(({ startedAt }) => startedAt !== null).map(({ lane }) => lane)
  // They started now at the latest.
  const flightEndsAt = now.at + ATTEMPT_MILLIS
  const failures = jobs
    .filter(({ state }) => state !== 'stuck')
    .toSorted((one, other) => effectKeyParts(one.key).revision - effectKeyParts(other.key).revision)
    // The jobs of a lane run one after another.
    .filter((job, index, all) => all.findIndex(({ lane }) => lane === job.lane) === index)
    .flatMap((job) => failuresOf(order, job, now, model))
    .toSorted((one, other) => compareTurns(turnOf(one, now), turnOf(other, now)))
  const changes: Change[] = []
  let unchanged = order
  for (const { job, event, at } of failures) {
    const isOver = changes.some((change) => change.job === job || isRevokedBy(job, change))
    const step = isOver ? null : trial(unchanged, event, at)
    if (step === null) continue
    if (hasEffectOn(unchanged, step)) {
      const isLatest =
        at < flightEndsAt &&
        lanesInFlight.some((lane) => lane === job.lane || lane === laneExcludedBy(job.lane))
      changes.push({ event, job, step, at: isLatest ? flightEndsAt : at, isLatest })
    } else unchanged = step.order
  }
  return changes
}
