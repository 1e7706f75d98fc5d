// What happens to an order if everybody stays silent: every request fails at once, is repeated on
// its schedule and given up, and every timer fires. The jobs run here as a store runs them: one lane
// after another, first in, first out.
import { ATTEMPT_MILLIS, failureEvents, nextAttemptAt, SCHEDULES } from '../delivery/schedule.ts'
import {
  awaitsReply,
  type DoEffect,
  type Effect,
  type EffectKind,
  effectKeyParts,
  IPN_DEADLINE,
  laneExcludedBy,
  timerEvent,
} from '../order/effects/effect.ts'
import { timerLane, timerOf } from '../order/effects/effects.ts'
import { type OrderModel, restingStateOf } from '../order/model.ts'
import { type Order, type OrderEvent, REGIONS } from '../order/order.ts'
import type { Step } from '../order/step.ts'
import type { PendingJob } from '../ports/store.ts'
import { hasEffectOn, type Trial } from './trial.ts'

export type Job = Omit<PendingJob, 'attempts'> & {
  readonly kind: EffectKind
  /** When the attempt in flight started; null if none is. */
  readonly startedAt: number | null
}

/** A step that happens by itself. */
export type Change = {
  readonly event: OrderEvent
  /** The key of the job that brings it. */
  readonly job: string
  readonly step: Step
  readonly before: Order
  readonly at: number
  /** An attempt in flight decides when it happens: at its end, and that is `at` at the latest. */
  readonly isLatest: boolean
  /** The jobs after it. */
  readonly jobs: readonly Job[]
}

/** The present instant. */
export type Now = { readonly at: number }

type Silence = Now & {
  readonly order: Order
  readonly jobs: readonly Job[]
  readonly model: OrderModel
}

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

const jobOf = ({ key, lane, payload, dueAt, expiresAt }: DoEffect): Job => ({
  key,
  lane,
  kind: payload.kind,
  dueAt,
  expiresAt,
  firstAt: null,
  startedAt: null,
  state: 'pending',
})

const withEffect = (jobs: readonly Job[], effect: Effect, at: number): readonly Job[] => {
  if (effect.type === 'do') return [...jobs, jobOf(effect)]
  if (effect.type === 'revoke') return jobs.filter(({ lane }) => lane !== effect.lane)
  return jobs.map((job) =>
    job.lane === effect.lane ? { ...job, dueAt: Math.min(job.dueAt, at) } : job,
  )
}

/** The jobs after a step, in the order in which they were created. */
const withEffects = (jobs: readonly Job[], { order, effects }: Step): readonly Job[] =>
  effects.reduce((rest, effect) => withEffect(rest, effect, order.context.updatedAt), jobs)

/**
 * The name of the timer that the order has armed in this lane, which has only the name of the delay.
 * Undefined: none of its states arms one there.
 */
const armedTimer = ({ state }: Order, lane: string, model: OrderModel): string | undefined => {
  for (const region of REGIONS) {
    const leaf = restingStateOf(region, state, model).node
    for (let node: typeof leaf | undefined = leaf; node !== undefined; node = node.parent) {
      const timer = node.after
        .map(({ eventType }) => timerOf(eventType))
        .find((each) => timerLane(each) === lane)
      if (timer !== undefined) return timer
    }
  }
  return undefined
}

const failureOf = (order: Order, job: Job, isLast: boolean, model: OrderModel) => {
  if (job.kind === 'timer') {
    const timer = job.lane === 'ipn' ? IPN_DEADLINE : armedTimer(order, job.lane, model)
    return timer === undefined ? null : timerEvent(job.key, timer)
  }
  const { repeated, last } = failureEvents(job.key)
  return isLast ? last : repeated
}

// Attempts in flight end first. A timer that is due no later than what it excludes goes before it.
const turnOf = (job: Job, startsAt: number): readonly number[] => [
  job.startedAt === null ? 1 : 0,
  startsAt,
  job.dueAt,
  laneExcludedBy(job.lane) === null ? 1 : 0,
]

const compareTurns = (one: readonly number[], other: readonly number[]): number => {
  const index = one.findIndex((value, position) => value !== other[position])
  return index < 0 ? 0 : (one[index] ?? 0) - (other[index] ?? 0)
}

const byCreation = (one: Job, other: Job): number =>
  effectKeyParts(one.key).revision - effectKeyParts(other.key).revision

// More than any order of our statechart ever needs. A host's statechart may go round in circles.
const ATTEMPTS_MAX = 500

/** All changes, the next one first. */
export const changesAhead = (trial: Trial, silence: Silence): readonly Change[] => {
  const { at, model } = silence
  const lanesInFlight = silence.jobs
    .filter(({ startedAt }) => startedAt !== null)
    .map(({ lane }) => lane)
  // They started now at the latest.
  const flightEndsAt = at + ATTEMPT_MILLIS
  const changes: Change[] = []
  let order = silence.order
  let jobs: readonly Job[] = silence.jobs
    .filter(({ state }) => state !== 'stuck')
    .toSorted(byCreation)
  let now = at
  for (let attempts = 0; attempts < ATTEMPTS_MAX; attempts++) {
    const turns = jobs
      .filter((job, index) => jobs.findIndex(({ lane }) => lane === job.lane) === index)
      .filter(({ kind, key }) => kind === 'timer' || failureEvents(key).last !== null)
      .map((job) => ({ job, startsAt: nextStartOf(job, { at: now }) }))
      .toSorted((one, other) =>
        compareTurns(turnOf(one.job, one.startsAt), turnOf(other.job, other.startsAt)),
      )
    const [turn] = turns
    if (turn === undefined) break
    const { job, startsAt } = turn
    now = startsAt
    const isAwaited = !awaitsReply(job.lane) || order.context.pending[job.lane] === job.key
    const firstAt = job.firstAt ?? startsAt
    const retryAt = job.kind === 'timer' ? null : retryOf(job, job.startedAt ?? startsAt)
    jobs =
      retryAt === null || !isAwaited
        ? jobs.filter((other) => other !== job)
        : jobs.map((other) =>
            other === job ? { ...job, firstAt, dueAt: retryAt, startedAt: null } : other,
          )
    const event = failureOf(order, job, retryAt === null, model)
    const step = event && trial(order, event, startsAt)
    if (event === null || step === null) continue
    jobs = withEffects(jobs, step)
    if (hasEffectOn(order, step)) {
      const isLatest =
        startsAt < flightEndsAt &&
        lanesInFlight.some((lane) => lane === job.lane || lane === laneExcludedBy(job.lane))
      const happensAt = isLatest ? flightEndsAt : startsAt
      changes.push({ event, job: job.key, step, before: order, at: happensAt, isLatest, jobs })
    }
    order = step.order
  }
  return changes
}
