// A drill makes a fault happen: to the request on its way to the shop, or in place of the shop's
// answer. What happens is a plan, which is decided without doing anything.
import { randomBytes } from 'node:crypto'
import type { HttpRequest, HttpResult, SendRequest } from '@plazo/adapters/http'
import type { Timers } from '@plazo/adapters/system'
import * as E from 'fp-ts/lib/Either.js'
import type { ChosenFault } from './fault-drills.ts'
import type { Fault } from './protocol.ts'

type Plan = {
  /** Real seconds before anything else happens. */
  readonly seconds: number
  /** True: another delivery to the same merchant ends the wait. */
  readonly endsWhenOvertaken: boolean
  /** In place of the shop's answer: the shop is not called. */
  readonly answer: HttpResult | null
  readonly isSentTwice: boolean
  readonly hasWrongSecret: boolean
  /** True: once the shop has accepted the request, it is asked to cancel the order. */
  readonly cancelsLater: boolean
}

const SEND: Plan = {
  seconds: 0,
  endsWhenOvertaken: false,
  answer: null,
  isSentTwice: false,
  hasWrongSecret: false,
  cancelsLater: false,
}

// The gateway gives up earlier.
const ATTEMPT_SECONDS = 60

const TIMED_OUT: HttpResult = E.left({
  _tag: 'RequestFailure',
  error: 'timeout',
  message: 'The attempt timed out: a fault drill held it.',
  // As for a shop that hangs.
  reason: 'The request was sent, but no answer came within the time of an attempt.',
})

const respondWith = (status: number, body = ''): HttpResult =>
  E.right({ status, retryAfter: null, body })

/** The answer of a shop that accepts everything. */
const accept = ({ body }: Pick<HttpRequest, 'body'>): HttpResult =>
  respondWith(
    200,
    new URLSearchParams(body).get('event') === 'cancel' ? '{"result":"cancelled"}' : '',
  )

export const planOf = (
  { fault, seconds, isSecond }: ChosenFault,
  request: Pick<HttpRequest, 'body'>,
): Plan => {
  const plans: Readonly<Record<Fault, Partial<Plan>>> = {
    duplicate: { isSentTwice: true },
    delay: { seconds },
    reorder: { seconds, endsWhenOvertaken: true },
    late_cancel: { cancelsLater: true },
    wrong_signature: { hasWrongSecret: true },
    slow: { seconds, answer: accept(request) },
    hang: { seconds: ATTEMPT_SECONDS, answer: TIMED_OUT },
    error_then_ok: {
      answer: isSecond ? accept(request) : respondWith(500, 'Internal Server Error'),
    },
    not_json: { answer: respondWith(200, '<!doctype html><title>It works!</title>') },
    conflict: { answer: respondWith(409) },
    gone: { answer: respondWith(410) },
    redirect: { answer: respondWith(302) },
  }
  return { ...SEND, ...plans[fault] }
}

/** `request`: the request as it was sent. */
export type DrillResult = { readonly result: HttpResult; readonly request: HttpRequest }

type PlanParts = {
  readonly timers: Pick<Timers, 'after'>
  /** Resolves once another delivery to the same merchant has been sent. */
  readonly anotherDeliverySent: (merchantRef: string) => Promise<void>
  /** A signed `cancel` of the request's order; null if the order has no URL for events. */
  readonly lateCancel: (call: HttpRequest) => Promise<HttpRequest | null>
}

export const createRunPlan = ({ timers, anotherDeliverySent, lateCancel }: PlanParts) => {
  /** Resolves to false if the attempt's time is up before. */
  const waitFor = (
    { seconds, endsWhenOvertaken }: Plan,
    { owner, deadline }: HttpRequest,
  ): Promise<boolean> =>
    new Promise((resolve) => {
      const settle = (isInTime: boolean) => () => {
        timer.cancel()
        deadline.removeEventListener('abort', expire)
        resolve(isInTime)
      }
      const expire = settle(false)
      const timer = timers.after(seconds * 1000, settle(true))
      deadline.addEventListener('abort', expire)
      if (deadline.aborted) expire()
      if (endsWhenOvertaken) void anotherDeliverySent(owner).then(settle(true))
    })

  return async (plan: Plan, call: HttpRequest, send: SendRequest): Promise<DrillResult> => {
    if (plan.seconds > 0 && !(await waitFor(plan, call)))
      return { result: TIMED_OUT, request: call }
    if (plan.answer !== null) return { result: plan.answer, request: call }
    const request = plan.hasWrongSecret
      ? ((await call.signAnew?.({}, [randomBytes(16).toString('hex')])) ?? call)
      : call
    const result = await send(request)
    if (plan.isSentTwice) await send(request)
    const isAccepted = E.isRight(result) && result.right.status < 300
    const cancel = plan.cancelsLater && isAccepted ? await lateCancel(call) : null
    // The order knows nothing of this request, so its answer changes nothing.
    if (cancel !== null) await send(cancel)
    return { result, request }
  }
}
