// The tools with which a sandbox merchant tests its webhooks: the inbox and the fault drills. Both handle the same requests, so they are made together.
import { EventEmitter, once } from 'node:events'
import type { HttpRequest, HttpResult, SendRequest } from '@plazo/adapters/http'
import { redirectDetail, type Unavailable } from '@plazo/core/ports'
import { FORM_CONTENT_TYPE, lifecycleEventBody } from '@plazo/core/protocol'
import * as E from 'fp-ts/lib/Either.js'
import { linksFrom } from '../../settings/config.ts'
import type { Recorder } from '../recorder.ts'
import type { SandboxParts } from '../watch.ts'
import { createRunPlan, type DrillResult, planOf } from './drill-faults.ts'
import type { DrilledDelivery, FaultDrills } from './fault-drills.ts'
import { createWebhookInbox, eventIn } from './webhook-inbox.ts'

export type WebhookTools = {
  readonly inbox: ReturnType<typeof createWebhookInbox>
  readonly drills: FaultDrills
  /**
   * True if a merchant's webhooks are sent on the main thread, where they can be observed and
   * changed.
   */
  readonly isWatching: (merchantRef: string) => boolean
  /** Records both sides of each request. */
  readonly wrapSend: (forward: SendRequest) => SendRequest
  /** The fault drill that touches the delivery with this `Webhook-Id` at this moment, or null. */
  readonly drillOf: (webhookId: string) => string | null
  /** True, once, if a drill touched the delivery's last attempt on this node. */
  readonly takeDrilled: (webhookId: string) => boolean
}

type ToolParts = SandboxParts & {
  readonly recorder: Recorder
  readonly drills: FaultDrills
}

/** `drill`: the fault's name; null if nothing was changed. */
type SentWebhook = DrillResult & { readonly drill: string | null }

const REMEMBERED = 10_000

export const createWebhookTools = (
  { store, records, clock, timers, recorder, drills }: ToolParts,
  { baseUrl }: { readonly baseUrl: string },
  onFailure: (reason: Unavailable) => void,
): WebhookTools => {
  const inbox = createWebhookInbox({ store, records, clock }, onFailure)
  /** By `Webhook-Id`: the fault of an attempt, until its job is completed. */
  const faultedDeliveries = new Map<string, string>()
  const sendings = new EventEmitter().setMaxListeners(0)

  /** Resolves once another delivery to the same merchant has been sent. */
  const anotherDeliverySent = async (merchantRef: string): Promise<void> => {
    await once(sendings, sentTo(merchantRef))
  }

  const lateCancel = async (call: HttpRequest): Promise<HttpRequest | null> => {
    const orderRef = orderRefOf(call)
    const order = await store.read(orderRef)()
    if (E.isLeft(order) || order.right.placed.eventsWebhook === null) return null
    const { url, parameters } = order.right.placed.eventsWebhook
    const cancel = {
      event: 'cancel',
      cancellationRequestUrl: linksFrom(baseUrl).cancellationRequest(orderRef),
    } as const
    const { references } = order.right.context
    const signed = await call.signAnew?.({
      id: `${orderRef}:0:late_cancel`,
      url,
      body: lifecycleEventBody(cancel, orderRef, references, parameters),
      contentType: FORM_CONTENT_TYPE,
    })
    return signed === undefined ? null : { ...signed, readsBody: true }
  }

  const runPlan = createRunPlan({ timers, anotherDeliverySent, lateCancel })

  /**
   * A request that never reaches the receivers of this server, although it is addressed to them, is
   * still kept.
   */
  const storeUnsentRequest = (call: HttpRequest, drill: string, result: HttpResult): void => {
    const { pathname, origin } = call.url
    if (origin !== new URL(baseUrl).origin || !/^\/(demo|inbox)\//.test(pathname)) return
    const answer = E.isRight(result) ? result.right : { status: 0, body: '' }
    inbox.keep(call.owner, {
      endpoint: /\/(ipn|notify)$/.test(pathname) ? 'ipn' : 'events',
      signature: 'right',
      headers: Object.fromEntries(new Headers(call.headers)),
      body: Buffer.from(call.body),
      status: answer.status,
      response: answer.body ?? '',
      drill,
    })
  }

  /** Sends the request as the drills of its merchant want it. */
  const sendThroughTools = async (
    call: HttpRequest,
    forward: SendRequest,
  ): Promise<SentWebhook> => {
    const delivery = deliveryOf(call)
    const chosen = delivery.id.endsWith(':example') ? null : await drills.choose(delivery)
    if (chosen === null) {
      // An attempt whose job another node completed may have left it.
      faultedDeliveries.delete(delivery.id)
      const result = await forward(call)
      sendings.emit(sentTo(call.owner))
      return { result, request: call, drill: null }
    }
    if (faultedDeliveries.size >= REMEMBERED) faultedDeliveries.clear()
    faultedDeliveries.set(delivery.id, chosen.fault)
    let isSent = false
    const sendAndNote: SendRequest = (request) => {
      isSent = true
      return forward(request)
    }
    const drilled = await runPlan(planOf(chosen, call), call, sendAndNote)
    if (!isSent) storeUnsentRequest(call, chosen.fault, drilled.result)
    return { ...drilled, drill: chosen.fault }
  }

  return {
    inbox,
    drills,
    isWatching: (merchantRef) => drills.isSet(merchantRef) || recorder.isOpen(),
    wrapSend: (forward) => async (call) => {
      const { result, request, drill } = await sendThroughTools(call, forward)
      const answer = E.isRight(result) ? result.right : null
      const failure = E.isLeft(result) ? result.left : null
      const reason = answer === null ? failure?.reason : redirectDetail(answer, request.url.href)
      // An example is about an order that does not exist, and nothing of it is stored.
      recorder.record(orderRefOf(call), {
        type: 'webhook',
        url: request.url.href,
        headers: request.headers,
        body: request.body,
        status: answer?.status ?? failure?.status ?? null,
        answer: answer?.shownBody ?? answer?.body ?? '',
        error: failure?.error ?? null,
        ...(reason !== undefined && { reason }),
        drill,
      })
      return result
    },
    drillOf: (webhookId) => faultedDeliveries.get(webhookId) ?? null,
    takeDrilled: (webhookId) => faultedDeliveries.delete(webhookId),
  }
}

/** A `Webhook-Id` begins with the order's uuid. */
const orderRefOf = (call: HttpRequest): string => idOf(call).split(':')[0] ?? ''

const sentTo = (merchantRef: string): string => `sent to ${merchantRef}`

const idOf = ({ headers }: HttpRequest): string => headers['Webhook-Id'] ?? ''

const deliveryOf = (call: HttpRequest): DrilledDelivery => ({
  merchantRef: call.owner,
  orderRef: orderRefOf(call),
  event: eventIn(call.body) ?? 'ipn',
  id: idOf(call),
})
