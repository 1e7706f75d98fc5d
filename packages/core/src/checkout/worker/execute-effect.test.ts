// Tests the report of a delivery's attempt. The contracts and journeys test the other events for
// the order.
import * as TE from 'fp-ts/lib/TaskEither.js'
import { describe, expect, it } from 'vitest'
import type { HttpResponse } from '../../delivery/attempt.ts'
import type { EffectPayload } from '../../order/effects/effect.ts'
import { describeThrown } from '../../order/error-message.ts'
import type { Job } from '../../ports/job-queue.ts'
import type { RequestFailure } from '../../ports/merchant-gateway.ts'
import { type ProviderReply, type Providers, reply, retryLater } from '../../ports/providers.ts'
import type { EffectResult } from './complete-job.ts'
import { executeEffect } from './execute-effect.ts'

const request = { url: 'http://127.0.0.1/x', contentType: 'text/plain', body: 'x' }
const ipn: EffectPayload = { kind: 'ipn', state: 'approved', ...request }
const cancel: EffectPayload = { kind: 'event', event: 'cancel', ...request }

const refuse = () => TE.left({ message: 'nobody decides here' })
const nobody = new Proxy({}, { get: () => new Proxy({}, { get: () => refuse }) }) as Providers

const jobOf = (payload: EffectPayload, overrides: Partial<Job> = {}): Job => ({
  key: `o:2:${payload.kind === 'event' ? payload.event : payload.kind}`,
  orderRef: 'o',
  merchantRef: 'demo',
  lane: 'lane',
  payload,
  expiresAt: null,
  attempt: 1,
  isResend: false,
  firstAt: 0,
  startedAt: 0,
  token: 't',
  ...overrides,
})

const execute = (
  payload: EffectPayload,
  answer: Partial<HttpResponse> | RequestFailure['error'],
  {
    calledAt = 1_000,
    realNow = calledAt,
    ...failure
  }: Pick<RequestFailure, 'status'> & {
    readonly calledAt?: number
    readonly realNow?: number
  } = {},
): Promise<EffectResult> => {
  let now = calledAt
  const post = () => {
    now += 70
    return typeof answer === 'string'
      ? TE.left({ _tag: 'RequestFailure', error: answer, message: 'in full', ...failure } as const)
      : TE.right({ status: 200, retryAfter: null, body: null, ...answer })
  }
  const job = jobOf(payload, { firstAt: calledAt - 100, startedAt: calledAt - 100 })
  const sender = {
    gateway: { post: () => () => post()() },
    clock: { now: () => now },
    realNow: () => realNow,
  }
  return executeEffect({ providers: nobody, ...sender }, 0)(job)()
}

describe('the report of an attempt', () => {
  it.each([
    ['secrets_unavailable', false],
    ['no_socket', true],
  ] as const)(
    'of an attempt that sent nothing (%s) schedules the next in ten seconds, outside of the schedule',
    async (error, hasNoSocket) => {
      for (const payload of [ipn, cancel]) {
        const { report, attemptResult, event, ...rest } = await execute(payload, error, {
          calledAt: 10 ** 9,
        })
        expect(attemptResult).toEqual({ type: 'retry', dueAt: 10 ** 9 + 70 + 10_000 })
        expect({ event, error: report?.error }).toEqual({ event: null, error })
        expect(rest).toMatchObject({ hasNoSocket })
      }
    },
  )
})

it.each([
  ['600', 60_070, 600_070],
  [new Date(1e9 + 600_000).toUTCString(), 60_070, 600_000],
  ['20', 20_070, 20_070],
])(
  'Retry-After: %s on an IPN delays the answer to a shopper who waits, but not for ten minutes',
  async (retryAfter, waiting, otherwise) => {
    const answer = { status: 503, retryAfter }
    const dueIn = async (payload: EffectPayload) => {
      const { attemptResult } = await execute(payload, answer, { calledAt: 1e9 })
      return attemptResult.type === 'retry' ? attemptResult.dueAt - 1e9 : null
    }
    expect([await dueIn(ipn), await dueIn(cancel)]).toEqual([waiting, otherwise])
  },
)

it.each([
  ['{"result":"cancelled"}', 302, 'delivered', { type: 'cancel.agreed' }],
  ['{"error":"unknown event: cancel"}', 501, 'unsupported', { type: 'cancel.unsupported' }],
  [
    '{"result":"retry","retry_in":"0005"}',
    200,
    'delivered',
    { type: 'cancel.deferred', retryInMinutes: 5 },
  ],
  [
    '{"result":"toolate","retard":90}',
    200,
    'delivered',
    { type: 'cancel.refused', lateByMinutes: 90 },
  ],
])(
  'to a question, %s with %d is %s, and the order gets its event',
  async (body, status, state, event) => {
    const result = await execute(cancel, { status, body })
    expect(result).toMatchObject({ event, attemptResult: { type: 'finished', status: state } })
  },
)

it('a delivery that fails at the end of its week is given up, and the order learns of it', async () => {
  const post = () => TE.left({ _tag: 'RequestFailure', error: 'timeout', message: '' } as const)
  const startedAt = 7 * 86_400_000
  const clock = { now: () => startedAt }
  const run = executeEffect({ providers: nobody, gateway: { post }, clock }, 0)
  expect(await run(jobOf(cancel, { startedAt }))()).toMatchObject({
    event: { type: 'cancel.exhausted' },
    attemptResult: { type: 'finished', status: 'exhausted' },
  })
})

describe('a port that throws, immediately or later,', () => {
  const fault = new Error('a fault of somebody’s')
  const throws = (): never => {
    throw fault
  }
  const rejects = () => () => Promise.reject(fault)

  it.each([
    ['at once', throws],
    ['later', rejects],
  ])('fails like any other: %s', async (_, thrown) => {
    const providers = { ...nobody, sms: { send: thrown } }
    const gateway = { post: thrown }
    const run = executeEffect({ providers, gateway, clock: { now: () => 1_000 } }, 0)
    const repeated = { attemptResult: { type: 'retry' }, thrown: describeThrown(fault) }
    expect(await run(jobOf({ kind: 'sms', to: '6', text: 'x', code: 'x' }))()).toMatchObject(
      repeated,
    )
    expect(await run(jobOf(ipn))()).toMatchObject({
      ...repeated,
      event: { type: 'ipn.erred' },
      report: { status: null, error: 'protocol_error' },
    })
  })
})

it('a screening keeps its event, whatever else the provider answers', async () => {
  const screened = { outcome: 'approved', alternative: null, type: 'decision' } as const
  const providers = { ...nobody, screening: { screen: () => TE.right(reply(screened)) } }
  const handlers = { providers, gateway: { post: refuse as never }, clock: { now: () => 1_000 } }
  const { event } = await executeEffect(handlers, 0)(jobOf({ kind: 'screening' } as never))()
  expect(event?.type).toBe('screening.resolved')
})

describe('an SMS', () => {
  const SENT = 1_000

  /** Sends an SMS whose code is void from `until` on, and which the port answers at `now`. */
  const sendSms = async (until: number, answer: ProviderReply<null>, now = SENT) => {
    let times = 0
    const send = () => {
      times += 1
      return TE.right(answer)
    }
    const sms: EffectPayload = { kind: 'sms', to: '6', text: 'x', code: 'x' }
    const job = jobOf(sms, { expiresAt: until, firstAt: SENT, startedAt: SENT })
    const sender = { providers: { ...nobody, sms: { send } }, gateway: { post: refuse as never } }
    const { attemptResult, event } = await executeEffect(
      { ...sender, clock: { now: () => now } },
      0,
    )(job)()
    return { times, attemptResult, event }
  }

  it('is sent while its code is valid, and not after the code is void', async () => {
    expect(await sendSms(SENT + 1, reply(null))).toEqual({
      times: 1,
      attemptResult: { type: 'finished', status: 'delivered' },
      event: null,
    })
    expect(await sendSms(SENT, reply(null))).toEqual({
      times: 0,
      attemptResult: { type: 'finished', status: 'stopped' },
      event: null,
    })
  })

  it('is not retried if its code would be void by then', async () => {
    expect(await sendSms(SENT + 50, retryLater(49))).toMatchObject({
      attemptResult: { type: 'retry', dueAt: SENT + 49 },
    })
    expect(await sendSms(SENT + 50, retryLater(50))).toMatchObject({
      attemptResult: { type: 'finished', status: 'stopped' },
    })
  })

  it('that is answered later is requested again after the delay, in whole milliseconds from the later of question and answer', async () => {
    expect(await sendSms(9_000, retryLater(99.5), 997)).toMatchObject({
      attemptResult: { type: 'retry', dueAt: 1_100 },
    })
    expect(await sendSms(9_000, retryLater(100), 1_030)).toMatchObject({
      attemptResult: { type: 'retry', dueAt: 1_130 },
    })
  })
})
