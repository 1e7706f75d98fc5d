// Operators need a list of orders that wait for a decision. Some decisions only they take; others they may take for the
// merchant.
import type { OrderState } from './order-state.ts'

const OPERATOR_TASKS = ['review', 'unanswered', 'unsupported', 'asked'] as const

/**
 * `review`: the order is on hold. `asked`: the merchant was asked to cancel and has not decided. `unanswered`: the merchant
 * never answered. `unsupported`: they do not support `cancel`, or cannot be asked.
 */
export type OperatorTask = (typeof OPERATOR_TASKS)[number]

/** Null if the order does not wait for an operator. */
export const operatorTaskOf = ({ checkout, cancellation }: OrderState): OperatorTask | null => {
  if (checkout === 'reviewing') return 'review'
  if (cancellation === 'asking' || cancellation === 'waiting') return 'asked'
  return cancellation === 'unanswered' || cancellation === 'unsupported' ? cancellation : null
}
