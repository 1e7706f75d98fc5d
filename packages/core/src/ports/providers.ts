// The providers that decide about a shopper: screening, SMS, identity, payments and risk. Each
// request carries an idempotency key: asking twice with one key counts as asking once. Errors are
// returned as `ProviderError`. A port should not throw; if it does, that counts as a
// `ProviderError`. A host writes `HostProviders` with `async` functions instead.
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
 * A host's provider is an async function that resolves to this: the answer, `reply(answer)` or
 * `retryLater(millis)`; nothing, where the answer is null. If it throws, nothing was decided, and it
 * is asked again.
 */
type HostAnswer<A> = Promise<A | ProviderReply<A>> | (null extends A ? Promise<void> : never)

type HostCall<Call> =
  Call extends ProviderCall<infer Kind, infer A>
    ? (request: ProviderRequest<Kind>) => HostAnswer<A>
    : never

type HostPort<Port> = { readonly [name in keyof Port]: HostCall<Port[name]> }

/** The ports of `Providers` as a host writes them: with `async` functions. */
export type HostProviders = { readonly [port in keyof Providers]: HostPort<Providers[port]> }

/** The functions of each port. */
export const CALLS = {
  screening: ['screen'],
  sms: ['send'],
  identity: ['open'],
  payments: ['open', 'void', 'refund', 'recall', 'keep'],
  risk: ['assess', 'watch'],
} as const satisfies { readonly [port in keyof Providers]: readonly (keyof Providers[port])[] }

type CallName = (typeof CALLS)[keyof Providers][number]

const MEMBERS = Object.keys(CALLS) as readonly (keyof Providers)[]

/** A function of any port. It neither reads the request nor the answer. */
type AnyCall<Result> = (request: never) => Result

/**
 * Wraps each function of the ports that are there.
 */
const mapCalls = <From, To>(
  providers: { readonly [member in keyof Providers]?: object },
  wrap: (call: AnyCall<From>, port: ProviderPort) => AnyCall<To>,
): object => {
  const wrapPort = (member: keyof Providers, port: object) => {
    // A port may be an object with methods, which need their `this`.
    const calls = port as { readonly [name in CallName]: AnyCall<From> }
    const portName = member === 'payments' ? 'payment' : member
    return CALLS[member].map((name) => [name, wrap((request) => calls[name](request), portName)])
  }
  return Object.fromEntries(
    MEMBERS.flatMap((member) => {
      const port = providers[member]
      return port === undefined ? [] : [[member, Object.fromEntries(wrapPort(member, port))]]
    }),
  )
}

type Answered = TaskEither<ProviderError, ProviderReply<unknown>>

/** Wraps each function of the providers that are there, such as to count its calls. */
export const mapProviderCalls = <P extends Partial<Providers>>(
  providers: P,
  wrap: (call: AnyCall<Answered>, port: ProviderPort) => AnyCall<Answered>,
): P =>
  // `mapCalls` keeps every port, and each call answers what it answered.
  mapCalls(providers, wrap) as P

const isReply = (value: unknown): value is ProviderReply<unknown> =>
  typeof value === 'object' &&
  value !== null &&
  'type' in value &&
  (value.type === 'answer' || value.type === 'later')

/**
 * Makes providers of a host's `async` ones, for `executeEffect`.
 *
 * @example
 * ```ts
 * const codes: string[] = []
 * const providers = toProviders({
 *   sms: { send: async (request) => void codes.push(request.payload.code) },
 * })
 * console.log(providers, codes)
 * ```
 */
export const toProviders = <P extends Partial<HostProviders>>(
  providers: P,
): Pick<Providers, keyof P & keyof Providers> =>
  // The functions take the same requests, and resolve to the same answers.
  mapCalls<Promise<unknown>, Answered>(providers, (call) => (request) => async () => {
    const answer = (await call(request)) ?? null
    return E.right(isReply(answer) ? answer : reply(answer))
  }) as Pick<Providers, keyof P & keyof Providers>
