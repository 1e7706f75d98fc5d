// The ports that decide about a shopper: screening, SMS, identity, payments and risk. Each is asked with a key; asking
// twice with one key is asking once. What goes wrong is a `PortFailure`; what is thrown all the same is taken for one.
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { Work } from '../order/effect.ts'
import type { SavedCard } from '../order/order-context.ts'
import type { RiskLevel } from '../protocol/lifecycle-event.ts'
import type { Screened, SessionStatus } from '../protocol/provider-answer.ts'

/** Nothing was decided, and it may be asked again. */
export type PortFailure = { readonly _tag: 'PortFailure'; readonly message: string }

export type WorkOf<Kind extends Work['kind']> = Extract<Work, { readonly kind: Kind }>

export type Asked<Kind extends Work['kind']> = {
  readonly key: string
  readonly orderRef: string
  readonly work: WorkOf<Kind>
  /** When it was first asked, and now; epoch milliseconds of domain time. */
  readonly firstAt: number
  readonly at: number
}

/** An answer, or the wish to be asked again in so many milliseconds: that is no failure. */
export type Reply<A> =
  | { readonly type: 'answer'; readonly answer: A }
  | { readonly type: 'later'; readonly inMillis: number }

export const answer = <A>(given: A): Reply<A> => ({ type: 'answer', answer: given })
export const later = (inMillis: number): Reply<never> => ({ type: 'later', inMillis })

type Ask<Kind extends Work['kind'], A> = (asked: Asked<Kind>) => TaskEither<PortFailure, Reply<A>>

export type Screening = { readonly screen: Ask<'screening', Screened> }

export type Sms = { readonly send: Ask<'sms', null> }

/** `url`: the provider's own page; ours leads on to it. */
export type SessionNews =
  | { readonly type: 'opened'; readonly url: string }
  | { readonly type: 'reported'; readonly status: SessionStatus }

export type Identity = {
  /** `null`: the session is open, and its result comes as a fact of its own. */
  readonly open: Ask<'session', SessionNews | null>
}

export type Payments = {
  /** The provider's own page, or null where ours serves the form. */
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
