// Shared functions by which invariants read a trace: answers, pushed events, and the order's state
// at a place in it.

import type { StateOnWire } from '../../protocol/order-view.ts'
import { isJsonObject } from '../../protocol/scalars.ts'
import type { FormSubmission, MerchantRequest, Trace, TraceEntry, WaitPoll } from './trace.ts'

type Fields = Readonly<Record<string, unknown>>

/** The fields of a JSON object. Anything else has none. */
export const fieldsOf = (body: unknown): Fields => (isJsonObject(body) ? body : {})

/** The action of an answer, or the empty string. */
export const actionOf = ({ answer }: FormSubmission | WaitPoll): string =>
  String(fieldsOf(answer.body).action ?? '')

export const withoutCountdown = (body: unknown): Fields => {
  const { expires_in: _, ...rest } = fieldsOf(body)
  return rest
}

/** Equal as JSON, regardless of the order of members. */
export const isSameJson = (a: unknown, b: unknown): boolean => canonical(a) === canonical(b)

const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, member) =>
    isJsonObject(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  ) ?? ''

/** The parameters of a form-encoded body, in their order. */
export const parametersOf = ({
  body,
}: Pick<MerchantRequest, 'body'>): readonly (readonly [string, string])[] => [
  ...new URLSearchParams(body),
]

export const formOf = (request: Pick<MerchantRequest, 'body'>): Readonly<Record<string, string>> =>
  Object.fromEntries(parametersOf(request))

export const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

const INITIAL_STATE: StateOnWire = {
  checkout: 'identifying',
  risk: 'unassessed',
  cancellation: 'none',
}

/** The order's state at this index of the trace, from the last history line before it. */
export const stateAt = ({ entries }: Pick<Trace, 'entries'>, index: number): StateOnWire => {
  const line = entries.slice(0, index).findLast((each) => each.part === 'line')
  return line?.part === 'line' ? line.to : INITIAL_STATE
}

/** A status by which a merchant agrees. */
export const isSuccess = (status: number | null): boolean =>
  status !== null && status >= 200 && status < 300

/** A request that the order itself answers: a poll, or a form without a wrong field. */
export const isAnswered = (each: TraceEntry): each is FormSubmission | WaitPoll =>
  each.part === 'poll' || (each.part === 'submission' && isValidForm(each))

/**
 * True if the form was valid: no field is known to be wrong. If that is unknown, the answer named
 * none except a code.
 */
export const isValidForm = ({ answer, wrongFields }: FormSubmission): boolean => {
  if (wrongFields !== null) return wrongFields.length === 0
  const { action, errors } = fieldsOf(answer.body)
  const named = Object.keys(fieldsOf(errors))
  return (
    action !== 'show_identification_form' || (named.length === 1 && named[0] === 'validation_code')
  )
}

export const SECOND = 1000
export const MINUTE = 60 * SECOND
export const DAY = 24 * 60 * MINUTE
