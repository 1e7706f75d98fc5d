// The sandbox's providers. The shopper's surnames decide what they answer, and the domain clock
// measures how long they take. Nothing is sent to a phone: shoppers read their SMS on a page.
import {
  type CardOwner,
  type ProviderError,
  type ProviderReply,
  type ProviderRequest,
  type Providers,
  type Records,
  reply,
  retryLater,
  type SavedCard,
  type Unavailable,
} from '@plazo/core/internal'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { isCurrent } from './card-form.ts'
import { triggerOf } from './triggers.ts'

const SECOND = 1000
const SCREENING_MILLIS = SECOND
const SESSION_MILLIS = 2 * SECOND
const EVALUATION_MILLIS = 60 * SECOND
const NEVER_MILLIS = 24 * 60 * 60 * SECOND

const CARD = 'card'
const MESSAGE = 'message'

/** An SMS that was not sent to a phone. `at` is domain time, epoch milliseconds. */
export type SandboxMessage = {
  /** The effect's key. */
  readonly key: string
  readonly orderRef: string
  readonly at: number
  readonly to: string
  readonly text: string
  readonly code: string
}

/** Oldest first. A message that was added again after a crash is listed once, as it was first. */
export const listMessages =
  (records: Pick<Records, 'list'>) =>
  (orderRef: string): TE.TaskEither<Unavailable, readonly SandboxMessage[]> =>
    pipe(
      records.list({ kind: MESSAGE, orderRef }),
      TE.map((stored) =>
        stored
          // Only `send` writes these records.
          .map(({ at, value }) => ({ ...(value as SandboxMessage), orderRef, at }))
          .filter(({ key }, n, all) => all.findIndex((each) => each.key === key) === n),
      ),
    )

type Answer<A> = TE.TaskEither<ProviderError, ProviderReply<A>>

const answer = <A>(value: A): Answer<A> => TE.right(reply(value))

const later = (millis: number): Answer<never> => TE.right(retryLater(millis))

// If it is asked too early, it asks to be called again when the time has come. Such a delay needs
// no storage and survives a crash.
const answerAfter = <A>(
  millis: number,
  { firstAt, at }: Pick<ProviderRequest<'sms'>, 'firstAt' | 'at'>,
  value: A,
): Answer<A> => (at - firstAt >= millis ? answer(value) : later(firstAt + millis - at))

/** Answers when the store has done the work. */
const answerWith = <A, B>(
  work: TE.TaskEither<Unavailable, A>,
  toValue: (result: A) => B,
): Answer<B> =>
  pipe(
    work,
    TE.bimap(
      ({ message }) => ({ _tag: 'ProviderError', reason: 'other', message }),
      (result) => reply(toValue(result)),
    ),
  )

/**
 * All five ports without any service: the shopper's surnames decide the answers, and messages and
 * saved cards are kept as records. Sandbox rules, Triggers.
 */
export const sandboxProviders = (
  records: Pick<Records, 'add' | 'put' | 'list' | 'hash'>,
): Providers => {
  const hashOwner = ({ account, nin, phone }: CardOwner, ...parts: readonly string[]): string =>
    records.hash(JSON.stringify([account, nin, phone, ...parts]))

  return {
    screening: {
      screen: (request) => {
        const { screened } = triggerOf(request.payload.person.surnames)
        return screened === null
          ? later(NEVER_MILLIS)
          : answerAfter(SCREENING_MILLIS, request, screened)
      },
    },
    sms: {
      send: ({ key, orderRef, payload: { to, text, code }, at }) => {
        const value = { key, to, text, code }
        return answerWith(
          records.add({ kind: MESSAGE, orderRef, merchantRef: null, at, value }),
          () => null,
        )
      },
    },
    identity: {
      open: (request) => {
        const { session } = triggerOf(request.payload.person.surnames)
        return session === null
          ? answer(null)
          : answerAfter(SESSION_MILLIS, request, { type: 'reported', status: session })
      },
    },
    payments: {
      open: () => answer(null),
      void: () => answer(null),
      refund: () => answer(null),
      recall: ({ payload, at }) =>
        answerWith(records.list({ kind: CARD, key: hashOwner(payload.owner) }), (cards) =>
          cards
            // Only `keep` writes these records.
            .map(({ value }) => value as SavedCard)
            .filter(({ expiry }) => isCurrent(expiry, at)),
        ),
      // A card belongs to the order that was last paid with it, and is erased with its shopper.
      keep: ({ orderRef, payload: { owner, card }, at }) => {
        const key = `${hashOwner(owner)}/${hashOwner(owner, card.token)}`
        return answerWith(
          records.put({ kind: CARD, key, orderRef, merchantRef: null, at, value: card }),
          () => null,
        )
      },
    },
    risk: {
      assess: (request) =>
        request.payload.underEvaluation
          ? answerAfter(EVALUATION_MILLIS, request, 'low_risk')
          : answer(triggerOf(request.payload.person.surnames).risk),
      watch: ({ payload: { person } }) => {
        const { cancels } = triggerOf(person.surnames)
        return answer(cancels ? { cancelIn: (Number(person.dob_day) - 1) * 10 * SECOND } : null)
      },
    },
  }
}
