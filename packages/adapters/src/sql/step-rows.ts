// Both SQL stores write these parts of a step in the same way: the state as text, and whether the order waits for an operator.

import { type OperatorTask, type OrderState, operatorTaskOf, type Step } from '@plazo/core'

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
