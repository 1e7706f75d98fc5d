// What carrying out a delivery reports of its attempt; what it tells the order, the contract and the journeys hold.
import * as TE from 'fp-ts/lib/TaskEither.js'
import { describe, expect, it } from 'vitest'
import type { Heard } from '../delivery/acceptance.ts'
import type { Work } from '../order/effect.ts'
import type { Deciders } from '../ports/deciders.ts'
import type { RequestFailure } from '../ports/merchant-gateway.ts'
import type { Entry } from '../ports/store.ts'
import { carryOut } from './carry-out.ts'
import type { Result } from './result.ts'

const request = { url: 'http://127.0.0.1/x', contentType: 'text/plain', body: 'x' }
const ipn: Work = { kind: 'ipn', state: 'approved', ...request }
const cancel: Work = { kind: 'event', event: 'cancel', ...request }

const refuse = () => TE.left({ message: 'nobody decides here' })
const nobody = new Proxy({}, { get: () => new Proxy({}, { get: () => refuse }) }) as Deciders

const carried = (work: Work, answer: Partial<Heard> | RequestFailure['error']): Promise<Result> => {
  let now = 1_000
  const post = () => {
    now += 70
    return typeof answer === 'string'
      ? TE.left({ _tag: 'RequestFailure', error: answer, message: 'in full' } as const)
      : TE.right({ status: 200, retryAfter: null, body: null, ...answer })
  }
  const entry: Entry = {
    key: 'o:2:lane',
    orderRef: 'o',
    merchantRef: 'demo',
    lane: 'lane',
    work,
    until: null,
    attempt: 1,
    isResend: false,
    firstAt: 900,
    startedAt: 900,
    token: 't',
  }
  return carryOut({ deciders: nobody, gateway: { post: () => () => post()() }, clock: { now: () => now } }, 0)(entry)()
}

describe('the report of an attempt', () => {
  it('tells status, answer and how long it took, and no error of what was accepted', async () => {
    const { report } = await carried(cancel, { status: 200, body: '{"result":"cancelled"}' })
    expect(report).toEqual({ durationMillis: 70, status: 200, error: null, response: '{"result":"cancelled"}' })
    expect((await carried(ipn, { status: 409 })).report).toMatchObject({ status: 409, error: null, response: null })
  })

  it('says in one word why an answer was not accepted', async () => {
    expect((await carried(ipn, { status: 500 })).report).toMatchObject({ status: 500, error: 'unaccepted_status' })
    expect((await carried(cancel, { status: 200, body: 'no JSON' })).report).toMatchObject({
      status: 200,
      error: 'unreadable_answer',
      response: 'no JSON',
    })
  })

  it('says in one word why there was none', async () => {
    expect((await carried(ipn, 'timeout')).report).toEqual({
      durationMillis: 70,
      status: null,
      error: 'timeout',
      response: null,
    })
  })

  it('is made of deliveries alone', async () => {
    expect((await carried({ kind: 'timer', timer: 'x.1' }, {})).report).toBeNull()
    expect((await carried({ kind: 'sms', to: '6', text: 'x', code: 'x' }, {})).report).toBeNull()
  })
})
