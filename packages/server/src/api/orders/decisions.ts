// An operator's four decisions about an order, for the calls of programs and for the console, so that
// both do the same. Contract §9.
import type { DecisionEvent } from '@plazo/core/internal'

type Decision = {
  readonly event: DecisionEvent
  readonly operationId: string
  readonly summary: string
  /** What happens then, as a sentence. */
  readonly description: string
}

export const DECISIONS = {
  approve: {
    event: { type: 'review.approved' },
    operationId: 'approveOrder',
    summary: 'Approve an order on hold',
    description: 'The merchant is asked to confirm the order.',
  },
  reject: {
    event: { type: 'review.rejected' },
    operationId: 'rejectOrder',
    summary: 'Reject an order on hold',
    description: 'The merchant gets the event cancelled.',
  },
  'request-cancellation': {
    event: { type: 'cancellation.requested' },
    operationId: 'requestCancellation',
    summary: 'Ask the merchant to cancel a confirmed order',
    description:
      'The merchant gets the event cancel. It is repeated for up to a week, until there is an answer.',
  },
  cancel: {
    event: { type: 'order.cancelled', by: 'operator' },
    operationId: 'cancelOrder',
    summary: 'Cancel a confirmed order',
    description:
      'The order is cancelled at once, without waiting for the merchant. Any payment is refunded.',
  },
} as const satisfies Readonly<Record<string, Decision>>

export type DecisionName = keyof typeof DECISIONS

export const DECISION_NAMES = Object.keys(DECISIONS) as readonly DecisionName[]
