// Connects everything that the sandbox observes to one recorder: requests, providers' answers, and webhooks. Production has none
// of it.
import type { ClosableMerchantGateway, HttpRequest, HttpResult, SendRequest } from '@plazo/adapters/http'
import type { SandboxStore } from '@plazo/adapters/sandbox'
import type { Timers } from '@plazo/adapters/system'
import type { Clock, FullStore, Providers, Unavailable } from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import type { MiddlewareHandler } from 'hono'
import { recordProviders } from './record-providers.ts'
import { recordRequests } from './record-requests.ts'
import { createRecorder, type Recorder } from './recorder.ts'
import type { TimelineParts } from './timeline.ts'

/** Changes what is sent or answered. */
type Intercept = (
  call: HttpRequest,
  send: SendRequest,
) => Promise<{
  readonly result: HttpResult
  /** The request as it was sent, if it was changed. */
  readonly request?: HttpRequest
  /** The fault's name, for the timeline; null if nothing was changed. */
  readonly drill: string | null
}>

/** The faults that are set for merchants' webhooks. */
export type WebhookFaults = {
  readonly isSet: (merchantRef: string) => boolean
  readonly intercept: Intercept
}

export type WebhookWatch = {
  /** True if a merchant's webhooks are sent where they can be observed. */
  readonly isWatching: (merchantRef: string) => boolean
  readonly wrapSend: (send: SendRequest) => SendRequest
}

export type SandboxWatch = {
  readonly recordRequests: MiddlewareHandler
  readonly watchProviders: (providers: Providers) => Providers
  readonly webhooks: WebhookWatch
  readonly records: TimelineParts['records']
  readonly messages: TimelineParts['messages']
  /** Resolves once all records are stored. */
  readonly drain: () => Promise<void>
}

// Records of one order that are read at once.
const RECORDS_MAX = 1_000

type WatchParts = {
  readonly store: Pick<FullStore, 'read'>
  readonly sandboxStore: SandboxStore
  readonly clock: Clock
  readonly timers: Pick<Timers, 'monotonicNow'>
}

export const watchSandbox = (
  { store, sandboxStore, clock, timers }: WatchParts,
  onFailure: (reason: Unavailable) => void,
  faults: WebhookFaults,
): SandboxWatch => {
  const { monotonicNow } = timers
  const recorder = createRecorder({ store: sandboxStore, clock, monotonicNow, onFailure })

  const merchantOf = async (orderRef: string): Promise<string | null> => {
    const order = await store.read(orderRef)()
    return E.isRight(order) ? order.right.placed.merchant.ref : null
  }

  return {
    recordRequests: recordRequests(recorder, clock, merchantOf),
    watchProviders: (providers) => recordProviders(providers, recorder, merchantOf),
    webhooks: {
      isWatching: (merchantRef) => faults.isSet(merchantRef) || recorder.isOpen(),
      wrapSend: (send) => recordSent(recorder, faults.intercept, send),
    },
    records: (orderRef, after) => sandboxStore.records({ orderRef }, after, RECORDS_MAX),
    messages: sandboxStore.messages,
    drain: recorder.drain,
  }
}

/** A `Webhook-Id` begins with the order's uuid. */
export const orderRefOf = ({ headers }: HttpRequest): string => (headers['Webhook-Id'] ?? '').split(':')[0] ?? ''

/** Sends the request, and records both sides of it. */
const recordSent =
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

/**
 * A watched request is made on the main thread, where it can be observed and changed by a fault drill. Under load all others go
 * through the gateway's own thread.
 */
export const sandboxGateway = ({ watched, threaded, isWatching }: Gateways): ClosableMerchantGateway => ({
  post: (request) => (isWatching(request.merchantRef) ? watched : threaded).post(request),
  close: () => {
    watched.close()
    threaded.close()
  },
})
