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
} from '@plazo/core/internal'
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
  | (Subject & ActionEvent)
  | (Omit<Subject, 'parameters'> & {
      readonly event: 'ipn'
      readonly productCode: string
      readonly state: IpnState
      /** Whole seconds from the outcome to the creation of the IPN. */
      readonly sinceSeconds: number
      readonly notificationParameters: Readonly<Record<string, string>>
    })

type ActionEvent = { readonly event: 'identification_action'; readonly action: WaitAction }

/** 501: an unknown event. 400: not a request that the service sends. */
type ReadError = { readonly status: 400 | 501; readonly detail: string }

export const unknownEvent = (event: string): string => `Unknown event: ${event}`

/** Reads JSON if `contentType` says so, and a form otherwise. */
export const readWebhook = (
  contentType: string | null,
  body: string,
  ipnStateParameter: string,
): E.Either<ReadError, Webhook> => {
  const isJson = /^application\/json\s*(;|$)/i.test(contentType?.trim() ?? '')
  // The content type is not signed. Text in a recorded action event must not become an event of its
  // own when it comes as a form.
  if (!isJson && body.trimStart().startsWith('{'))
    return malformedError('The body is JSON, but its content type is not.')
  const fields = isJson
    ? O.toUndefined(O.tryCatch((): unknown => JSON.parse(body)))
    : Object.fromEntries(new URLSearchParams(body))
  if (!isJsonObject(fields)) return malformedError('The body is not a JSON object.')
  // No event has a parameter of this name, because the merchant's own parameters have the prefix
  // `m_` there. In an IPN they do not, so an entry called `event` proves nothing.
  const isIpn = !isJson && 'product_code' in fields
  const content = isIpn ? readIpn(fields, ipnStateParameter) : readEvent(fields, isJson)
  const { order_ref: orderRef, order_ref_1: first = '', order_ref_2: second = '' } = fields
  if (E.isLeft(content)) return content
  if (typeof orderRef !== 'string' || typeof first !== 'string' || typeof second !== 'string')
    return malformedError('The body has no order_ref.')
  return E.right({ ...content.right, orderRef, references: { first, second } })
}

type Fields = Readonly<Record<string, unknown>>

/** A webhook without its order. The properties of each are left out separately. */
type Content<Each = Webhook> = Each extends unknown ? Omit<Each, 'orderRef' | 'references'> : never

const malformedError = (detail: string): E.Either<ReadError, never> =>
  E.left({ status: 400, detail })

const isText = (entry: [string, unknown]): entry is [string, string] => typeof entry[1] === 'string'

const PREFIX = 'm_'

const readEvent = (fields: Fields, isJson: boolean): E.Either<ReadError, Content> => {
  const { event, risk_level: riskLevel, cancellation_request_url: cancellationRequestUrl } = fields
  if (typeof event !== 'string') return malformedError('The body has no event.')
  const prefixed = Object.entries(fields).filter(([name]) => name.startsWith(PREFIX))
  if (!prefixed.every(isText)) return malformedError('A parameter of the merchant is not a string.')
  const parameters = Object.fromEntries(
    prefixed.map(([name, value]) => [name.slice(PREFIX.length), value]),
  )
  if (isJson && event === 'identification_action') {
    const action = WaitAction.decode(fields)
    return E.isRight(action)
      ? E.right({ event, action: action.right, parameters })
      : malformedError('The action is not one of the wait endpoint.')
  }
  if (!isJson && (event === 'cancelled' || event === 'denied'))
    return E.right({ event, parameters })
  if (!isJson && event === 'risk_assessment')
    return RiskLevel.is(riskLevel)
      ? E.right({ event, riskLevel, parameters })
      : malformedError('risk_level is not a known level.')
  if (!isJson && event === 'cancel')
    return typeof cancellationRequestUrl === 'string'
      ? E.right({ event, cancellationRequestUrl, parameters })
      : malformedError('cancellation_request_url is missing.')
  return E.left({ status: 501, detail: unknownEvent(event) })
}

const isState = (value: unknown): value is IpnState =>
  value === 'approved' || value === 'needs_review'

const readIpn = (fields: Fields, stateParameter: string): E.Either<ReadError, Content> => {
  const { product_code: productCode, [stateParameter]: state } = fields
  if (!isState(state)) {
    const [other] = Object.entries(fields).find(([, value]) => isState(value)) ?? []
    return malformedError(
      `${stateParameter} is neither approved nor needs_review${other === undefined ? '.' : `, but ${other} is. \`names\` decides the parameter.`}`,
    )
  }
  const since = String(fields[`${state}_since`])
  if (!/^\d{1,15}$/.test(since))
    return malformedError(`${state}_since is not a whole number of seconds.`)
  const standard = ipnParameterNames(stateParameter)
  const others = Object.entries(fields).filter(([name]) => !standard.includes(name))
  return E.right({
    event: 'ipn',
    productCode: String(productCode),
    state,
    sinceSeconds: Number(since),
    notificationParameters: Object.fromEntries(others.filter(isText)),
  })
}
