// Sends an example event, so that a merchant can test their endpoint. It is signed and judged like
// any other, but its order is invented. It is not a delivery: it is sent once and not stored.
import { pipe } from 'fp-ts/lib/function.js'
import * as T from 'fp-ts/lib/Task.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { EventName, Outcome, Report } from '../../delivery/attempt.ts'
import { effectKey } from '../../order/effects/effect.ts'
import { eventPayload } from '../../order/effects/effects.ts'
import type { Terms } from '../../order/model.ts'
import { outcomeOf } from '../../ports/deliveries.ts'
import type { MerchantGateway } from '../../ports/merchant-gateway.ts'
import type { WaitAction } from '../../protocol/action.ts'
import type { ExampleFault } from '../../protocol/order-view.ts'
import { FORM_CONTENT_TYPE, ipnBody, type LifecycleEvent } from '../../protocol/webhook-event.ts'
import { type Host, type Refused, refuse } from '../host.ts'
import { type DeliveryPayload, deliver, type WebhookSender } from '../worker/deliver.ts'
import type { CheckUrl } from './place-order.ts'

/** An example that was sent, with the request, the answer, and how the answer counts. */
export type Example = {
  readonly id: string
  readonly payload: DeliveryPayload
  readonly outcome: Outcome
  readonly report: Report
}

type ExampleSender = WebhookSender &
  Pick<Host, 'ids'> & {
    readonly terms: Pick<Terms, 'names' | 'links'>
    readonly checkUrl: CheckUrl
  }

const REFERENCES = { first: 'EXAMPLE-1', second: '' }

const payloadOf = (
  { names, links }: ExampleSender['terms'],
  event: EventName | 'ipn',
  orderRef: string,
  url: string,
): DeliveryPayload => {
  const events: { readonly [name in EventName]: LifecycleEvent | WaitAction } = {
    cancelled: { event: 'cancelled' },
    cancel: { event: 'cancel', cancellationRequestUrl: links.cancellationRequest(orderRef) },
    denied: { event: 'denied' },
    risk_assessment: { event: 'risk_assessment', riskLevel: 'low_risk' },
    identification_action: { action: 'wait_for_confirmation' },
  }
  if (event !== 'ipn')
    return eventPayload(events[event], orderRef, REFERENCES, { url, parameters: {} })
  const body = ipnBody({
    orderRef,
    references: REFERENCES,
    productCode: 'i1',
    stateParameter: names.ipnStateParameter,
    state: 'approved',
    sinceSeconds: 0,
    notificationParameters: {},
  })
  return { kind: 'ipn', state: 'approved', url, contentType: FORM_CONTENT_TYPE, body }
}

/**
 * Sends an invented event or IPN to a merchant, signed like any other. `Refused` if the service
 * must not call the URL. A failed call is not an error: its report is part of the `Example`.
 *
 * @param fault what the receiver must survive: the request comes twice, is signed with another
 * secret, or is followed by a `cancel`. The example is then the last request.
 * @example
 * ```ts
 * const send = sendExample(sender) // the host's terms, clock, ids and gateway
 * const example = await send('shop', 'denied', 'https://shop.example/events')()
 * if (example._tag === 'Right') console.log(example.right.report.status) // 200
 * ```
 */
export const sendExample =
  (sender: ExampleSender) =>
  (
    merchantRef: string,
    event: EventName | 'ipn',
    url: string,
    fault: ExampleFault | null = null,
  ): TE.TaskEither<Refused, Example> => {
    const refusal = sender.checkUrl(url)
    if (refusal !== null) return TE.left(refuse([refusal]))
    const orderRef = sender.ids.orderRef()
    const isForged = fault === 'wrong_signature'
    const gateway: MerchantGateway = {
      post: (request) => sender.gateway.post({ ...request, isForged }),
    }

    const send = (name: EventName | 'ipn', revision: number): T.Task<Example> => {
      const payload = payloadOf(sender.terms, name, orderRef, url)
      const at = sender.clock.now()
      const job = {
        key: effectKey(orderRef, revision, 'example'),
        orderRef,
        merchantRef,
        lane: 'example',
        payload,
        expiresAt: null,
        attempt: 1,
        isResend: false,
        firstAt: at,
        startedAt: at,
        token: '',
      }
      return pipe(
        deliver({ ...sender, gateway }, 0, job, true),
        T.map(({ attemptResult, report }) => ({
          id: job.key,
          payload,
          outcome: outcomeOf(attemptResult),
          report,
        })),
      )
    }

    const first = send(event, 1)
    const next = { duplicate: first, late_cancel: send('cancel', 2), wrong_signature: null }
    const second = fault && next[fault]
    return TE.fromTask(second ? T.apSecond(second)(first) : first)
  }
