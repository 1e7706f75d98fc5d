// Tests what the simulated worlds of test/faults/explanation do not reach: other statecharts, missing
// journals, taken references and words.
import { describe, expect, it } from 'vitest'
import { ORDER_MODEL } from '../order/model.ts'
import { orderModel } from '../order/order-model.ts'
import type { Step } from '../order/step.ts'
import type { Delivery } from '../ports/deliveries.ts'
import type { PendingJob } from '../ports/store.ts'
import {
  firstStep,
  orderFixture,
  PLACED_AT,
  revealOutcome,
  TERMS,
} from '../testing/harness/order-fixture.ts'
import { type ExplanationFacts, explainWith } from './explanation.ts'
import { sentencesOf, triesSentence } from './sentences.ts'
import { explainDelivery } from './waits.ts'

const HOUR = 3_600_000

const jobsOf = ({ effects }: Step): readonly PendingJob[] =>
  effects.flatMap((effect) =>
    effect.type === 'do'
      ? [{ ...effect, attempts: 0, firstAt: null, state: 'pending' as const }]
      : [],
  )

const factsOf = (placing: Step, changes: Partial<ExplanationFacts> = {}): ExplanationFacts => ({
  order: placing.order,
  journal: placing.journal,
  jobs: jobsOf(placing),
  deliveries: [],
  referenceIsTaken: false,
  at: PLACED_AT,
  ...changes,
})

/** An order whose merchant is asked to confirm, with its IPN. */
const reachConfirming = () => {
  const fixture = revealOutcome(orderFixture())
  const { order } = { order: fixture.order() }
  const key = order.context.pending.ipn ?? ''
  const at = order.context.updatedAt
  const job = { key, lane: 'ipn', dueAt: at, attempts: 0, firstAt: null, expiresAt: null }
  const timer = { ...job, key: 'U:1:timer.checkoutLifetime', lane: 'timer.checkoutLifetime' }
  const jobs: readonly PendingJob[] = [
    { ...job, state: 'pending' },
    { ...timer, dueAt: PLACED_AT + 24 * HOUR, state: 'pending' },
  ]
  return { order, key, at, jobs }
}

const failedDelivery = (id: string, at: number): Delivery => ({
  id,
  event: 'ipn',
  orderRef: 'U',
  merchantRef: 'shop',
  state: 'pending',
  dueAt: at + 60_000,
  attempts: [0, 10_000].map((after, index) => ({
    n: index + 1,
    trigger: 'schedule',
    startedAt: at + after,
    durationMillis: 1,
    outcome: 'error',
    status: 503,
    error: 'unaccepted_status',
    response: null,
  })),
})

describe('an explanation', () => {
  it('speaks of the statechart that the host runs', () => {
    const facts = factsOf(firstStep())
    expect(explainWith(TERMS)(facts).byItself).toMatchObject({
      event: 'timer.fired',
      at: PLACED_AT + 24 * HOUR,
      state: { checkout: 'expired' },
    })
    const guards = { wasNeverHeld: () => false }
    const model = orderModel({ implementations: { guards } })
    expect(explainWith({ ...TERMS, model })(facts).byItself).toBeNull()
  })

  it('knows neither causes nor instants without a journal', () => {
    const { order, at, jobs } = reachConfirming()
    const { where, awaits } = explainWith(TERMS)(
      factsOf(firstStep(), { order, at, jobs, journal: [] }),
    )
    expect(where.checkout).toEqual({ state: 'confirming', since: null, because: [] })
    expect(awaits).toMatchObject([{ who: 'merchant', what: 'ipn.accepted', since: null }])
  })

  it('expects a conflict if another order holds the reference', () => {
    const order = revealOutcome(orderFixture(), 'identity').order()
    const verified = { ...order, state: { ...order.state, checkout: 'verified' as const } }
    const facts = factsOf(firstStep(), { order: verified, referenceIsTaken: true })
    const submissions = explainWith(TERMS)(facts).may.filter(
      ({ decision }) => decision === 'person.submitted',
    )
    expect(submissions).toMatchObject([{ outcome: { state: { checkout: 'conflicted' } } }])
  })

  it('of a stuck job awaits the operator', () => {
    const { order, at, jobs } = reachConfirming()
    const stuck = jobs.map((job) =>
      job.lane === 'ipn' ? { ...job, state: 'stuck' as const } : job,
    )
    expect(
      explainWith(TERMS)(factsOf(firstStep(), { order, at, jobs: stuck })).awaits,
    ).toMatchObject([{ who: 'operator', what: 'job.retried', until: null }])
  })
})

describe('in words', () => {
  it('an order says where it is, whom it awaits, and what happens', () => {
    const { order, at, jobs, key } = reachConfirming()
    const [ipn, timer] = jobs as [PendingJob, PendingJob]
    const tried = { ...ipn, attempts: 2, firstAt: at, dueAt: at + 60_000 }
    const facts = factsOf(firstStep(), {
      order,
      at: at + 20_000,
      jobs: [tried, timer],
      deliveries: [failedDelivery(key, at)],
    })
    const explanation = explainWith(TERMS)(facts)
    expect(sentencesOf(order, explanation, 'en', ORDER_MODEL, true)).toMatchObject({
      awaits: [
        'Awaited: The shop accepts the IPN, until 15 November 2023 at 22:13, failed attempts: 2 (503), next attempt on 14 November 2023 at 22:14, left: 22.',
      ],
      by_itself: 'If everybody stays silent, the time is up on 15 November 2023 at 22:13: Expired.',
    })
    expect(sentencesOf(order, explanation, 'es', ORDER_MODEL, true).by_itself).toMatch(
      /^Si nadie hace nada, se acaba el tiempo el 15 de/,
    )
  })

  it('a delivery says its attempts', () => {
    const { order, key, at } = reachConfirming()
    const delivery = failedDelivery(key, at)
    const now = { at: at + 20_000 }
    expect(triesSentence(order, explainDelivery(delivery, now), 'en')).toBe(
      'Failed attempts: 2 (503), next attempt on 14 November 2023 at 22:14, left: 22.',
    )
    const exhausted = explainDelivery({ ...delivery, state: 'exhausted', dueAt: null }, now)
    expect(exhausted).toMatchObject({ nextAt: null, lastAttempt: { following: 0 } })
  })
})
