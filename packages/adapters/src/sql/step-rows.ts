// Both SQL stores write these parts of a step in the same way: the state as text, whether the order waits for an operator, and
// the payloads of effects that may be stored unencrypted, so that they can be read without a key.

import { type EffectPayload, type OperatorTask, type OrderState, operatorTaskOf, type Step } from '@plazo/core'

/** A step writes to the list of waiting orders only if it changes why its order waits. Null: it changes nothing about that. */
export const operatorTaskChange = ({
  journal,
}: Step): { readonly why: OperatorTask | null; readonly since: number } | null => {
  const [first, last] = [journal[0], journal.at(-1)]
  if (first === undefined || last === undefined) return null
  const why = operatorTaskOf(last.to)
  return why === operatorTaskOf(first.from) ? null : { why, since: last.at }
}

/** The journal's columns hold an order's state as text: three names, separated by spaces. */
export const encodeState = ({ checkout, risk, cancellation }: OrderState): string =>
  `${checkout} ${risk} ${cancellation}`

export const decodeState = (text: string): OrderState => {
  const [checkout, risk, cancellation] = text.split(' ')
  return { checkout, risk, cancellation } as OrderState
}

// Payloads of these kinds contain only plazo's own keys of payments and timers, and no personal data.
const UNENCRYPTED_KINDS = new Set<EffectPayload['kind']>(['timer', 'void', 'refund'])

export const hasNoPersonalData = ({ kind }: EffectPayload): boolean => UNENCRYPTED_KINDS.has(kind)

/** Parses a payload that was stored unencrypted. Throws if its kind must be encrypted. */
export const parseUnencryptedPayload = (text: string): EffectPayload => {
  const work = JSON.parse(text) as EffectPayload
  if (!hasNoPersonalData(work)) throw new Error('Cannot decrypt: the value is not encrypted.')
  return work
}

/** The event of a delivery, or `ipn`; lists show it without a key. Null for other work. */
export const deliveryEventName = (work: EffectPayload): string | null =>
  work.kind === 'event' ? work.event : work.kind === 'ipn' ? 'ipn' : null
