// The sandbox's providers. The shopper's surnames decide what they answer, and the domain clock
// measures how long they take.
import { createHash } from 'node:crypto'
import {
  type CardOwner,
  type ProviderError,
  type ProviderReply,
  type Providers,
  type Records,
  reply,
  retryLater,
  type Unavailable,
} from '@plazo/core/ports'
import type { SavedCard } from '@plazo/core/protocol'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { isCurrent } from './card-form.ts'
import { addMessage } from './messages.ts'
import { triggerOf } from './triggers.ts'

const SECOND = 1000
const SCREENING_MILLIS = SECOND
const SESSION_MILLIS = 2 * SECOND
const EVALUATION_MILLIS = 60 * SECOND
const NEVER_MILLIS = 24 * 60 * 60 * SECOND

type RequestTimes = { readonly firstAt: number; readonly at: number }

// If it is asked too early, it asks to be called again when the time has come. Such a delay needs
// no storage and survives a crash.
const replyAfter = <A>(
  millis: number,
  { firstAt, at }: RequestTimes,
  value: A,
): ProviderReply<A> => (at - firstAt >= millis ? reply(value) : retryLater(firstAt + millis - at))

type Answer<A> = TE.TaskEither<ProviderError, ProviderReply<A>>

const answer = <A>(value: A): Answer<A> => TE.right(reply(value))

/** Answers when the store has done the work. */
const answerAfter = <A, B>(
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

const CARD = 'card'

// The name contains no document or phone number.
const nameOwner = ({ account, nin, phone }: CardOwner): string =>
  createHash('sha256')
    .update(JSON.stringify([account, nin, phone]))
    .digest('hex')

/**
 * All five ports without any service: the shopper's surnames decide the answers, and messages and
 * saved cards are kept as records. Sandbox rules, Triggers.
 */
export const sandboxProviders = (
  records: Pick<Records, 'add' | 'put' | 'list' | 'hash'>,
): Providers => ({
  screening: {
    screen: (request) => {
      const { screened } = triggerOf(request.payload.person.surnames)
      return TE.right(
        screened === null
          ? retryLater(NEVER_MILLIS)
          : replyAfter(SCREENING_MILLIS, request, screened),
      )
    },
  },
  sms: {
    send: ({ key, orderRef, payload: { to, text, code }, at }) =>
      answerAfter(addMessage(records, { key, orderRef, at, to, text, code }), () => null),
  },
  identity: {
    open: (request) => {
      const { session } = triggerOf(request.payload.person.surnames)
      return TE.right(
        session === null
          ? reply(null)
          : replyAfter(SESSION_MILLIS, request, { type: 'reported' as const, status: session }),
      )
    },
  },
  payments: {
    open: () => answer(null),
    void: () => answer(null),
    refund: () => answer(null),
    recall: ({ payload, at }) =>
      answerAfter(
        records.list({ kind: CARD, key: records.hash(nameOwner(payload.owner)) }),
        (cards) =>
          // Only `keep` writes these records.
          cards
            .map(({ value }) => value as SavedCard)
            .filter(({ expiry }) => isCurrent(expiry, at)),
      ),
    // A card belongs to the order that was last paid with it, and is erased with its shopper.
    keep: ({ orderRef, payload: { owner, card }, at }) => {
      const name = nameOwner(owner)
      const key = `${records.hash(name)}/${records.hash(JSON.stringify([name, card.token]))}`
      return answerAfter(
        records.put({ kind: CARD, key, orderRef, merchantRef: null, at, value: card }),
        () => null,
      )
    },
  },
  risk: {
    assess: (request) => {
      const { risk } = triggerOf(request.payload.person.surnames)
      return request.payload.underEvaluation
        ? TE.right(replyAfter(EVALUATION_MILLIS, request, 'low_risk' as const))
        : answer(risk)
    },
    watch: ({ payload: { person } }) => {
      const { cancels } = triggerOf(person.surnames)
      return answer(cancels ? { cancelIn: (Number(person.dob_day) - 1) * 10 * SECOND } : null)
    },
  },
})
