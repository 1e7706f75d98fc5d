import { describe, expect, it } from 'vitest'
import type { Effect } from '../order/effects/effect.ts'
import type { Order } from '../order/order.ts'
import { NEW_CONTEXT } from '../order/order-context.ts'
import { PLACED } from '../testing/harness/order-fixture.ts'
import {
  type AttemptEnd,
  applyEffects,
  endAttempt,
  isExcluded,
  NO_JOBS,
  type OrderJob,
  type OrderJobs,
  requestResend,
  retryStuck,
  type StartedAttempt,
} from './order-jobs.ts'

const DELIVERED = { type: 'finished', status: 'delivered' } as const
const EXHAUSTED = { type: 'finished', status: 'exhausted' } as const
const FAULT = { type: 'stuck', message: 'a fault' } as const
const retryAt = (dueAt: number) => ({ type: 'retry', dueAt }) as const

const orderAt = (updatedAt: number): Order => ({
  placed: PLACED,
  revision: 1,
  state: { checkout: 'confirmed', risk: 'none', cancellation: 'none' },
  context: { ...NEW_CONTEXT, updatedAt },
})

type Lane = 'notice' | 'ipn' | 'timer.checkoutLifetime'

const payloadIn = (lane: Lane): Extract<Effect, { type: 'do' }>['payload'] => {
  const request = { url: 'https://shop.test', contentType: 'text/plain', body: '' }
  if (lane === 'notice') return { kind: 'event', event: 'risk_assessment', ...request }
  if (lane === 'ipn') return { kind: 'ipn', state: 'approved', ...request }
  return { kind: 'timer', timer: 'checkoutLifetime' }
}

/** The timer excludes the IPN. */
const add = (lane: Lane, dueAt = 0): Effect => ({
  type: 'do',
  key: `U:1:${lane}`,
  lane,
  payload: payloadIn(lane),
  dueAt,
  expiresAt: null,
})

const revoke = (lane: Lane): Effect => ({ type: 'revoke', lane })
const expedite = (lane: Lane): Effect => ({ type: 'expedite', lane })

type InFlight = (job: OrderJob) => boolean
const never: InFlight = () => false

const apply = (jobs: OrderJobs, effects: readonly Effect[], mayRun = never, at = 0): OrderJobs =>
  applyEffects(jobs, effects, orderAt(at), mayRun)

const placeEffects = (...effects: readonly Effect[]): OrderJobs => apply(NO_JOBS, effects)

const jobOf = ({ list }: OrderJobs, n: number): OrderJob => {
  const job = list.find((each) => each.n === n)
  if (job === undefined) throw new Error(`There is no job ${n}.`)
  return job
}

const startOf = (jobs: OrderJobs, n: number): StartedAttempt => ({
  ...jobOf(jobs, n),
  startedAt: 0,
})

const end = (jobs: OrderJobs, n: number, how: AttemptEnd, attempt = startOf(jobs, n)): OrderJobs =>
  endAttempt(jobs, jobOf(jobs, n), attempt, how)

const states = ({ list }: OrderJobs): string => list.map(({ state }) => state).join(' ')

const notices = placeEffects(add('notice'), add('notice'), add('ipn'))
const oneStuck = end(notices, 1, FAULT)
const bothStuck = end(oneStuck, 2, FAULT)
const exhausted = end(notices, 1, EXHAUSTED)
const resent = requestResend(exhausted, jobOf(exhausted, 1), 'resend', 5)
const isPending: InFlight = ({ state }) => state === 'pending'

describe('the jobs of an order', () => {
  it.each<[string, OrderJobs, string]>([
    ['the first of a lane may start, and the next waits', notices, 'pending queued pending'],
    ['the next goes on when the first has ended', exhausted, 'exhausted pending pending'],
    ['the next goes on when the first is stuck', oneStuck, 'stuck pending pending'],
    ['the next waits for a repetition', end(notices, 1, retryAt(9)), 'pending queued pending'],
    [
      'the next waits if nobody knows the result',
      end(notices, 1, 'lost'),
      'pending queued pending',
    ],
    [
      'a step stops what has not started',
      apply(notices, [revoke('notice')]),
      'stopped stopped pending',
    ],
    [
      'a step leaves an attempt in flight alone',
      apply(notices, [revoke('notice')], isPending),
      'pending stopped pending',
    ],
    [
      'a revoked job stops with any result',
      end(apply(notices, [revoke('notice')], isPending), 1, DELIVERED),
      'stopped stopped pending',
    ],
    [
      'what comes after a revoked job waits for the end of its attempt',
      apply(notices, [revoke('notice'), add('notice')], isPending),
      'pending stopped pending queued',
    ],
    [
      'a stuck job that is retried goes into an idle lane',
      retryStuck(bothStuck, jobOf(bothStuck, 1), 7),
      'pending stuck pending',
    ],
    [
      'a stuck job that is retried waits for another one in its lane',
      retryStuck(oneStuck, jobOf(oneStuck, 1), 7),
      'queued pending pending',
    ],
    ['a resend is a job of its own', resent, 'exhausted pending pending pending'],
    [
      'an accepted resend changes the delivery',
      end(resent, 4, DELIVERED),
      'delivered pending pending delivered',
    ],
    [
      'a failed resend ends without a repetition',
      end(resent, 4, retryAt(9)),
      'exhausted pending pending stopped',
    ],
    [
      'a resend with a fault makes the delivery stuck',
      end(resent, 4, FAULT),
      'stuck pending pending stopped',
    ],
  ])('%s', (_, jobs, expected) => expect(states(jobs)).toBe(expected))

  it('are due at the step that expedites them, and no later than before', () => {
    const jobs = placeEffects(add('notice', 50), add('notice', 60), add('ipn', 5))
    const after = apply(jobs, [expedite('notice'), expedite('ipn')], never, 20)
    expect(after.list.map(({ dueAt }) => dueAt)).toEqual([20, 60, 5])
  })

  it('are due now up to the delivery that is sent again, which keeps its place', () => {
    const jobs = placeEffects(add('notice', 50), add('notice', 60))
    const after = requestResend(jobs, jobOf(jobs, 2), 'resend', 20)
    expect(after.list.map(({ dueAt, cause }) => [dueAt, cause])).toEqual([
      [20, null],
      [20, 'resend'],
    ])
    expect(states(after)).toBe('pending queued')
  })

  it('try a delivery again at once that was afterRequest for during its attempt', () => {
    const attempt = startOf(notices, 1)
    const afterRequest = requestResend(notices, jobOf(notices, 1), 'resend', 20)
    expect(jobOf(end(afterRequest, 1, retryAt(90), attempt), 1)).toMatchObject({
      dueAt: 20,
      cause: 'resend',
    })
  })

  it('have one resend of a delivery at a time', () => {
    expect(requestResend(resent, jobOf(resent, 1), 'resend', 9)).toBe(resent)
  })

  it.each([
    ['the IPN in flight holds the timer up', 0, 5, [1], [false, true]],
    ['the timer in flight holds the IPN up', 5, 0, [2], [true, false]],
    ['of both, the one that was due first goes first', 5, 6, [], [false, false]],
    ['the timer goes first if both are due at once', 5, 5, [], [true, false]],
  ])('exclude each other: %s', (_, ipnDueAt, timerDueAt, inFlight, expected) => {
    const jobs = placeEffects(add('ipn', ipnDueAt), add('timer.checkoutLifetime', timerDueAt))
    const isInFlight: InFlight = ({ n }) => inFlight.includes(n)
    expect(jobs.list.map((job) => isExcluded(jobs, job, isInFlight))).toEqual(expected)
  })
})
