// Events are the only input of an order. Each has a dotted name in the past tense. If it answers an effect, it carries that
// effect's key.
import type { Agreement } from '../protocol/credit-product.ts'
import type { Person } from '../protocol/identification-form.ts'
import type { Screened, SessionStatus } from '../protocol/provider-answer.ts'
import type { RiskLevel } from '../protocol/webhook-event.ts'
import type { SavedCard } from './order-context.ts'

/** `inReplyTo`: the key of the effect that the event answers. If that effect is not awaited, the event changes no state. */
type InReply = { readonly inReplyTo: string }
type Submission = { readonly person: Person; readonly agreement: Agreement | null }
type References = { readonly first: string | null; readonly second: string | null }

export type SubmissionEvent =
  /** Submitted by the same person as before, or by the first person. */
  | ({ readonly type: 'person.submitted' } & Submission)
  /** Submitted by the same person with a code, while the order asks for one. */
  | ({ readonly type: 'code.submitted'; readonly code: string } & Submission)
  /** Submitted by another person. */
  | ({ readonly type: 'person.changed' } & Submission)

export type ReplyEvent = InReply &
  (
    | ({ readonly type: 'screening.resolved' } & Screened)
    | { readonly type: 'cards.recalled'; readonly cards: readonly SavedCard[] }
    | { readonly type: 'session.opened'; readonly url: string }
    | { readonly type: 'session.reported'; readonly status: SessionStatus }
    | { readonly type: 'session.unavailable' }
    | { readonly type: 'payment.opened'; readonly url: string }
    | { readonly type: 'payment.challenged'; readonly token: string; readonly card: SavedCard; readonly keep: boolean }
    | { readonly type: 'payment.succeeded'; readonly card: SavedCard | null; readonly keep: boolean }
    | { readonly type: 'payment.failed'; readonly reason: string }
    | { readonly type: 'payment.unavailable' }
    | { readonly type: 'payment.refunded' }
    | { readonly type: 'ipn.accepted' }
    | { readonly type: 'ipn.conflicted' }
    | { readonly type: 'ipn.erred' }
    | { readonly type: 'ipn.exhausted' }
    | { readonly type: 'risk.assessed'; readonly level: RiskLevel }
    | { readonly type: 'cancellation.advised'; readonly delay: number }
    | { readonly type: 'cancel.agreed' }
    /** Minutes, or null if the answer gave none. */
    | { readonly type: 'cancel.refused'; readonly lateByMinutes: number | null }
    | { readonly type: 'cancel.deferred'; readonly retryInMinutes: number }
    | { readonly type: 'cancel.unsupported' }
    | { readonly type: 'cancel.exhausted' }
    | { readonly type: 'timer.fired'; readonly timer: string }
  )

export type MerchantEvent =
  /** `PUT` with `state` confirmed (`merchant.confirmed`) or on_hold (`merchant.held`). Contract §5. */
  | { readonly type: 'merchant.confirmed' }
  | { readonly type: 'merchant.held' }
  | ({ readonly type: 'references.given' } & References)
  /** An Order Update that is not a cancellation. Contract §3. */
  | { readonly type: 'order.updated' }

export type DecisionEvent =
  | { readonly type: 'review.approved' }
  | { readonly type: 'review.rejected' }
  | { readonly type: 'cancellation.requested' }
  | { readonly type: 'order.cancelled'; readonly by: 'operator' | 'merchant' }

export type OrderEvent = SubmissionEvent | ReplyEvent | MerchantEvent | DecisionEvent

// After these answers their effect is still awaited: another answer will follow.
const INTERIM_REPLIES = new Set<OrderEvent['type']>([
  'session.opened',
  'payment.opened',
  'payment.challenged',
  'ipn.erred',
])

export const isFinalReply = (event: ReplyEvent): boolean => !INTERIM_REPLIES.has(event.type)

export const isReply = (event: OrderEvent): event is ReplyEvent => 'inReplyTo' in event

/** Operators read the journal in plain words: this is the detail shown next to an event's name. */
export const journalDetail = (event: OrderEvent): string | null => {
  switch (event.type) {
    case 'screening.resolved':
      return event.outcome
    case 'session.reported':
      return event.status
    case 'payment.failed':
      return event.reason
    case 'risk.assessed':
      return event.level
    case 'timer.fired':
      return event.timer.slice(0, event.timer.indexOf('.'))
    case 'cancel.refused':
      return event.lateByMinutes === null ? 'the answer gave no minutes' : `late by ${event.lateByMinutes} min`
    case 'cancel.deferred':
      return `asked again in ${event.retryInMinutes} min`
    case 'cancellation.advised':
      return `by the risk service, in ${event.delay / 1000} s`
    case 'review.approved':
    case 'review.rejected':
    case 'cancellation.requested':
      return 'by the operator'
    case 'merchant.confirmed':
    case 'merchant.held':
    case 'references.given':
    case 'order.updated':
    case 'cancel.agreed':
      return 'by the merchant'
    case 'order.cancelled':
      return `by the ${event.by}`
    default:
      return null
  }
}
