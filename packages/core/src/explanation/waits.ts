// Whom an order awaits: everybody who has a request of it, and the people without whom it does not
// go on. The tables are complete by their types, over the states and the kinds of requests.
import type { Attempt } from '../delivery/attempt.ts'
import { type EffectKind, effectKeyParts } from '../order/effects/effect.ts'
import type { Party } from '../order/machine/state-meta.ts'
import { metaOf, type OrderModel } from '../order/model.ts'
import { type Order, type OrderEvent, REGIONS, type Region } from '../order/order.ts'
import type { JournalLine } from '../order/step.ts'
import type { Delivery } from '../ports/deliveries.ts'
import {
  attemptsAhead,
  type Change,
  isRevokedBy,
  type Job,
  type Now,
  nextStartOf,
} from './changes-ahead.ts'

/** The event that ends the wait, or the answer to a request of which no event tells. */
type Awaitable =
  | OrderEvent['type']
  | 'event.accepted'
  | 'sms.accepted'
  | 'payment.voided'
  | 'card.kept'
  | 'job.retried'

/** Somebody whom the order awaits, with the attempts to reach them. */
export type Awaited = Tries & {
  readonly who: Party
  readonly what: Awaitable
  /** Epoch milliseconds. Null: the journal does not tell any more. */
  readonly since: number | null
  /** When the wait ends by itself; null: never. */
  readonly until: number | null
}

/** The attempts of a request. A wait that is for no request has none. */
type Tries = {
  /** The key of the job; a delivery's id. Null: it is for no request. */
  readonly job: string | null
  readonly isInFlight: boolean
  /** When the next attempt starts. Null: one is in flight, or none follows. */
  readonly nextAt: number | null
  /** The last attempt of a delivery that failed. `failed`: how many did. `left`: how many follow. */
  readonly lastAttempt: {
    readonly at: number
    /** `503`, or a word such as `timeout`. */
    readonly error: string
    readonly failed: number
    readonly left: number
  } | null
}

type Wait = readonly [who: Party, what: Awaitable]

const REQUESTS: { readonly [kind in Exclude<EffectKind, 'timer'>]: Wait } = {
  sms: ['sms', 'sms.accepted'],
  screening: ['screening', 'screening.resolved'],
  cards: ['payments', 'cards.recalled'],
  session: ['identity', 'session.reported'],
  payment: ['payments', 'payment.opened'],
  void: ['payments', 'payment.voided'],
  refund: ['payments', 'payment.refunded'],
  card: ['payments', 'card.kept'],
  risk: ['risk', 'risk.assessed'],
  watch: ['risk', 'cancellation.advised'],
  ipn: ['merchant', 'ipn.accepted'],
  event: ['merchant', 'event.accepted'],
}

const waitOf = ({ kind, lane, state }: Job): Wait | null => {
  if (kind === 'timer') return null
  if (state === 'stuck') return ['operator', 'job.retried']
  return lane === 'cancel' ? ['merchant', 'cancel.agreed'] : REQUESTS[kind]
}

/** A merchant with an IPN URL is asked, and need not say anything by themselves. */
const personIn = (order: Order, region: Region, model: OrderModel): Wait | null => {
  const wait = metaOf(region, order.state, model).awaits ?? null
  const isAsked = wait?.[0] === 'merchant' && region === 'checkout'
  return isAsked && order.placed.notifyUrl !== null ? null : wait
}

/** By region, when the order reached its state. */
export type Since = { readonly [region in Region]: number | null }

type WaitFacts = Now & {
  readonly model: OrderModel
  readonly order: Order
  readonly jobs: readonly Job[]
  readonly deliveries: readonly Delivery[]
  readonly journal: readonly JournalLine[]
  readonly since: Since
}

const NO_TRIES: Tries = {
  job: null,
  isInFlight: false,
  nextAt: null,
  lastAttempt: null,
}

const triesOf = (job: Job, attempts: readonly Attempt[], now: Now): Tries => {
  const isInFlight = job.startedAt !== null
  const failures = attempts.filter(({ outcome }) => outcome !== 'accepted')
  const last = failures.at(-1)
  const { count } = attemptsAhead(job, now)
  return {
    job: job.key,
    isInFlight,
    nextAt: isInFlight ? null : nextStartOf(job, now),
    lastAttempt: last
      ? {
          at: last.startedAt,
          error: last.status === null ? (last.error ?? 'lost') : String(last.status),
          failed: failures.length,
          left: count ?? 0,
        }
      : null,
  }
}

export const waitsOf = (facts: WaitFacts, changes: readonly Change[]): readonly Awaited[] => {
  const { order, jobs, deliveries, journal, model } = facts

  const people = REGIONS.flatMap((region): readonly Awaited[] => {
    const wait = personIn(order, region, model)
    if (wait === null) return []
    const [who, what] = wait
    const end = changes.find(({ step }) => step.order.state[region] !== order.state[region])
    return [{ ...NO_TRIES, who, what, since: facts.since[region], until: end?.at ?? null }]
  })

  const requests = jobs.flatMap((job): readonly Awaited[] => {
    const wait = waitOf(job)
    if (wait === null) return []
    const [who, what] = wait
    const { revision } = effectKeyParts(job.key)
    const since = journal.find(({ seq }) => seq === revision)?.at ?? null
    if (job.state === 'stuck') return [{ ...NO_TRIES, job: job.key, who, what, since, until: null }]
    const { attempts = [] } = deliveries.find(({ id }) => id === job.key) ?? {}
    const end = changes.find((change) => isRevokedBy(job, change))
    const ends = [end?.at, attemptsAhead(job, facts).endsAt].filter((at) => typeof at === 'number')
    const until = ends.length === 0 ? null : Math.min(...ends)
    return [{ ...triesOf(job, attempts, facts), who, what, since, until }]
  })

  return [...people, ...requests]
}
