// Parses the body of an event or IPN that the service sends to a merchant. Interface §2.3, §6;
// contract §5, §6.
import {
  type IpnState,
  ipnParameterNames,
  isJsonObject,
  type LifecycleEvent,
  type OrderReferences,
  RiskLevel,
  WaitAction,
} from '@plazo/core/protocol'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'

/**
 * The order of an event, and the merchant's own `events_webhook.parameters`, without the prefix
 * `m_`.
 */
export type Subject = {
  readonly orderRef: string
  /** An empty string for each reference that the shop has not given. */
  readonly references: OrderReferences
  readonly parameters: Readonly<Record<string, string>>
}

/**
 * A verified event or IPN as values. An identification action has the wait action that the frontend
 * would get. Interface §2.3, §6.
 */
export type Webhook =
  | (Subject & LifecycleEvent)
  | (Subject & { readonly event: 'identification_action'; readonly action: WaitAction })
  | {
      readonly event: 'ipn'
      readonly orderRef: string
      readonly references: OrderReferences
      readonly productCode: string
      readonly state: IpnState
      /** Whole seconds from the outcome to the creation of the IPN. */
      readonly sinceSeconds: number
      readonly notificationParameters: Readonly<Record<string, string>>
    }

export type ReadError =
  | { readonly _tag: 'UnknownEvent'; readonly event: string }
  | { readonly _tag: 'Malformed'; readonly detail: string }

type ParseResult = E.Either<ReadError, Webhook>

/** Reads JSON if `contentType` says so, and a form otherwise. */
export const readWebhook = (
  contentType: string | null,
  body: string,
  ipnStateParameter: string,
): ParseResult => {
  if (/^application\/json\s*(;|$)/i.test(contentType?.trim() ?? '')) return readActionEvent(body)
  // The content type is not signed. Text in a recorded action event must not become an event of its
  // own when it comes as a form.
  if (body.trimStart().startsWith('{'))
    return malformedError('The body is JSON, but its content type is not.')
  const form = new URLSearchParams(body)
  // No event has a parameter of this name, because the merchant's own parameters have the prefix
  // `m_` there. In an IPN they do not, so an entry called `event` proves nothing.
  return form.has('product_code') ? readIpn(form, ipnStateParameter) : readLifecycleEvent(form)
}

const malformedError = (detail: string): E.Either<ReadError, never> =>
  E.left({ _tag: 'Malformed', detail })
const unknownEvent = (event: string): E.Either<ReadError, never> =>
  E.left({ _tag: 'UnknownEvent', event })

const NO_EVENT = 'The body has no event.'
const NO_ORDER = 'The body has no order_ref.'

const PREFIX = 'm_'

const referencesOf = (form: URLSearchParams): OrderReferences => ({
  first: form.get('order_ref_1') ?? '',
  second: form.get('order_ref_2') ?? '',
})

const ownParameters = (
  entries: Iterable<readonly [string, string]>,
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [...entries].flatMap(([name, value]) =>
      name.startsWith(PREFIX) ? [[name.slice(PREFIX.length), value]] : [],
    ),
  )

const readLifecycleEvent = (form: URLSearchParams): ParseResult => {
  const event = form.get('event')
  if (event === null) return malformedError(NO_EVENT)
  const orderRef = form.get('order_ref')
  const withReferences = (lifecycleEvent: LifecycleEvent): ParseResult =>
    orderRef === null
      ? malformedError(NO_ORDER)
      : E.right({
          ...lifecycleEvent,
          orderRef,
          references: referencesOf(form),
          parameters: ownParameters(form),
        })
  switch (event) {
    case 'cancelled':
    case 'denied':
      return withReferences({ event })
    case 'risk_assessment': {
      const riskLevel = form.get('risk_level')
      return RiskLevel.is(riskLevel)
        ? withReferences({ event, riskLevel })
        : malformedError('risk_level is not a known level.')
    }
    case 'cancel': {
      const cancellationRequestUrl = form.get('cancellation_request_url')
      return cancellationRequestUrl === null
        ? malformedError('cancellation_request_url is missing.')
        : withReferences({ event, cancellationRequestUrl })
    }
    default:
      return unknownEvent(event)
  }
}

const readIpn = (form: URLSearchParams, stateParameter: string): ParseResult => {
  const orderRef = form.get('order_ref')
  if (orderRef === null) return malformedError(NO_ORDER)
  const state = form.get(stateParameter)
  if (state !== 'approved' && state !== 'needs_review')
    return malformedError(`${stateParameter} is neither approved nor needs_review.`)
  const since = form.get(`${state}_since`)
  if (since === null || !/^\d{1,15}$/.test(since))
    return malformedError(`${state}_since is not a whole number of seconds.`)
  const standard = ipnParameterNames(stateParameter)
  return E.right({
    event: 'ipn',
    orderRef,
    references: referencesOf(form),
    productCode: form.get('product_code') ?? '',
    state,
    sinceSeconds: Number(since),
    notificationParameters: Object.fromEntries(
      [...form].filter(([name]) => !standard.includes(name)),
    ),
  })
}

const isText = (entry: [string, unknown]): entry is [string, string] => typeof entry[1] === 'string'

const readActionEvent = (body: string): ParseResult => {
  const json = O.toUndefined(O.tryCatch((): unknown => JSON.parse(body)))
  if (!isJsonObject(json)) return malformedError('The body is not a JSON object.')
  const { event, order_ref: orderRef, order_ref_1: first = '', order_ref_2: second = '' } = json
  if (typeof event !== 'string') return malformedError(NO_EVENT)
  if (event !== 'identification_action') return unknownEvent(event)
  if (typeof orderRef !== 'string' || typeof first !== 'string' || typeof second !== 'string')
    return malformedError(NO_ORDER)
  const prefixed = Object.entries(json).filter(([name]) => name.startsWith(PREFIX))
  if (!prefixed.every(isText)) return malformedError('A parameter of the merchant is not a string.')
  const action = WaitAction.decode(json)
  if (E.isLeft(action)) return malformedError('The action is not one of the wait endpoint.')
  return E.right({
    event,
    action: action.right,
    orderRef,
    references: { first, second },
    parameters: ownParameters(prefixed),
  })
}
