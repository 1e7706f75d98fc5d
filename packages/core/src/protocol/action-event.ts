// The identification-action event: what wait would answer, pushed as JSON. Interface §6.2, contract §6.
import type { WaitAction } from './action.ts'
import { sorted } from './form-encoding.ts'
import type { OrderReferences } from './order-payload.ts'

/** The exact body of the request. */
export const actionEventBody = (
  action: WaitAction,
  orderRef: string,
  references: OrderReferences,
  merchantParameters: Readonly<Record<string, string>>,
): string =>
  JSON.stringify({
    event: 'identification_action',
    ...action,
    order_ref: orderRef,
    order_ref_1: references.first,
    order_ref_2: references.second,
    ...Object.fromEntries(sorted(merchantParameters).map(([name, value]) => [`m_${name}`, value])),
  })
