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
import { sentencesOf } from './sentences.ts'

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

  it('knows no instants without a journal', () => {
    const { order, at, jobs } = reachConfirming()
    const { since, awaits } = explainWith(TERMS)(
      factsOf(firstStep(), { order, at, jobs, journal: [] }),
    )
    expect(since.checkout).toBeNull()
    expect(awaits).toMatchObject([{ who: 'merchant', what: 'ipn.accepted', since: null }])
  })

  it('expects a conflict if another order holds the reference', () => {
    const fixture = revealOutcome(orderFixture(), 'identity')
    fixture.reply('session', { type: 'session.opened', url: 'http://id.test' })
    fixture.reply('session', { type: 'session.reported', status: 'VERIFIED' })
    const order = fixture.order()
    const at = order.context.updatedAt
    const lane = 'timer.idResult'
    const key = order.context.pending[lane] ?? ''
    const timer = { key, lane, dueAt: at, attempts: 0, firstAt: null, expiresAt: null }
    const jobs: readonly PendingJob[] = [{ ...timer, state: 'pending' }]
    const facts = factsOf(firstStep(), { order, at, jobs, referenceIsTaken: true })
    expect(explainWith(TERMS)(facts).byItself).toMatchObject({
      event: 'timer.fired',
      state: { checkout: 'conflicted' },
    })
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
    expect(sentencesOf(order, explanation, ORDER_MODEL)).toEqual({
      where: [
        'Waiting for the shop to confirm.',
        'Risk not assessed since 14 November 2023 at 22:13 UTC.',
        'No cancellation since 14 November 2023 at 22:13 UTC.',
      ],
      awaits: [
        'Awaited: the shop (ipn.accepted), until 15 November 2023 at 22:13 UTC, failed attempts: 2 (503), next attempt on 14 November 2023 at 22:14 UTC, left: 22.',
      ],
      by_itself:
        'If everybody stays silent, timer.fired on 15 November 2023 at 22:13 UTC: Expired.',
    })
  })
})
