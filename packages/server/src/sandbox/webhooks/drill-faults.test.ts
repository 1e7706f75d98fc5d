import { type HttpRequest, type HttpResult, sign, verify } from '@plazo/adapters/http'
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { createRunPlan, planOf } from './drill-faults.ts'
import { type Fault, STAND_IN_DRILLS } from './protocol.ts'

const SECRET = '0123456789abcdef0123456789abcdef'
const IPN = 'order_ref=U&product_code=i1'

const setUp = (answer: HttpResult = E.right({ status: 200, retryAfter: null, body: '' })) => {
  const timers: { readonly millis: number; readonly call: () => void }[] = []
  const requests: HttpRequest[] = []
  const state = { letPass: (): void => {} }
  const cancel = { url: new URL('http://shop.example/events'), body: 'event=cancel' } as HttpRequest
  const runPlan = createRunPlan({
    timers: {
      after: (millis, call) => {
        timers.push({ millis, call })
        return { cancel: () => {} }
      },
    },
    anotherDeliverySent: () =>
      new Promise((resolve) => {
        state.letPass = resolve
      }),
    lateCancel: async () => cancel,
  })
  const deadline = new AbortController()
  // The plans read only these members.
  const callOf = (body: string, secret = SECRET): HttpRequest =>
    ({
      url: new URL('http://shop.example/ipn'),
      owner: 'shop',
      headers: { 'X-Service-Signature': sign(secret, body) },
      body,
      deadline: deadline.signal,
      signAnew: async (_: object, [other]: readonly string[] = [secret]) => callOf(body, other),
    }) as unknown as HttpRequest
  const run = (fault: Fault, { body = IPN, isSecond = false } = {}) => {
    const call = callOf(body)
    return runPlan(planOf({ fault, seconds: 5, isSecond }, call), call, async (request) => {
      requests.push(request)
      return answer
    })
  }
  return { run, requests, timers, state, deadline }
}

const answerOf = async (drilled: Promise<{ readonly result: HttpResult }>) => {
  const { result } = await drilled
  return E.isRight(result) ? [result.right.status, result.right.body] : result.left.error
}

describe('a drill of the shop', () => {
  it('duplicate: sends the same request twice, and the first answer counts', async () => {
    const { run, requests } = setUp()
    expect(await answerOf(run('duplicate'))).toEqual([200, ''])
    expect(requests).toHaveLength(2)
    expect(requests[0]).toBe(requests[1])
  })

  it.each(['delay', 'reorder'] as const)('%s: sends the request later', async (fault) => {
    const { run, requests, timers } = setUp()
    const drilled = run(fault)
    expect([requests.length, timers[0]?.millis]).toEqual([0, 5_000])
    timers[0]?.call()
    expect(await answerOf(drilled)).toEqual([200, ''])
    expect(requests).toHaveLength(1)
  })

  it('reorder: holds the request until another one has passed', async () => {
    const { run, requests, state } = setUp()
    const drilled = run('reorder')
    expect(requests).toEqual([])
    state.letPass()
    expect(await answerOf(drilled)).toEqual([200, ''])
  })

  it('late_cancel: asks to cancel an order that the shop has just accepted', async () => {
    const { run, requests } = setUp()
    expect(await answerOf(run('late_cancel'))).toEqual([200, ''])
    expect(requests.map(({ body }) => body)).toEqual([IPN, 'event=cancel'])
  })

  it('late_cancel: asks for nothing if the shop did not accept the order', async () => {
    const { run, requests } = setUp(E.right({ status: 409, retryAfter: null, body: '' }))
    await run('late_cancel')
    expect(requests).toHaveLength(1)
  })

  it('wrong_signature: sends the request with a signature of another secret', async () => {
    const { run, requests } = setUp()
    await run('wrong_signature')
    const { headers = {}, body = '' } = requests[0] ?? {}
    expect(body).toBe(IPN)
    expect(verify(SECRET, body, headers['X-Service-Signature'] ?? '')).toBe(false)
  })
})

describe('a drill that answers in place of the shop', () => {
  it('slow: accepts, but only after a while', async () => {
    const { run, timers } = setUp()
    const drilled = run('slow', { body: 'event=cancel' })
    timers[0]?.call()
    expect(await answerOf(drilled)).toEqual([200, '{"result":"cancelled"}'])
  })

  it('error_then_ok: fails once, and then accepts', async () => {
    const { run } = setUp()
    expect(await answerOf(run('error_then_ok'))).toEqual([500, expect.any(String)])
    expect(await answerOf(run('error_then_ok', { isSecond: true }))).toEqual([200, ''])
  })

  it.each([
    ['not_json', 200],
    ['conflict', 409],
    ['gone', 410],
    ['redirect', 302],
  ] as const)('%s: answers %d', async (fault, status) => {
    const { run } = setUp()
    expect(await answerOf(run(fault))).toEqual([status, expect.any(String)])
  })

  it.each(STAND_IN_DRILLS)('never calls the shop: %s', async (fault) => {
    const { run, requests, deadline } = setUp()
    const drilled = run(fault)
    deadline.abort()
    await drilled
    expect(requests).toEqual([])
  })
})

it.each(['delay', 'reorder', 'hang'] as const)(
  'a request that %s holds too long is an attempt that timed out',
  async (fault) => {
    const { run, requests, deadline } = setUp()
    const drilled = run(fault)
    deadline.abort()
    expect(await answerOf(drilled)).toBe('timeout')
    expect(requests).toEqual([])
  },
)
