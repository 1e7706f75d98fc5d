// The providers that decide about a shopper: screening, SMS, identity, payments and risk. Each request carries an
// idempotency key: asking twice with one key counts as asking once. Errors are returned as `PortFailure`. A port should not
// throw; if it does, that counts as a `PortFailure`.
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { Work } from '../order/effect.ts'
import type { SavedCard } from '../order/order-context.ts'
import type { RiskLevel } from '../protocol/lifecycle-event.ts'
import type { Screened, SessionStatus } from '../protocol/provider-answer.ts'

/** Nothing was decided. The request may be repeated. */
export type PortFailure = { readonly _tag: 'PortFailure'; readonly message: string }

export type WorkOf<Kind extends Work['kind']> = Extract<Work, { readonly kind: Kind }>

export type Asked<Kind extends Work['kind']> = {
  readonly key: string
  readonly orderRef: string
  readonly work: WorkOf<Kind>
  /** The start of the first attempt and of this one; domain time, epoch milliseconds. */
  readonly firstAt: number
  readonly at: number
}

/** An answer, or the request to ask again after `inMillis` milliseconds. `later` is not a failure. */
export type Reply<A> =
  | { readonly type: 'answer'; readonly answer: A }
  | { readonly type: 'later'; readonly inMillis: number }

export const answer = <A>(given: A): Reply<A> => ({ type: 'answer', answer: given })
export const later = (inMillis: number): Reply<never> => ({ type: 'later', inMillis })

type Ask<Kind extends Work['kind'], A> = (asked: Asked<Kind>) => TaskEither<PortFailure, Reply<A>>

export type Screening = { readonly screen: Ask<'screening', Screened> }

export type Sms = { readonly send: Ask<'sms', null> }

/** `url`: the provider's own page, to which our page redirects. */
export type SessionNews =
  | { readonly type: 'opened'; readonly url: string }
  | { readonly type: 'reported'; readonly status: SessionStatus }

export type Identity = {
  /** `null`: the session is open, and its result arrives later as a separate event. */
  readonly open: Ask<'session', SessionNews | null>
}

export type Payments = {
  /** The provider's own page, or null if our page serves the form. */
  readonly open: Ask<'payment', { readonly url: string } | null>
  readonly void: Ask<'void', null>
  readonly refund: Ask<'refund', null>
  readonly recall: Ask<'cards', readonly SavedCard[]>
  readonly keep: Ask<'card', null>
}

export type Risk = {
  readonly assess: Ask<'risk', RiskLevel>
  /** Milliseconds until the order should be cancelled, or null. */
  readonly watch: Ask<'watch', { readonly cancelIn: number } | null>
}

export type Deciders = {
  readonly screening: Screening
  readonly sms: Sms
  readonly identity: Identity
  readonly payments: Payments
  readonly risk: Risk
}
