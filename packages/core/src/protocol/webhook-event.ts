// The bodies of all requests to merchants: lifecycle events, action events and the IPN. Signatures
// cover these bytes. Interface §2.3, §6.1; the order of parameters: contract §6.
import * as t from 'io-ts'
import { WaitAction } from './action.ts'
import {
  annotate,
  description,
  type JsonSchema,
  mergeObjectSchemas,
  schemaName,
} from './json-schema.ts'
import type { OrderReferences } from './order-payload.ts'
import { oneOf, snakeCase, textOf } from './scalars.ts'

// Signatures cover the bytes of a form, so these must be fixed: parameters in the given order,
// encoded as by URLSearchParams. Contract §6.
type Parameters = readonly (readonly [name: string, value: string])[]

/** The content type of lifecycle events and IPNs. Interface §2.3. */
export const FORM_CONTENT_TYPE = 'application/x-www-form-urlencoded'

// URLSearchParams is provided by the host, but this use of it is a pure function, so the core may
// use it.
const encodeForm = (parameters: Parameters): string =>
  new URLSearchParams(parameters.map(([name, value]): [string, string] => [name, value])).toString()

/**
 * The merchant's own parameters as `m_<name>`, sorted by UTF-16 code unit, so that every host
 * writes the same bytes.
 */
const merchantEntries = (parameters: Readonly<Record<string, string>>): Parameters =>
  Object.entries(parameters)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => [`m_${name}`, value])

/** Who bears the risk of an order. Interface §6.1. */
export const RiskLevel = description(
  'low_risk: the service covers the risk; high_risk: it does not; under_evaluation: another event follows.',
  oneOf('low_risk', 'high_risk', 'under_evaluation'),
)
export type RiskLevel = t.TypeOf<typeof RiskLevel>

export const LIFECYCLE_EVENTS = ['cancelled', 'cancel', 'denied', 'risk_assessment'] as const

/**
 * Everything that a merchant receives: lifecycle events, action events and the IPN. Interface §6.1.
 */
export const WebhookName = oneOf(...LIFECYCLE_EVENTS, 'identification_action', 'ipn')

/** The name of a lifecycle event. Interface §6.1. */
export type LifecycleEventName = (typeof LIFECYCLE_EVENTS)[number]

/** An event about an order as values, before it becomes a form. Interface §6.1. */
export type LifecycleEvent =
  | { readonly event: 'cancelled' }
  | { readonly event: 'denied' }
  | { readonly event: 'risk_assessment'; readonly riskLevel: RiskLevel }
  | { readonly event: 'cancel'; readonly cancellationRequestUrl: string }

/** The references of an order, as every answer and every request to its merchant names them. */
export const REFERENCES = {
  order_ref: description('The service’s own reference, and the uuid of the checkout.', t.string),
  order_ref_1: description('The merchant’s primary reference, or empty.', t.string),
  order_ref_2: description('The merchant’s secondary reference, or empty.', t.string),
}

const { order_ref, order_ref_1, order_ref_2 } = REFERENCES
const commonFields = {
  charset: t.literal('UTF-8'),
  utf8: t.literal('√'),
  order_ref_1,
  order_ref_2,
  order_ref,
}

/**
 * Adds the merchant's own parameters to the schema: every member whose name begins with `m_` is a
 * string.
 */
const withMerchantParameters = <C extends t.Mixed>(codec: C): C =>
  annotate(codec, {
    schema: (schemaOf) => ({
      ...schemaOf(annotate(codec, { name: null })),
      patternProperties: {
        '^m_': { type: 'string', description: 'One for each of events_webhook.parameters.' },
      },
    }),
  })

const lifecycleForm = <Name extends LifecycleEventName, P extends t.Props>(
  name: string,
  event: Name,
  eventFields: P,
) =>
  schemaName(
    name,
    withMerchantParameters(t.type({ event: t.literal(event), ...commonFields, ...eventFields })),
  )

/** The parameters of the event that an order was cancelled. Interface §6.1. */
export const CancelledForm = lifecycleForm('CancelledEvent', 'cancelled', {})

/** The parameters of the event that a shopper was denied. Interface §6.1. */
export const DeniedForm = lifecycleForm('DeniedEvent', 'denied', {})

/** The parameters of the event with an order's risk. Interface §6.1. */
export const RiskAssessmentForm = lifecycleForm('RiskAssessmentEvent', 'risk_assessment', {
  risk_level: RiskLevel,
})

/** The parameters of the event that asks a merchant to cancel. Interface §6.1. */
export const CancelForm = lifecycleForm('CancelEvent', 'cancel', {
  cancellation_request_url: description(
    'The page on which operators process the request.',
    t.string,
  ),
})

/**
 * The exact body of the request. Every merchant parameter appears as `m_<name>`, after the event's
 * own parameters.
 */
export const lifecycleEventBody = (
  { event, ...own }: LifecycleEvent,
  orderRef: string,
  references: OrderReferences,
  merchantParameters: Readonly<Record<string, string>>,
): string =>
  encodeForm([
    ['charset', 'UTF-8'],
    ['utf8', '√'],
    ['event', event],
    ['order_ref_1', references.first],
    ['order_ref_2', references.second],
    ['order_ref', orderRef],
    ...Object.entries(own).map(([name, value]) => [snakeCase(name), value] as const),
    ...merchantEntries(merchantParameters),
  ])

const Envelope = withMerchantParameters(
  t.type({ event: t.literal('identification_action'), ...REFERENCES }),
)

/**
 * The identification_action event pushes the answer of the wait endpoint as JSON, so that merchants
 * need not poll. One of the wait endpoint's actions with its fields, and the references of its
 * order. Interface §6.2, contract §6.
 */
export const ActionEvent = schemaName(
  'IdentificationActionEvent',
  annotate(t.intersection([Envelope, WaitAction]), {
    schema: (schemaOf) => {
      const { patternProperties, ...envelope } = schemaOf(Envelope)
      const actions = schemaOf(annotate(WaitAction, { name: null })).anyOf as readonly JsonSchema[]
      return {
        anyOf: actions.map((action) => ({
          ...mergeObjectSchemas([envelope, action]),
          patternProperties,
        })),
      }
    },
  }),
  'The current answer of the wait endpoint, with the order’s references.',
)

/** The exact body of an action event, as JSON. Interface §6.2. */
export const actionEventBody = (
  action: WaitAction,
  orderRef: string,
  references: OrderReferences,
  merchantParameters: Readonly<Record<string, string>>,
): string => {
  const fields: t.TypeOf<typeof ActionEvent> = {
    event: 'identification_action',
    ...action,
    order_ref: orderRef,
    order_ref_1: references.first,
    order_ref_2: references.second,
  }
  return JSON.stringify({ ...fields, ...Object.fromEntries(merchantEntries(merchantParameters)) })
}

/** How an IPN names the order: approved, or on hold until an operator decides. Contract §6. */
export type IpnState = 'approved' | 'needs_review'

/**
 * The instant payment notification (IPN) asks the merchant to accept the order. The merchant's own
 * `notification_parameters` are added to these members. Contract §5.
 */
export const ipnForm = (stateParameter: string) => {
  const formOf = (state: IpnState, start: string) =>
    t.type({
      ...REFERENCES,
      product_code: t.string,
      [stateParameter]: t.literal(state),
      [`${state}_since`]: description(
        `Whole seconds from the ${start} to the creation of the IPN.`,
        textOf('whole seconds, as digits', /^[0-9]{1,15}$/u),
      ),
    })
  return schemaName(
    'Ipn',
    t.union([formOf('approved', 'approval'), formOf('needs_review', 'outcome')]),
    'Every entry of notification_parameters is added under its own name.',
  )
}

/**
 * The exact body, fixed when the IPN is created. `sinceSeconds`: whole seconds since the outcome
 * that the IPN reports.
 */
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
