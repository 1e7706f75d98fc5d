// In the sandbox every webhook can be seen as it was sent, with the merchant's answer. A watched request is made on the main
// thread, where it can be observed and changed by a fault drill; under load all others go through the gateway's own thread.
import type { ClosableMerchantGateway, HttpRequest, HttpResult, SendRequest } from '@plazo/adapters/http'
import type { MerchantGateway } from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import type { Recorder } from './recorder.ts'

/** Changes what is sent or answered. */
export type Intercept = (
  call: HttpRequest,
  send: SendRequest,
) => Promise<{
  readonly result: HttpResult
  /** The request as it was sent, if it was changed. */
  readonly request?: HttpRequest
  /** The fault's name, for the timeline; null if nothing was changed. */
  readonly drill: string | null
}>

export const sendUnchanged: Intercept = async (call, send) => ({ result: await send(call), drill: null })

/** A `Webhook-Id` begins with the order's uuid. */
export const orderRefOf = ({ headers }: HttpRequest): string => (headers['Webhook-Id'] ?? '').split(':')[0] ?? ''

/** Sends the request, and records both sides of it. */
export const recordSent =
  (recorder: Recorder, intercept: Intercept, send: SendRequest): SendRequest =>
  async (call) => {
    const { result, request = call, drill } = await intercept(call, send)
    const answer = E.isRight(result) ? result.right : null
    recorder.record(call.owner, orderRefOf(call), {
      type: 'webhook',
      url: request.url.href,
      headers: request.headers,
      body: request.body,
      status: answer?.status ?? (E.isLeft(result) ? (result.left.status ?? null) : null),
      answer: answer?.body ?? '',
      error: E.isLeft(result) ? result.left.error : null,
      drill,
    })
    return result
  }

type Gateways = {
  /** Makes its requests through `recordSent`. */
  readonly watched: ClosableMerchantGateway
  readonly threaded: ClosableMerchantGateway
  readonly isWatching: (merchantRef: string) => boolean
}

export const sandboxGateway = ({ watched, threaded, isWatching }: Gateways): ClosableMerchantGateway => {
  const post: MerchantGateway['post'] = (request) =>
    (isWatching(request.merchantRef) ? watched : threaded).post(request)
  return {
    post,
    close: () => {
      watched.close()
      threaded.close()
    },
  }
}
