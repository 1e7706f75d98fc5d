// The instant payment notification: the merchant is asked to take the order. Contract §5.
import { formEncoded } from './form-encoding.ts'
import type { OrderReferences } from './order-payload.ts'

export type IpnState = 'approved' | 'needs_review'

/** The exact body, fixed when the IPN is made; `sinceSeconds` is whole seconds since the outcome it tells of. */
export const ipnBody = (ipn: {
  readonly orderRef: string
  readonly references: OrderReferences
  readonly productCode: string
  readonly stateParameter: string
  readonly state: IpnState
  readonly sinceSeconds: number
  readonly notificationParameters: Readonly<Record<string, string>>
}): string =>
  formEncoded([
    ['order_ref', ipn.orderRef],
    ['order_ref_1', ipn.references.first],
    ['order_ref_2', ipn.references.second],
    ['product_code', ipn.productCode],
    [ipn.stateParameter, ipn.state],
    [`${ipn.state}_since`, String(ipn.sinceSeconds)],
    ...Object.entries(ipn.notificationParameters),
  ])
