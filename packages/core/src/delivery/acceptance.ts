// The meaning of a merchant's answer: which status codes are accepted for which event, and the result of an IPN or a `cancel`
// question. These are pure functions, so that the rules can be tested alone. Interface §6.1, contract §5 and §6.
import { type CancelAnswer, decodeCancelAnswer, saysUnsupported } from '../protocol/cancel-answer.ts'
import type { LifecycleEventName } from '../protocol/webhook-event.ts'

export type EventName = LifecycleEventName | 'identification_action'

const INFORMATIVE: readonly number[] = [200, 201, 202, 302, 307, 404, 501]

/** Exactly the codes of the interface. All others, such as 204, 301, 303, 308 and 410, are errors. */
export const ACCEPTED_STATUSES: { readonly [event in EventName]: readonly number[] } = {
  cancelled: INFORMATIVE,
  denied: INFORMATIVE,
  risk_assessment: INFORMATIVE,
  identification_action: INFORMATIVE,
  cancel: [200, 201, 202, 302, 307, 501],
}

/** The answer to one request. */
export type HttpResponse = {
  readonly status: number
  /** The `Retry-After` header as sent, or null. */
  readonly retryAfter: string | null
  /** At most 64 KiB of UTF-8. Null if the body was too long, broken or not requested. */
  readonly body: string | null
}

/** The statuses for which the answer's body decides. For every other status the status line decides. */
export const statusesThatNeedBody = (event: EventName): readonly number[] =>
  event === 'cancel' ? ACCEPTED_STATUSES.cancel : []

type IpnVerdict = 'accepted' | 'conflicted' | 'erred'

export const classifyIpnResponse = (status: number): IpnVerdict =>
  status >= 200 && status < 300 ? 'accepted' : status === 409 || status === 410 ? 'conflicted' : 'erred'

type EventVerdict = 'accepted' | 'erred'

export const classifyEventResponse = (event: EventName, status: number): EventVerdict =>
  ACCEPTED_STATUSES[event].includes(status) ? 'accepted' : 'erred'

export type CancelVerdict = CancelAnswer | { readonly result: 'unsupported' } | { readonly result: 'erred' }

export const classifyCancelResponse = ({ status, body }: HttpResponse): CancelVerdict => {
  if (body === null || !ACCEPTED_STATUSES.cancel.includes(status)) return { result: 'erred' }
  if (status === 501 && saysUnsupported(body)) return { result: 'unsupported' }
  return decodeCancelAnswer(body) ?? { result: 'erred' }
}
