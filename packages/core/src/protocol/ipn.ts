// The instant payment notification (IPN) asks the merchant to accept the order. Contract §5.
import * as t from 'io-ts'
import { description, schemaName } from './annotation.ts'
import type { OrderReferences } from './order-payload.ts'
import { textOf } from './scalars.ts'
import { encodeForm } from './webhook-event.ts'

export type IpnState = 'approved' | 'needs_review'

const Seconds = textOf('whole seconds, as digits', '^[0-9]{1,15}$', (value) => /^\d{1,15}$/.test(value))

const standard = {
  order_ref: description('The service’s own reference, the uuid of the checkout.', t.string),
  order_ref_1: description('The merchant’s primary reference, or empty.', t.string),
  order_ref_2: description('The merchant’s secondary reference, or empty.', t.string),
  product_code: description('The product of the agreement.', t.string),
}

/** The form of the IPN. The merchant's own `notification_parameters` are added to these members. */
export const ipnForm = (stateParameter: string) =>
  schemaName(
    'Ipn',
    t.union([
      t.type({
        ...standard,
        [stateParameter]: t.literal('approved'),
        approved_since: description('Whole seconds from the approval to the creation of the IPN.', Seconds),
      }),
      t.type({
        ...standard,
        [stateParameter]: t.literal('needs_review'),
        needs_review_since: description('Whole seconds from the outcome to the creation of the IPN.', Seconds),
      }),
    ]),
    'Every entry of notification_parameters is added under its own name.',
  )

/** The exact body, fixed when the IPN is created. `sinceSeconds`: whole seconds since the outcome that the IPN reports. */
export const ipnBody = (ipn: {
  readonly orderRef: string
  readonly references: OrderReferences
  readonly productCode: string
  readonly stateParameter: string
  readonly state: IpnState
  readonly sinceSeconds: number
  readonly notificationParameters: Readonly<Record<string, string>>
}): string =>
  encodeForm([
    ['order_ref', ipn.orderRef],
    ['order_ref_1', ipn.references.first],
    ['order_ref_2', ipn.references.second],
    ['product_code', ipn.productCode],
    [ipn.stateParameter, ipn.state],
    [`${ipn.state}_since`, String(ipn.sinceSeconds)],
    ...Object.entries(ipn.notificationParameters),
  ])
