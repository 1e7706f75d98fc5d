// How invariants read a trace: what was answered, what was pushed, and what the order was at a place in it.
import { isJsonObject } from '../protocol/cancel-answer.ts'
import type { StateOnWire } from '../protocol/order-view.ts'
import type { Polled, Seen, Sent, Submitted, Trace } from './trace.ts'

type Fields = Readonly<Record<string, unknown>>

/** Not what a JSON object should be: no fields at all. */
export const fieldsOf = (body: unknown): Fields => (isJsonObject(body) ? body : {})

/** The action of an answer, or the empty string. */
export const actionOf = ({ answer }: Submitted | Polled): string => String(fieldsOf(answer.body).action ?? '')

export const withoutCountdown = (body: unknown): Fields => {
  const { expires_in: _, ...rest } = fieldsOf(body)
  return rest
}

/** Equal as JSON, the order of members aside. */
export const isSameJson = (a: unknown, b: unknown): boolean => canonical(a) === canonical(b)

const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, member) =>
    isJsonObject(member) ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1))) : member,
  ) ?? ''

/** A form-encoded body as its parameters, in their order. */
export const parametersOf = ({ body }: Pick<Sent, 'body'>): readonly (readonly [string, string])[] => [
  ...new URLSearchParams(body),
]

export const formOf = (sent: Pick<Sent, 'body'>): Readonly<Record<string, string>> =>
  Object.fromEntries(parametersOf(sent))

export const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

const AT_FIRST: StateOnWire = { checkout: 'identifying', risk: 'unassessed', cancellation: 'none' }

/** The order's state at this place of the trace, by the last line of its history before it. */
export const stateAt = ({ seen }: Pick<Trace, 'seen'>, index: number): StateOnWire => {
  const line = seen.slice(0, index).findLast((each) => each.part === 'line')
  return line?.part === 'line' ? line.to : AT_FIRST
}

/** A question that the order itself was to answer: a poll, or a form without a wrong field. */
export const isAnswered = (each: Seen): each is Submitted | Polled =>
  each.part === 'poll' || (each.part === 'submission' && isTakenIn(each))

/** A valid form: nobody knows of a wrong field, and none was named but a code's. */
export const isTakenIn = ({ answer, wrongFields }: Submitted): boolean => {
  if (wrongFields !== null) return wrongFields.length === 0
  const { action, errors } = fieldsOf(answer.body)
  const named = Object.keys(fieldsOf(errors))
  return action !== 'show_identification_form' || (named.length === 1 && named[0] === 'validation_code')
}

export const SECOND = 1000
export const MINUTE = 60 * SECOND
export const DAY = 24 * 60 * MINUTE
