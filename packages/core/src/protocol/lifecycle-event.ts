// The order lifecycle events, form-encoded. Interface §2.3, §6.1; the order of parameters is contract §6.
import * as t from 'io-ts'
import { formEncoded, type Parameters, sorted } from './form-encoding.ts'
import type { OrderReferences } from './order-payload.ts'

export const RiskLevel = t.keyof({ low_risk: null, high_risk: null, under_evaluation: null })
export type RiskLevel = t.TypeOf<typeof RiskLevel>

export const LIFECYCLE_EVENTS = ['cancelled', 'cancel', 'denied', 'risk_assessment'] as const
export type LifecycleEventName = (typeof LIFECYCLE_EVENTS)[number]

export type LifecycleEvent =
  | { readonly event: 'cancelled' }
  | { readonly event: 'denied' }
  | { readonly event: 'risk_assessment'; readonly riskLevel: RiskLevel }
  | { readonly event: 'cancel'; readonly cancellationRequestUrl: string }

const ownParameters = (event: LifecycleEvent): Parameters => {
  switch (event.event) {
    case 'risk_assessment':
      return [['risk_level', event.riskLevel]]
    case 'cancel':
      return [['cancellation_request_url', event.cancellationRequestUrl]]
    case 'cancelled':
    case 'denied':
      return []
  }
}

/** The exact body of the request. Every merchant parameter appears as `m_<name>`, after the event's own. */
export const lifecycleEventBody = (
  event: LifecycleEvent,
  orderRef: string,
  references: OrderReferences,
  merchantParameters: Readonly<Record<string, string>>,
): string =>
  formEncoded([
    ['charset', 'UTF-8'],
    ['utf8', '√'],
    ['event', event.event],
    ['order_ref_1', references.first],
    ['order_ref_2', references.second],
    ['order_ref', orderRef],
    ...ownParameters(event),
    ...sorted(merchantParameters).map(([name, value]) => [`m_${name}`, value] as const),
  ])
