// Deliveries of the memory store: lists them with their attempts, resends and recovers them.

import {
  type AskedTrigger,
  type Deliveries,
  type Delivery,
  type DeliveryNotFound,
  type DeliveryState,
  isRecovered,
  RESPONSES_SHOWN,
  type Unavailable,
} from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { deliveryState } from '../rows/delivery-state.ts'
import { withinAnswerBytes } from '../rows/shown-delivery.ts'
import type { KeptEntry } from './kept-entry.ts'

type MemoryDeliveriesParts = {
  /** In the order in which they were added. */
  readonly entries: () => readonly KeptEntry[]
  readonly hasten: (entry: KeptEntry, at: number) => void
  readonly sendBeside: (entry: KeptEntry, by: AskedTrigger, at: number) => void
  readonly trying: <Err, A>(run: () => E.Either<Err, A>) => TaskEither<Err | Unavailable, A>
  /** The same, for calls that make a job due. */
  readonly writing: MemoryDeliveriesParts['trying']
}

const stateOf = ({ state }: KeptEntry): DeliveryState => deliveryState(state)

const shown = (entry: KeptEntry): Delivery => {
  const { work, key } = entry.effect
  const state = stateOf(entry)
  return {
    id: key,
    event: work.kind === 'event' ? work.event : 'ipn',
    orderRef: entry.orderRef,
    state,
    dueAt: state === 'pending' ? entry.dueAt : null,
    attempts: entry.made.map((attempt, index) =>
      index < entry.made.length - RESPONSES_SHOWN ? { ...attempt, response: null } : attempt,
    ),
  }
}

const unknown: DeliveryNotFound = { _tag: 'DeliveryNotFound' }

export const memoryDeliveries = ({
  entries,
  hasten,
  sendBeside,
  trying,
  writing,
}: MemoryDeliveriesParts): Deliveries => {
  const ofMerchant = (ref: string): readonly KeptEntry[] =>
    entries().filter(({ merchantRef, kind, resendOf }) => merchantRef === ref && kind !== 'work' && resendOf === null)

  const found = (merchantRef: string, id: string): E.Either<DeliveryNotFound, KeptEntry> => {
    const entry = ofMerchant(merchantRef).find(({ effect }) => effect.key === id)
    return entry === undefined ? E.left(unknown) : E.right(entry)
  }

  const sendAgain = (entry: KeptEntry, by: AskedTrigger, at: number): void => {
    if (stateOf(entry) !== 'pending') sendBeside(entry, by, at)
    else {
      entry.cause ??= by
      entry.dueAt = Math.min(entry.dueAt, at)
      hasten(entry, at)
    }
  }

  const triedAt = ({ made, madeAt }: KeptEntry): number => made.at(-1)?.startedAt ?? madeAt

  return {
    list: ({ merchantRef, orderRef, state, before, limit, answerBytes }) =>
      trying(() => {
        const cursor = before === null ? E.right(null) : found(merchantRef, before)
        if (E.isLeft(cursor)) return cursor
        const end = cursor.right?.id ?? Number.POSITIVE_INFINITY
        const wanted = ofMerchant(merchantRef).filter(
          (entry) =>
            entry.id < end &&
            (orderRef === null || entry.orderRef === orderRef) &&
            (state === null || stateOf(entry) === state),
        )
        return E.right(withinAnswerBytes(wanted.slice(-limit).reverse(), shown, answerBytes))
      }),
    find: (merchantRef, id) => trying(() => E.map(shown)(found(merchantRef, id))),
    resend: (merchantRef, id, at) =>
      writing(() => E.map((entry: KeptEntry) => sendAgain(entry, 'resend', at))(found(merchantRef, id))),
    recover: ({ merchantRef, since, at, after, limit }) =>
      writing(() => {
        const page = ofMerchant(merchantRef)
          .filter(({ id, state }) => id > after && state !== 'delivered')
          .slice(0, limit)
        const wanted = page.filter(
          (entry) => isRecovered(stateOf(entry)) && triedAt(entry) >= since && triedAt(entry) <= at,
        )
        for (const entry of wanted) sendAgain(entry, 'recover', at)
        const last = page.at(-1)
        return E.right({ count: wanted.length, next: page.length < limit || last === undefined ? null : last.id })
      }),
  }
}
