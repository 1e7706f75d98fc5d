// The providers that decide about a shopper: screening, SMS, identity, payments and risk. Each request carries an
// idempotency key: asking twice with one key counts as asking once. Errors are returned as `ProviderError`. A port should not
// throw; if it does, that counts as a `ProviderError`.
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { AttemptError } from '../delivery/attempt.ts'
import type { EffectPayload } from '../order/effects/effect.ts'
import type { SavedCard, Screened, SessionStatus } from '../protocol/provider-answer.ts'
import type { RiskLevel } from '../protocol/webhook-event.ts'

/** Nothing was decided. The request may be repeated. */
export type ProviderError = { readonly _tag: 'ProviderError' } & AttemptError

export type PayloadOf<Kind extends EffectPayload['kind']> = Extract<EffectPayload, { readonly kind: Kind }>

export type ProviderRequest<Kind extends EffectPayload['kind']> = {
  readonly key: string
  readonly orderRef: string
  readonly payload: PayloadOf<Kind>
  /** The start of the first attempt and of this one; domain time, epoch milliseconds. */
  readonly firstAt: number
  readonly at: number
}

/** An answer, or the request to ask again after `inMillis` milliseconds. `retryLater` is not a failure. */
export type ProviderReply<A> =
  | { readonly type: 'answer'; readonly value: A }
  | { readonly type: 'later'; readonly inMillis: number }

export const reply = <A>(value: A): ProviderReply<A> => ({ type: 'answer', value })
export const retryLater = (inMillis: number): ProviderReply<never> => ({ type: 'later', inMillis })

type ProviderCall<Kind extends EffectPayload['kind'], A> = (
  request: ProviderRequest<Kind>,
) => TaskEither<ProviderError, ProviderReply<A>>

export type Screening = { readonly screen: ProviderCall<'screening', Screened> }

export type Sms = { readonly send: ProviderCall<'sms', null> }

/** `url`: the provider's own page, to which our page redirects. */
export type SessionUpdate =
  | { readonly type: 'opened'; readonly url: string }
  | { readonly type: 'reported'; readonly status: SessionStatus }

export type Identity = {
  /** `null`: the session is open, and its result arrives later as a separate event. */
  readonly open: ProviderCall<'session', SessionUpdate | null>
}

export type Payments = {
  /** The provider's own page, or null if our page serves the form. */
  readonly open: ProviderCall<'payment', { readonly url: string } | null>
  readonly void: ProviderCall<'void', null>
  readonly refund: ProviderCall<'refund', null>
  readonly recall: ProviderCall<'cards', readonly SavedCard[]>
  readonly keep: ProviderCall<'card', null>
}

export type Risk = {
  readonly assess: ProviderCall<'risk', RiskLevel>
  /** Milliseconds until the order should be cancelled, or null. */
  readonly watch: ProviderCall<'watch', { readonly cancelIn: number } | null>
}

export type Providers = {
  readonly screening: Screening
  readonly sms: Sms
  readonly identity: Identity
  readonly payments: Payments
  readonly risk: Risk
}
