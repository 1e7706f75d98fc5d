// The page behind `session_url` reports the result of an ID session here. Contract §4, ID verification; §8.
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { Order } from '../../order/order.ts'
import { type InternalError, step, unchanged } from '../../order/step.ts'
import type { OrderNotFound, ReferenceTaken } from '../../ports/order-store.ts'
import type { Unavailable } from '../../ports/unavailable.ts'
import type { SessionStatus } from '../../protocol/provider-answer.ts'
import { type Host, stepInputOf } from '../host.ts'

/** The order has no such session, or has a newer one. */
export type SessionNotFound = { readonly _tag: 'SessionNotFound' }

/** Records the result of a session. If the session has already ended, nothing changes. */
export const recordVerification =
  (host: Host) =>
  (
    orderRef: string,
    token: string,
    status: SessionStatus,
  ): TaskEither<SessionNotFound | OrderNotFound | ReferenceTaken | Unavailable | InternalError, Order> =>
    host.store.step<SessionNotFound | InternalError, Order>(orderRef, (order, referenceIsTaken) => {
      if (order.context.session?.token !== token) return E.left({ _tag: 'SessionNotFound' })
      const key = order.context.awaited.session
      return pipe(
        key === undefined
          ? E.right(unchanged(order))
          : step(host.terms)(
              order,
              { type: 'session.reported', inReplyTo: key, status },
              stepInputOf(host, referenceIsTaken),
            ),
        E.map((next) => ({ step: next, answer: next.order })),
      )
    })
