// The facts an order may be told. Each is dotted, past tense, and names what it answers if it answers an effect.
import type { Agreement } from '../protocol/credit-product.ts'
import type { Person } from '../protocol/identification-form.ts'
import type { RiskLevel } from '../protocol/lifecycle-event.ts'
import type { Screened, SessionStatus } from '../protocol/provider-answer.ts'
import type { SavedCard } from './order-context.ts'

/** The key of the effect that a fact answers; an answer to anything not awaited changes no state. */
type Answer = { readonly answers: string }
type Submission = { readonly person: Person; readonly agreement: Agreement | null }
type References = { readonly first: string | null; readonly second: string | null }

export type SubmissionEvent =
  /** By the same person as before, or the first one. */
  | ({ readonly type: 'person.submitted' } & Submission)
  /** By the same person, with a code, where one is asked for. */
  | ({ readonly type: 'code.submitted'; readonly code: string } & Submission)
  /** By somebody else. */
  | ({ readonly type: 'person.changed' } & Submission)

export type AnswerEvent = Answer &
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
    /** Minutes, or null where the answer gave none. */
    | { readonly type: 'cancel.refused'; readonly lateByMinutes: number | null }
    | { readonly type: 'cancel.deferred'; readonly retryInMinutes: number }
    | { readonly type: 'cancel.unsupported' }
    | { readonly type: 'cancel.exhausted' }
    | { readonly type: 'timer.fired'; readonly timer: string }
  )

export type MerchantEvent =
  /** `PUT` with `state` confirmed, and with on_hold. Contract §5. */
  | { readonly type: 'merchant.confirmed' }
  | { readonly type: 'merchant.held' }
  | ({ readonly type: 'references.given' } & References)
  /** An Order Update that is no cancellation. Contract §3. */
  | { readonly type: 'order.updated' }

export type DecisionEvent =
  | { readonly type: 'review.approved' }
  | { readonly type: 'review.rejected' }
  | { readonly type: 'cancellation.requested' }
  | { readonly type: 'order.cancelled'; readonly by: 'operator' | 'merchant' }

export type OrderEvent = SubmissionEvent | AnswerEvent | MerchantEvent | DecisionEvent

// The answers after which their effect is still awaited: more will come of it.
const UNFINISHED = new Set<OrderEvent['type']>(['session.opened', 'payment.opened', 'payment.challenged', 'ipn.erred'])

export const concludes = (event: AnswerEvent): boolean => !UNFINISHED.has(event.type)

export const isAnswer = (event: OrderEvent): event is AnswerEvent => 'answers' in event
