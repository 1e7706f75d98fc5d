// Makes the fault of a drill happen: to the request on its way to the shop, or in place of the
// shop's answer.
import { randomBytes } from 'node:crypto'
import {
  type HttpRequest,
  type HttpResult,
  type SendRequest,
  sign,
  signStandardWebhook,
} from '@plazo/adapters/http'
import type { Timers } from '@plazo/adapters/system'
import type { Fault } from '@plazo/core/protocol'
import * as E from 'fp-ts/lib/Either.js'
import type { ChosenFault } from './fault-drills.ts'

/** `request`: the request as it was sent, if the fault changed it. */
export type DrillResult = { readonly result: HttpResult; readonly request?: HttpRequest }

type FaultParts = {
  readonly timers: Pick<Timers, 'after'>
  /** Resolves once another delivery to the same merchant has been sent. */
  readonly overtaken: (merchantRef: string) => Promise<void>
  /** A signed `cancel` of the request's order; null if the order has no URL for events. */
  readonly lateCancel: (call: HttpRequest) => Promise<HttpRequest | null>
  readonly signatureHeader: string
}

type MakeFault = (chosen: ChosenFault, call: HttpRequest, send: SendRequest) => Promise<DrillResult>

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
const acceptRequest = ({ body }: HttpRequest): HttpResult =>
  respondWith(
    200,
    new URLSearchParams(body).get('event') === 'cancel' ? '{"result":"cancelled"}' : '',
  )

const isAccepted = (result: HttpResult): boolean => E.isRight(result) && result.right.status < 300

export const createMakeFault = ({
  timers,
  overtaken,
  lateCancel,
  signatureHeader,
}: FaultParts): MakeFault => {
  /** Resolves to false if the attempt's time is up before. */
  const waitFor = (
    seconds: number,
    { deadline }: HttpRequest,
    earlier?: Promise<void>,
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
      void earlier?.then(settle(true))
    })

  const signWithWrongSecret = (call: HttpRequest): HttpRequest => {
    const secret = randomBytes(16).toString('hex')
    const { headers, body } = call
    const message = {
      id: headers['Webhook-Id'] ?? '',
      timestamp: Number(headers['Webhook-Timestamp']),
      body,
    }
    return {
      ...call,
      headers: {
        ...headers,
        [signatureHeader]: sign(secret, body),
        'Webhook-Signature': signStandardWebhook([secret], message),
      },
    }
  }

  const faults: Readonly<Record<Fault, MakeFault>> = {
    duplicate: async (_, call, send) => {
      const result = await send(call)
      await send(call)
      return { result }
    },
    delay: async ({ seconds }, call, send) => ({
      result: (await waitFor(seconds, call)) ? await send(call) : TIMED_OUT,
    }),
    reorder: async ({ seconds }, call, send) => ({
      result: (await waitFor(seconds, call, overtaken(call.owner))) ? await send(call) : TIMED_OUT,
    }),
    late_cancel: async (_, call, send) => {
      const result = await send(call)
      const cancel = isAccepted(result) ? await lateCancel(call) : null
      // The order knows nothing of this request, so its answer changes nothing.
      if (cancel !== null) await send(cancel)
      return { result }
    },
    wrong_signature: async (_, call, send) => {
      const request = signWithWrongSecret(call)
      return { result: await send(request), request }
    },
    slow: async ({ seconds }, call) => ({
      result: (await waitFor(seconds, call)) ? acceptRequest(call) : TIMED_OUT,
    }),
    hang: async (_, call) => {
      await waitFor(ATTEMPT_SECONDS, call)
      return { result: TIMED_OUT }
    },
    error_then_ok: async ({ isSecond }, call) => ({
      result: isSecond ? acceptRequest(call) : respondWith(500, 'Internal Server Error'),
    }),
    not_json: async () => ({ result: respondWith(200, '<!doctype html><title>It works!</title>') }),
    conflict: async () => ({ result: respondWith(409) }),
    gone: async () => ({ result: respondWith(410) }),
    redirect: async () => ({ result: respondWith(302) }),
  }

  return (chosen, call, send) => faults[chosen.fault](chosen, call, send)
}

// The gateway gives up earlier.
const ATTEMPT_SECONDS = 60
