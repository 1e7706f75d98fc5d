// What of an order waits for an operator: a decision that only he takes, or that he may take in the merchant's place.
import type { OrderState } from './order-state.ts'

const WAITING = ['review', 'unanswered', 'unsupported', 'asked'] as const

/**
 * `review`: it is on hold. `asked`: the merchant is asked to cancel, and has not decided. `unanswered`, `unsupported`:
 * he never answered, or does not do cancel.
 */
export type Waiting = (typeof WAITING)[number]

/** Null where nobody is waited for, or somebody else. */
export const waitingOf = ({ checkout, cancellation }: OrderState): Waiting | null => {
  if (checkout === 'reviewing') return 'review'
  if (cancellation === 'asking' || cancellation === 'waiting') return 'asked'
  return cancellation === 'unanswered' || cancellation === 'unsupported' ? cancellation : null
}
