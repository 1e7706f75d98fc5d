// The providers that decide about a shopper: screening, SMS, identity, payments and risk. Each
// request carries an idempotency key: asking twice with one key counts as asking once. Errors are
// returned as `ProviderError`. A port should not throw; if it does, that counts as a
// `ProviderError`. A host may write a port with `async` functions instead (`HostProviders`).
import * as E from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { AttemptError } from '../delivery/attempt.ts'
import type { EffectPayload } from '../order/effects/effect.ts'
import type {
  ProviderPort,
  SavedCard,
  Screened,
  SessionStatus,
} from '../protocol/provider-answer.ts'
import type { RiskLevel } from '../protocol/webhook-event.ts'

/** Nothing was decided. The request may be repeated. */
export type ProviderError = { readonly _tag: 'ProviderError' } & AttemptError

/** The payload of effects of this kind. */
export type PayloadOf<Kind extends EffectPayload['kind']> = Extract<
  EffectPayload,
  { readonly kind: Kind }
>

/**
 * A request to a provider. `key` is its idempotency key: asking twice with one key must have the
 * effect of asking once.
 */
export type ProviderRequest<Kind extends EffectPayload['kind']> = {
  readonly key: string
  readonly orderRef: string
  readonly payload: PayloadOf<Kind>
  /** The start of the first attempt and of this one; domain time, epoch milliseconds. */
  readonly firstAt: number
  readonly at: number
}

/**
 * An answer, or the request to ask again after `inMillis` milliseconds. `retryLater` is not a
 * failure.
 */
export type ProviderReply<A> =
  | { readonly type: 'answer'; readonly value: A }
  | { readonly type: 'later'; readonly inMillis: number }

/** A provider's answer. */
export const reply = <A>(value: A): ProviderReply<A> => ({ type: 'answer', value })

/** No answer yet: ask again with the same key after so many milliseconds. It is not a failure. */
export const retryLater = (inMillis: number): ProviderReply<never> => ({ type: 'later', inMillis })

/**
 * One function of a port: it resolves to an answer, to "later", or to an error, after which it is
 * asked again on a schedule.
 */
export type ProviderCall<Kind extends EffectPayload['kind'], A> = (
  request: ProviderRequest<Kind>,
) => TaskEither<ProviderError, ProviderReply<A>>

/**
 * Decides whether a shopper gets the product: approved, denied, for review by an operator, another
 * product, or only after verifying their identity.
 */
export type Screening = { readonly screen: ProviderCall<'screening', Screened> }

/** Sends the code to the shopper's phone. `payload` has the whole text and the code in it. */
export type Sms = { readonly send: ProviderCall<'sms', null> }

/**
 * What a provider answers when an ID session is opened. `url`: the provider's own page, to which
 * our page redirects.
 */
export type SessionUpdate =
  | { readonly type: 'opened'; readonly url: string }
  | { readonly type: 'reported'; readonly status: SessionStatus }

/** Opens a session in which the shopper proves who they are. */
export type Identity = {
  /** `null`: the session is open, and its result arrives later as a separate event. */
  readonly open: ProviderCall<'session', SessionUpdate | null>
}

/**
 * Opens payments by card, voids and refunds them, and keeps and lists the shopper's cards. Amounts
 * are in minor units.
 */
export type Payments = {
  /** The provider's own page, or null if our page serves the form. */
  readonly open: ProviderCall<'payment', { readonly url: string } | null>
  readonly void: ProviderCall<'void', null>
  readonly refund: ProviderCall<'refund', null>
  readonly recall: ProviderCall<'cards', readonly SavedCard[]>
  readonly keep: ProviderCall<'card', null>
}

/** Assesses the risk of a confirmed order, and may advise its cancellation later. */
export type Risk = {
  readonly assess: ProviderCall<'risk', RiskLevel>
  /** Milliseconds until the order should be cancelled, or null. */
  readonly watch: ProviderCall<'watch', { readonly cancelIn: number } | null>
}

/** All ports that decide about a shopper. `providersContract` checks an implementation. */
export type Providers = {
  readonly screening: Screening
  readonly sms: Sms
  readonly identity: Identity
  readonly payments: Payments
  readonly risk: Risk
}

/**
 * The result of a function of a host's provider. An `async` function returns the answer itself,
 * `reply(answer)`, `retryLater(millis)`, or an Either of these. If it throws, nothing was decided,
 * and it is asked again.
 */
export type ProviderAnswer<A> =
  | TaskEither<ProviderError, ProviderReply<A>>
  | Promise<AsyncAnswer<A>>
  | (null extends A ? Promise<void> : never)

type AsyncAnswer<A> = A | ProviderReply<A> | E.Either<ProviderError, ProviderReply<A>>

type HostCall<Call> =
  Call extends ProviderCall<infer Kind, infer A>
    ? (request: ProviderRequest<Kind>) => ProviderAnswer<A>
    : never

type HostPort<Port> = { readonly [name in keyof Port]: HostCall<Port[name]> }

/** `Providers` whose functions may be `async`. */
export type HostProviders = { readonly [port in keyof Providers]: HostPort<Providers[port]> }

const isEither = (value: unknown): value is E.Either<unknown, unknown> =>
  typeof value === 'object' &&
  value !== null &&
  '_tag' in value &&
  (value._tag === 'Left' || value._tag === 'Right')

const isReply = (value: unknown): value is ProviderReply<unknown> =>
  typeof value === 'object' &&
  value !== null &&
  'type' in value &&
  (value.type === 'answer' || value.type === 'later')

const toReply = <A>(value: A | ProviderReply<A> | undefined): ProviderReply<A> =>
  // Only a function that answers null may return nothing.
  isReply(value) ? (value as ProviderReply<A>) : reply((value ?? null) as A)

const toEither = <A>(
  value: AsyncAnswer<A> | undefined,
): E.Either<ProviderError, ProviderReply<A>> =>
  isEither(value)
    ? E.map(toReply<A>)(value as E.Either<ProviderError, ProviderReply<A>>)
    : E.right(toReply<A>(value))

type WrapCall = <Kind extends EffectPayload['kind'], A>(
  call: ProviderCall<Kind, A>,
  port: ProviderPort,
) => ProviderCall<Kind, A>

/** Makes `Providers` of a host's, which may be `async`. `wrap` wraps each function. Default: as it is. */
export const mapProviders = (
  providers: HostProviders,
  wrap: WrapCall = (call) => call,
): Providers => {
  const callOf =
    (port: ProviderPort) =>
    <Kind extends EffectPayload['kind'], A>(
      ask: (request: ProviderRequest<Kind>) => ProviderAnswer<A>,
    ): ProviderCall<Kind, A> =>
      wrap((request) => {
        const answer = ask(request)
        return typeof answer === 'function'
          ? answer
          : async () => toEither<A>((await answer) ?? undefined)
      }, port)
  const payments = callOf('payment')
  const risk = callOf('risk')
  return {
    screening: {
      screen: callOf('screening')((request) => providers.screening.screen(request)),
    },
    sms: {
      send: callOf('sms')((request) => providers.sms.send(request)),
    },
    identity: {
      open: callOf('identity')((request) => providers.identity.open(request)),
    },
    payments: {
      open: payments((request) => providers.payments.open(request)),
      void: payments((request) => providers.payments.void(request)),
      refund: payments((request) => providers.payments.refund(request)),
      recall: payments((request) => providers.payments.recall(request)),
      keep: payments((request) => providers.payments.keep(request)),
    },
    risk: {
      assess: risk((request) => providers.risk.assess(request)),
      watch: risk((request) => providers.risk.watch(request)),
    },
  }
}
